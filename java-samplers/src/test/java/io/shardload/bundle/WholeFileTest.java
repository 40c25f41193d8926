package io.shardload.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
  @TempDir Path folder;

  @Test
  void replacesAFileAndLeavesNoOther() throws IOException {
    Path file = Files.writeString(folder.resolve("x.json"), "old");
    WholeFile.writeJson(file, BundleFixture.parse("{'a':null,'b':'<=>'}"));
    assertThat(file).hasContent("{\n  \"a\": null,\n  \"b\": \"<=>\"\n}\n");
    assertThat(folder).isDirectoryContaining(file::equals).isDirectoryNotContaining("glob:**.part");
  }

  @Test
  void leavesTheOldFileWhenItCannotWrite() throws IOException {
    Path file = Files.writeString(folder.resolve("x.json"), "old");
    // A lone surrogate has no encoding in UTF-8; it comes after text that fills the buffer.
    String unwritable = "x".repeat(100_000) + "\ud800";
    assertThatThrownBy(() -> WholeFile.write(file, unwritable)).isInstanceOf(IOException.class);
    assertThat(file).hasContent("old");
    assertThat(folder).isDirectoryNotContaining("glob:**.part");
  }

  @Test
  void aLinkInABundleFromElsewhereLeadsNowhere() throws IOException {
    Path outside = Files.writeString(folder.resolve("outside"), "precious");
    Path bundle = Files.createDirectory(folder.resolve("bundle"));
    Files.createSymbolicLink(bundle.resolve("x.json"), outside);
    Files.createSymbolicLink(bundle.resolve("x.json.part"), outside);
    WholeFile.write(bundle.resolve("x.json"), "new");
    assertThat(outside).hasContent("precious");
    assertThat(bundle.resolve("x.json")).hasContent("new");
    assertThat(Files.isSymbolicLink(bundle.resolve("x.json"))).isFalse();
  }
}
