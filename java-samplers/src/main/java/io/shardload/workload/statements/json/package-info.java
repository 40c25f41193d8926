/** Reads files of MongoDB's commands and collections in extended JSON. */
package io.shardload.workload.statements.json;
