/** Command documents of MongoDB in JSON files: which commands and fields there may be. */
package io.shardload.workload.statements.json;
