/**
 * The workload document-store: its content, its ten transactions and the ports that drivers
 * implement.
 *
 * <p>The arrival determines the arguments of a transaction. The seed and the arrival's number give
 * a stream of draws, the same on every target; its first draw chooses the transaction. Then
 *
 * <ol>
 *   <li>with uniform keys a find, an update and a delete draw until they find an ordinal that is
 *       live and that no write holds at that moment; with zipfian keys they draw one rank, and the
 *       rank's slot holds the ordinal (see {@code io.shardload.keys}); an insert takes the next
 *       ordinal that was never used;
 *   <li>the ordinal and its edition give the content, and with it id and filters, as a pure
 *       function of the seed; an update writes the next edition;
 *   <li>a list takes the document's own value first and draws the others.
 * </ol>
 *
 * <p>So two targets with one seed get the same arrivals, transactions and draws ({@code
 * schedule_hash} in summary.json), and the same arguments as long as the same ordinals, and equally
 * many, are live. This always holds with one worker and equal outcomes. With several workers, the
 * order of writes and the known outcomes depend on the target, so a draw may select another
 * document of the same kind. A zipfian rank depends on the arrival alone.
 */
package io.shardload.workload.documentstore;
