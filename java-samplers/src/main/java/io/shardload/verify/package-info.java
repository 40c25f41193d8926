/**
 * The verification that compares every row of the target with what was acknowledged.
 *
 * <p>A run makes the data set dirty before its first write. {@code verify} replays the run's
 * journals on the states at which it began, reads the whole table, and, if no document is wrong,
 * writes the settled states under the next generation and flips the header to clean.
 *
 * <p>Wrong documents leave the data set dirty, with states and journals as they were: the evidence
 * stays, {@code shardload verify} finds the same again, and the only way on is {@code shardload
 * load --recreate --discard-unsettled RUN}.
 *
 * <p>Unknown outcomes (writes that timed out or were cut off) allow both answers and are settled by
 * what is there. The journal of a generator that was cut off (kill -9: no final ledger line, or a
 * torn last block) misses up to its last second, in which it may have written more. So in such a
 * run, whatever a legal continuation of the journal could have left is settled likewise: a live
 * document may be at a higher edition, if its content is of that edition, or gone; an ordinal below
 * the high-water mark may be new. Documents that were deleted or withdrawn have no continuation. No
 * more such documents are accepted for each generator that was cut off than {@link
 * io.shardload.verify.Tolerance} makes of its schedule; all others are findings. How many were
 * stands in {@code tolerated_after_cut_off}, and {@code settled_unknown} includes them. That a
 * document vanished which nobody deleted in that last second cannot be told apart.
 *
 * <p>Each journal says of which run, generator, number of generators and mark it is. Where one is
 * missing although its generator left a ledger, or is that of another run or of an older version,
 * nothing is compared: the verdict is {@code not run} with the reason {@code not verifiable}, and
 * the data set stays dirty. A generator that left neither journal nor ledger has not begun, if the
 * documents are those from before the run; if they are not, both files are lost, and that is not
 * verifiable either. A journal that is damaged before its end was not cut off but altered, and is
 * refused.
 *
 * <p>{@link io.shardload.verify.Scope} says which documents are read. Of everything, several parts
 * are read at the same time. Of what the run wrote, only those whose state the run has changed, or
 * whose outcome is unknown, are read by key and settled; all others keep their state. An insert
 * that is in no journal is not seen then, so a journal without its end makes everything be read.
 *
 * <p>Of a workload from files nobody follows the documents: there are no journals and nothing is
 * read back. {@link io.shardload.verify.checked} asks the workload's checks instead, with the
 * counts of the ledgers, and keeps these counts beside the data for the checks of later runs.
 */
package io.shardload.verify;
