package io.shardload.workload.statements;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * SHA-256 over everything that determines the data: a different hash means different tables or
 * rows.
 */
public final class Fingerprint {
  private final MessageDigest digest;

  public Fingerprint() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** Adds a text and an end marker. */
  public Fingerprint add(String text) {
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
    return this;
  }

  /** Adds the statements that create the tables; comments and positions do not count. */
  public Fingerprint add(List<Statement> schema) {
    for (Statement statement : schema) {
      add(
          statement instanceof SqlStatement sql
              ? sql.with("?")
              : ((CommandStatement) statement).command().toString());
    }
    return this;
  }

  /** Adds the contents of the CSV files whose values the columns use. */
  public Fingerprint addFiles(Path folder, JsonElement section) {
    if (section instanceof JsonObject object) {
      JsonElement file = object.get("file");
      if (file != null && file.isJsonPrimitive()) {
        addFile(folder.resolve(file.getAsString()));
      }
      object.asMap().values().forEach(value -> addFiles(folder, value));
    }
    return this;
  }

  private void addFile(Path file) {
    try {
      digest.update(Files.readAllBytes(file));
      digest.update((byte) 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the hash in hexadecimal; the fingerprint must not be used afterwards. */
  public String hex() {
    return HexFormat.of().formatHex(digest.digest());
  }
}
