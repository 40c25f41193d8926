/** Command documents of MongoDB in JSON files: the allowed commands and fields. */
package io.shardload.workload.statements.json;
