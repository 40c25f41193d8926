/**
 * Which ordinals exist, who owns them, what is known of each, and which one an arrival gets.
 *
 * <p>With a skewed distribution the number of ranks is that of the live documents when the run
 * begins. Each rank has a slot that holds a document. When the document is deleted, when nobody
 * knows what a write did to it, or when it has reached the highest edition, the slot takes the
 * document that this run inserted first and that has no slot yet; without such documents it takes
 * that of another slot. So the skew stays, whatever is deleted and inserted, and an arrival draws
 * the same rank on every target. A write whose document another write holds moves its slot on to
 * another document, too: two writes never meet on one document.
 */
package io.shardload.keys;
