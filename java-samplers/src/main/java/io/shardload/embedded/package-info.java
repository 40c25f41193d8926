/**
 * Real database servers from Maven artifacts, started next to this process: for the embedded
 * targets and for tests.
 *
 * <p>Each server listens on 127.0.0.1 only (Redis on the address that it is given), and stops when
 * the process that started it ends, in any way. This package is left out of the JMeter plugin.
 */
package io.shardload.embedded;
