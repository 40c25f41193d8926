/** What drivers may offer for comparing the harness with a plain loop on the client library. */
package io.shardload.workload.statements.baseline;
