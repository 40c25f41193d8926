package io.shardload.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.FaultsFile.Event;
import io.shardload.bundle.FaultsFile.Fault;
import io.shardload.bundle.FaultsFile.Kind;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultsFileTest {
  @ParameterizedTest
  @CsvSource({
    // An outage over the end, and one that ends before it, as in a failover.
    "begin 10 begun 11 no-answer 12 end 20 ended 21 answers 22, 22",
    "begin 10 begun 11 no-answer 12 answers 15 end 20 ended 21, 15",
    // The server answers for a moment only.
    "begin 10 begun 11 no-answer 12 answers 15 no-answer 16 end 20 ended 21 answers 30, 30",
    // Slow checks of a busy machine, before the begin and long after the end.
    "no-answer 5 answers 6 begin 10 no-answer 12 end 20 answers 22 no-answer 50 answers 51, 22",
    "no-answer 5 answers 6 begin 10 begun 11 end 20 ended 21 no-answer 50 answers 51, null",
    "begin 10 begun 11 no-answer 12 end 20 ended 21, null",
    // The load ended first.
    "begin 10 begun 11 no-answer 12 answers 15, 15",
  })
  void theServerAnswersAgain(String events, String expected) {
    String[] words = events.split(" ", -1);
    List<Event> all =
        Stream.iterate(0, i -> i < words.length, i -> i + 2)
            .map(i -> new Event(kind(words[i]), "kill", 0, Long.parseLong(words[i + 1]), ""))
            .toList();
    assertThat(String.valueOf(new Fault("kill", all).answersNanos())).isEqualTo(expected);
  }

  private static Kind kind(String word) {
    return Kind.valueOf(word.replace('-', '_').toUpperCase(Locale.ROOT));
  }
}
