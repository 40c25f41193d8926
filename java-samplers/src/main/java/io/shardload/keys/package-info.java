/**
 * Which ordinals exist, who owns them, the known state of each, and which ordinal an arrival gets.
 *
 * <p>With a skewed distribution the number of ranks equals the number of live documents when the
 * run begins. Each rank has a slot that holds a document. When the document is deleted, when the
 * outcome of a write is unknown, or when it has reached the highest edition, the slot takes the
 * first document that this run inserted and that has no slot yet. If there is none, the slot takes
 * the document of another slot. So the skew stays, whatever is deleted and inserted, and an arrival
 * draws the same rank on every target. If another write holds the document of a write, the slot
 * also moves to another document: two writes never use the same document at the same time.
 */
package io.shardload.keys;
