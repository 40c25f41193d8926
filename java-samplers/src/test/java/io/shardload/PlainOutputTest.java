package io.shardload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import org.junit.jupiter.api.Test;

class PlainOutputTest {
  @Test
  void whatControlsTerminalsIsReplaced() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = PlainOutput.to(bytes);
    out.print("a\tb\u001b[2J\u009b31m\u007f\u202e\u2066\r");
    out.write(7);
    new IllegalStateException("evil \u001b]0;PWNED\u0007").printStackTrace(out);
    assertThat(bytes.toString(Charset.defaultCharset()))
        .startsWith("a\tb\uFFFD[2J\uFFFD31m" + "\uFFFD".repeat(5) + "java.lang.Ill")
        .contains("evil \uFFFD]0;PWNED\uFFFD\n\tat io.shardload.PlainOutputTest")
        .doesNotContain("\u001b", "\u0007");
  }
}
