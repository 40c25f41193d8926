/**
 * The verification that compares every row of the target with what was acknowledged. {@code
 * docs/verification.md} states its findings, and what it proves.
 *
 * <p>A run makes the data set dirty before its first write. {@code verify} replays the run's
 * journals on the states at which it began, reads the whole table, and, if no document is wrong,
 * writes the settled states under the next generation and flips the header to clean. If documents
 * are wrong, states and journals stay unchanged, so that the same findings are reported again.
 *
 * <p>The journal of a generator that was cut off (no final ledger line, or a torn last block) lacks
 * up to its last second. In such a run, every state that a legal continuation of the journal could
 * have left is settled: a live document may have a higher edition, if its content matches that
 * edition, or may be deleted; an ordinal below the high-water mark may be new. Documents that were
 * deleted or withdrawn have no continuation. For each such generator, verification accepts at most
 * as many of these documents as {@link io.shardload.verify.Journals} derives from its schedule; all
 * others are findings. A document that disappeared without a delete in that last second cannot be
 * distinguished.
 *
 * <p>A generator that left neither journal nor ledger did not begin, if the documents are unchanged
 * since before the run. If they changed, both files are lost, and the run is not verifiable. A
 * journal that is damaged before its end was not cut off but altered, and is refused.
 *
 * <p>{@link io.shardload.verify.Verifier} chooses the documents to read. For a workload from files
 * there are no journals; {@link io.shardload.verify.CheckedRun} runs the workload's checks instead.
 */
package io.shardload.verify;
