/**
 * Runs the scripts of a page once, without a browser: what they draw becomes markup.
 *
 * <p>The only importer of Rhino. {@link io.shardload.report.still.Drawing} runs the scripts over a
 * document of our own ({@code report/still.js}), {@link io.shardload.report.still.Markup} writes
 * what they drew as HTML.
 *
 * <p>The scripts reach no Java class, no file and no network. They draw the same as in a browser,
 * for they are the same; {@code STILL} in {@code report/base.js} says where they leave controls
 * out.
 */
package io.shardload.report.still;
