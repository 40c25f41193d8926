package io.shardload.driver.noop;

import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The data set's record in this JVM's memory. */
final class MemoryDataSets implements DataSetStore {
  private record Place(long generation, int chunk) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byGeneration = Long.compare(generation, other.generation);
      return byGeneration != 0 ? byGeneration : Integer.compare(chunk, other.chunk);
    }
  }

  private Header header;
  private final Map<Place, byte[]> chunks = new TreeMap<>();

  @Override
  public synchronized Optional<Header> header() {
    return Optional.ofNullable(header);
  }

  @Override
  public synchronized void create(Header first) throws CallFailure {
    if (header != null) {
      throw new CallFailure(CallFailure.DUPLICATE_KEY, true, false, "a header already exists");
    }
    header = first;
  }

  @Override
  public synchronized boolean replace(Header expected, Header next) {
    if (!expected.equals(header)) {
      return false;
    }
    header = next;
    return true;
  }

  @Override
  public synchronized void raiseHighWater(long highWater) {
    if (header != null && header.highWater() < highWater) {
      header = header.withHighWater(highWater);
    }
  }

  @Override
  public synchronized void writeChunk(long generation, int chunk, byte[] bytes) {
    chunks.put(new Place(generation, chunk), bytes.clone());
  }

  @Override
  public synchronized Optional<byte[]> readChunk(long generation, int chunk) {
    return Optional.ofNullable(chunks.get(new Place(generation, chunk))).map(byte[]::clone);
  }

  @Override
  public Map<String, DataObject> look(List<String> names) {
    return Map.of();
  }

  @Override
  public boolean empty(DataObject table) {
    return true;
  }

  @Override
  public synchronized void keepOnly(long generation) {
    chunks.keySet().removeIf(place -> place.generation() != generation);
  }
}
