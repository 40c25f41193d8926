package io.shardload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionTest {
  @Test
  void classFoldersHaveNoManifestAndSaySo() {
    assertThat(Version.current()).isEqualTo("development");
  }
}
