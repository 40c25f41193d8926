package io.shardload.verify;

import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Restores parts of the data set's header that the database has lost, for example in a failover to
 * a standby that lagged behind. The values come from the run's bundle. Without the repair the next
 * run would use ordinals again.
 */
final class HeaderRepair {
  private final DataSetStore store;
  private final List<String> lost = new ArrayList<>();

  HeaderRepair(DataSetStore store) {
    this.store = store;
  }

  /**
   * Marks the data set again for the run of a bundle if the header is from before that run. Every
   * settlement ends a generation, so a settled run is never mistaken for a lost run.
   */
  Header marked(Header header, Path bundle) throws CallFailure, IOException {
    boolean setBack =
        Journals.any(bundle)
            && BegunRun.read(bundle).filter(begun -> begun.lostIn(header)).isPresent();
    return setBack ? mark(header, bundle) : header;
  }

  private Header mark(Header header, Path bundle) throws CallFailure {
    String run = bundle.toAbsolutePath().normalize().getFileName().toString();
    lost.add("the database had lost the mark of run %s on the data set".formatted(run));
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
        "the database had lost the latest high-water mark: it held %d, but ordinals up to %d were used"
            .formatted(header.highWater(), used - 1));
    return replaced(header, header.withHighWater(used));
  }

  private Header replaced(Header header, Header next) throws CallFailure {
    if (!store.replace(header, next)) {
      throw new CallFailure(
          "header-changed", true, false, "another process changed the header at the same time");
    }
    return next;
  }

  /** What was lost and restored, followed by the server's caveat; or empty. */
  String words(String caveat) {
    List<String> all = new ArrayList<>(lost);
    if (!caveat.isEmpty()) {
      all.add(caveat);
    }
    return String.join("; ", all);
  }
}
