/**
 * The driver {@code mongodb}: MongoDB, sharded or not, and servers that speak its protocol
 * (FerretDB), through mongodb-driver-sync; the only importer of it.
 *
 * <p>Boundaries of the phases:
 *
 * <ul>
 *   <li>connect: until a connection has been checked out of the pool, according to the driver's own
 *       events; the choice of the server is part of it.
 *   <li>search: until the first batch has arrived or the write is acknowledged. The driver decodes
 *       a batch while it reads the answer, so search holds transfer and decoding of those documents
 *       as well. A first batch holds 101 documents unless {@code batch-size} says otherwise, so it
 *       usually is the whole result.
 *   <li>fetch: further batches, with their round trips and their decoding. If the first batch was
 *       the whole result, this phase did not occur.
 * </ul>
 *
 * <p>An update counts the documents that it matched, as PostgreSQL does: setting a field to the
 * value that it has is a row there, too.
 *
 * <p>Time limits: a find carries {@code maxTimeMS}, the statement timeout. A write cannot carry it:
 * the client library sends {@code maxTimeMS} with a write only under its own operation timeout
 * ({@code withTimeout}), which is not a stable interface yet and removes {@code wtimeout}. So
 * {@code wtimeout} (the statement timeout unless set) bounds a write's wait for other members, and
 * the socket gives up 5 s after the statement timeout. The wait before verification shows whether
 * the server still executes the write. If the server does not list its clients, the result of the
 * verification reports this. FerretDB 1.24 supports maxTimeMS only for finds; mongo-java-server
 * ignores it.
 *
 * <p>Retries are the harness's own, counted and inside the service time. Those of the driver would
 * hide failures and make one call two statements, so they are off unless {@code retry-reads} or
 * {@code retry-writes} says otherwise.
 */
package io.shardload.driver.mongodb;
