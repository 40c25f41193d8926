/**
 * Makes a workload folder of existing tables. Texts of rows never leave the server: of them only
 * lengths and numbers of distinct values are asked.
 */
package io.shardload.driver.postgresql.statements.draft;
