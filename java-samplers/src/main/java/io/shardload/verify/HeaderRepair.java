package io.shardload.verify;

import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts back what a database has lost of the data set's header, as in a failover to a standby that
 * lagged behind, from what the run's bundle knows: otherwise the next run would use ordinals again.
 */
final class HeaderRepair {
  private final DataSetStore store;
  private final List<String> lost = new ArrayList<>();

  HeaderRepair(DataSetStore store) {
    this.store = store;
  }

  /**
   * Marks the data set again for the run that a bundle is of, where the header is that from before
   * it. Every settlement ends a generation, so no settled run is taken for a lost one.
   */
  Header marked(Header header, Path bundle) throws CallFailure, IOException {
    boolean setBack =
        Journals.any(bundle)
            && BegunRun.read(bundle).filter(begun -> begun.lostIn(header)).isPresent();
    return setBack ? mark(header, bundle) : header;
  }

  private Header mark(Header header, Path bundle) throws CallFailure {
    String run = bundle.toAbsolutePath().normalize().getFileName().toString();
    lost.add("the database had lost that run %s had marked the data set".formatted(run));
    return replaced(header, header.dirtiedBy(run));
  }

  /** The same for a run that keeps no journal. */
  Header markedByLedger(Header header, Path bundle) throws CallFailure, IOException {
    boolean setBack = BegunRun.read(bundle).filter(begun -> begun.lostIn(header)).isPresent();
    return setBack ? mark(header, bundle) : header;
  }

  /** Raises the mark above every ordinal that the run's journals name. */
  Header raised(Header header, long used) throws CallFailure {
    if (used <= header.highWater()) {
      return header;
    }
    lost.add(
        "the database had lost the mark of used ordinals: it held %d, but ordinals up to %d were used"
            .formatted(header.highWater(), used - 1));
    return replaced(header, header.withHighWater(used));
  }

  private Header replaced(Header header, Header next) throws CallFailure {
    if (!store.replace(header, next)) {
      throw new CallFailure(
          "header-changed", true, false, "another process changed the header meanwhile");
    }
    return next;
  }

  /** What was lost and is put back, with what else the server could not tell; or empty. */
  String words(String caveat) {
    List<String> all = new ArrayList<>(lost);
    if (!caveat.isEmpty()) {
      all.add(caveat);
    }
    return String.join("; ", all);
  }
}
