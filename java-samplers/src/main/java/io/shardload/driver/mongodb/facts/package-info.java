/**
 * What the server reports about itself, for the run bundle: settings, durability, machines,
 * connected clients, query plans and storage. Nothing here is part of a timed transaction, and
 * nothing writes.
 */
package io.shardload.driver.mongodb.facts;
