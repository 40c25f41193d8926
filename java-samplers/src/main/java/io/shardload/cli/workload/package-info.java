/** The verb that looks at a workload's folder. */
package io.shardload.cli.workload;
