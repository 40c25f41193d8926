package io.shardload.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A file system in a file. What its users have not flushed can be taken away, as a machine that
 * loses its power does: the page cache is above the file, because the loop device writes to it
 * directly. Linux alone, and only for root.
 */
public final class LoopDisk implements AutoCloseable {
  private static final int MOST_COPIES = 20;

  private final Path image;
  private final Path mount;
  private final EmbeddedPostgres.DirectoryLock lock;
  private String device;

  private LoopDisk(Path home, EmbeddedPostgres.DirectoryLock lock) {
    this.image = home.resolve("disk.img");
    this.mount = home.resolve("disk");
    this.lock = lock;
  }

  /**
   * Mounts the file system of a directory, which is made the first time.
   *
   * @param size as truncate(1) takes it
   * @throws EmbeddedServerException another process uses it, or this user may not mount
   */
  public static LoopDisk mount(Path directory, String size) {
    try {
      Path home = PostgresBinaries.createReadable(directory.toAbsolutePath()).toRealPath();
      LoopDisk disk = new LoopDisk(home, EmbeddedPostgres.DirectoryLock.take(home));
      try {
        disk.leave();
        disk.make(size);
        disk.enter();
        return disk;
      } catch (IOException | RuntimeException e) {
        disk.lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw new EmbeddedServerException("cannot use " + directory + ": " + e, e);
    }
  }

  /** Where it is mounted; the same after {@link #loseUnflushed}. */
  public Path path() {
    return mount;
  }

  private void make(String size) throws IOException {
    if (!Files.exists(image)) {
      Path partial = Path.of(image + ".new");
      require("truncate", "--size=" + size, partial.toString());
      require("mkfs.ext4", "-q", "-F", partial.toString());
      Files.move(partial, image);
    }
    PostgresBinaries.createReadable(mount);
  }

  private void enter() {
    device = require("losetup", "--find", "--show", "--direct-io=on", image.toString()).strip();
    require("mount", device, mount.toString());
    require("chmod", "755", mount.toString());
  }

  /** Also what an earlier process left mounted. It is lazy, because log and lock may be open. */
  private void leave() {
    while (Commands.run(List.of("mountpoint", "--quiet", mount.toString()), "").succeeded()) {
      require("umount", "--lazy", mount.toString());
    }
    Commands.run(List.of("losetup", "--associated", image.toString()), "")
        .output()
        .lines()
        .map(line -> line.substring(0, Math.max(0, line.indexOf(':'))))
        .filter(name -> !name.isEmpty())
        .forEach(name -> Commands.run(List.of("losetup", "--detach", name), ""));
  }

  /** Flushes everything: files of the server's set-up, which nobody flushes, must not be lost. */
  public void flush() {
    require("sync", "--file-system", mount.toString());
  }

  /**
   * Copies what the device holds; what is only in the page cache is not in the copy. Its users must
   * stand still.
   */
  public void copy() throws IOException {
    // The kernel flushes by itself now and then: a copy during which it did was never on the disk.
    for (int attempt = 1; attempt <= MOST_COPIES; attempt++) {
      String before = writes();
      require("cp", "--sparse=always", image.toString(), copied().toString());
      if (writes().equals(before)) {
        return;
      }
    }
    throw new IOException("the kernel wrote during each copy of " + image);
  }

  /** Mounts what was copied in place of what is there. Its users must have ended. */
  public void loseUnflushed() throws IOException {
    leave();
    Files.move(copied(), image, StandardCopyOption.REPLACE_EXISTING);
    enter();
  }

  private Path copied() {
    return Path.of(image + ".copy");
  }

  /** Completed and running writes, the fifth and ninth figure of the kernel's statistics. */
  private String writes() throws IOException {
    String name = Path.of(device).getFileName().toString();
    String[] figures =
        Files.readString(Path.of("/sys/block", name, "stat")).strip().split("\\s+", -1);
    return figures[4] + "/" + figures[8];
  }

  private static String require(String... command) {
    return Commands.require(
        "a file system in a file needs root and loop devices: " + command[0], List.of(command), "");
  }

  @Override
  public void close() {
    leave();
    lock.close();
  }
}
