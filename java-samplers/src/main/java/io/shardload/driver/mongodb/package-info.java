/**
 * The driver {@code mongodb}: MongoDB, sharded or not, and servers that speak its protocol
 * (FerretDB), through mongodb-driver-sync; the only importer of it.
 *
 * <p>Packages, each of which uses only those before it: {@code client}, {@code schema}, {@code
 * store}, then {@code preflight}, {@code facts} and {@code monitoring}, which do not use each
 * other.
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
 *   <li>fetch: further batches, with their round trips, and their decoding. When the first batch
 *       was all there was, this phase did not occur.
 * </ul>
 *
 * <p>Every document is decoded into the same record as a row of PostgreSQL: {@link
 * io.shardload.driver.mongodb.client.RowCodec}. The BSON of the transactions is in one place:
 * {@link io.shardload.driver.mongodb.store.Statements}. An update counts the documents that it
 * matched, as PostgreSQL does: setting a field to the value that it has is a row there, too.
 *
 * <p>Time limits: a find carries {@code maxTimeMS}, the statement timeout. A write cannot: the
 * driver sends it only under its own operation timeout ({@code withTimeout}), which is not a stable
 * interface yet and takes away {@code wtimeout}. So a write's wait for other members is bounded by
 * {@code wtimeout} (the statement timeout unless set), and the socket gives up 5 s after the
 * statement timeout; the wait before verification finds out whether the server still works on it;
 * if the server does not list its clients, the result of the verification reports this. FerretDB
 * 1.24 supports maxTimeMS only for finds; mongo-java-server ignores it.
 *
 * <p>Retries are the harness's own, counted and inside the service time. Those of the driver would
 * hide failures and make one call two statements, so they are off unless {@code retry-reads} or
 * {@code retry-writes} says otherwise.
 */
package io.shardload.driver.mongodb;
