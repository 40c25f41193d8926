package io.shardload.workload.statements.port;

/**
 * How a system cuts SQL into words and literals, as far as systems differ.
 *
 * @param quotes the characters that quote a literal or a name
 * @param backslashes whether a backslash escapes in every quoted text; otherwise only in a literal
 *     after the letter E
 * @param dollars whether {@code $tag$} quotes a literal
 * @param hashes whether {@code #} begins a comment, and {@code --} only before white space
 * @param nested whether a comment may be within another
 * @param operators whether a question mark is an operator
 */
public record SqlRules(
    String quotes,
    boolean backslashes,
    boolean dollars,
    boolean hashes,
    boolean nested,
    boolean operators) {}
