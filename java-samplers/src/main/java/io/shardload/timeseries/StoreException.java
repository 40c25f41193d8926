package io.shardload.timeseries;

import java.io.IOException;

/** A request to the store failed. The message is one line and contains no secret. */
public final class StoreException extends IOException {
  private static final long serialVersionUID = 1L;

  public StoreException(String message) {
    super(message);
  }
}
