/**
 * The driver {@code noop}: a target without a server. It answers every call after a service time
 * that its options set to the nanosecond, and it keeps no data. So it shows the cost of the harness
 * itself, and whether the measurement of a known time is right.
 *
 * <p>Phases: connect takes no time, search takes the planned time, fetch takes no time. Statements
 * return no rows, and their expectations are not checked: each call counts as one row. The data
 * set's own record is kept only in the memory of this JVM, and there is nothing to verify.
 */
package io.shardload.driver.noop;
