/**
 * What the server reports about itself, for the run bundle: settings, durability, machines,
 * connected clients, query plans, storage and how far replicas are behind. On Citus the nodes are
 * asked, too. Nothing here is part of a timed transaction, and nothing writes.
 */
package io.shardload.driver.postgresql.facts;
