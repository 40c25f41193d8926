/**
 * The verification that compares every row of the target with what was acknowledged.
 *
 * <p>A run makes the data set dirty before its first write. {@code verify} replays the run's
 * journals on the states at which it began, reads the whole table, and, if no document is wrong,
 * writes the settled states under the next generation and flips the header to clean.
 *
 * <p>If documents are wrong, the data set stays dirty, with states and journals unchanged. The
 * evidence is preserved, {@code shardload verify} reports the same findings again, and the only way
 * forward is {@code shardload load --recreate --discard-unsettled RUN}.
 *
 * <p>Unknown outcomes (writes that timed out or were cut off) allow both answers; the rows found on
 * the target settle them. The journal of a generator that was cut off (kill -9: no final ledger
 * line, or a torn last block) lacks up to its last second, in which the generator may have written
 * more. In such a run, every state that a legal continuation of the journal could have left is
 * settled likewise: a live document may have a higher edition, if its content matches that edition,
 * or may be deleted; an ordinal below the high-water mark may be new. Documents that were deleted
 * or withdrawn have no continuation. For each generator that was cut off, verification accepts at
 * most as many such documents as {@link io.shardload.verify.Journals} derives from its schedule;
 * all others are findings. Their number is in {@code tolerated_after_cut_off}, and {@code
 * settled_unknown} includes them. A document that disappeared without a delete in that last second
 * cannot be distinguished.
 *
 * <p>Each journal names its run, its generator, the number of generators and the high-water mark.
 * If a journal is missing although its generator left a ledger, or if it belongs to another run or
 * another version, nothing is compared: the verdict is {@code not run} with the reason {@code not
 * verifiable}, and the data set stays dirty. A generator that left neither journal nor ledger did
 * not begin, if the documents are unchanged since before the run. If they changed, both files are
 * lost, and the run is not verifiable either. A journal that is damaged before its end was not cut
 * off but altered, and is refused.
 *
 * <p>{@link io.shardload.verify.Verifier} chooses the documents to read. To read all documents,
 * several parts are read in parallel. To read only what the run wrote, the documents whose state
 * the run changed, or whose outcome is unknown, are read by key and settled; all others keep their
 * state. This misses an insert that is in no journal, so if a journal lacks its end, all documents
 * are read.
 *
 * <p>For a workload from files, single documents are not tracked: there are no journals and nothing
 * is read back. Instead {@link io.shardload.verify.CheckedRun} runs the workload's checks with the
 * counts of the ledgers, and stores these counts next to the data for the checks of later runs.
 */
package io.shardload.verify;
