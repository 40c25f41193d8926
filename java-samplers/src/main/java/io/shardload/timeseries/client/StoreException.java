package io.shardload.timeseries.client;

import java.io.IOException;

/** The store did not do what it was asked. The message is one line and contains no secret. */
public final class StoreException extends IOException {
  private static final long serialVersionUID = 1L;

  public StoreException(String message) {
    super(message);
  }
}
