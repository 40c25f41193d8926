/**
 * The driver {@code noop}: a target without a server. It answers every call, after a service time
 * that its options plan to the nanosecond, and keeps no data; so it shows the cost of the harness
 * itself, and whether the measurement is right for known times.
 *
 * <p>Phases: connect takes no time, search is the planned time, fetch of finds takes none. Every
 * find returns {@code DocumentStore.UNJUDGED}, one row that is not judged; every write changes one
 * row. Statements from files return no rows, and their expectations are not checked. The data set's
 * own record is kept in this JVM's memory alone, and there is nothing to verify.
 */
package io.shardload.driver.noop;
