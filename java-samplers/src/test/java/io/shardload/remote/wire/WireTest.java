package io.shardload.remote.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.histogram.SlotCounts;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WireTest {
  private static JsonObject json(String key, long value) {
    JsonObject json = new JsonObject();
    json.addProperty(key, value);
    return json;
  }

  private static SlotCounts counts(long... slotsAndCounts) {
    SlotCounts counts = new SlotCounts();
    for (int i = 0; i < slotsAndCounts.length; i += 2) {
      counts.add((int) slotsAndCounts[i], slotsAndCounts[i + 1]);
    }
    return counts;
  }

  private static Message.Second second() {
    return new Message.Second(
        300,
        json("seq", 7),
        List.of(
            new Message.Histogram("a/b/c", counts(0, 1, 1, 2, 500, 130)),
            new Message.Histogram("hold/find/service", counts(20_000, Long.MAX_VALUE))),
        1L << 40,
        new byte[] {1, 2, 3});
  }

  private static final List<Message> ALL =
      List.of(
          new Message.Hello(0, json("pid", 12)),
          second(),
          new Message.Beat(2, 5_000_000_000L),
          new Message.Segments(3, 262_144, "Tag=".getBytes(UTF_8)),
          new Message.Final(4, json("seq", 60), 12_345, 0),
          new Message.Trouble(5, "target.password-env", "variable \u00c4 is not set", 1));

  /** Mutation: change any number of the encoding, and older hosts misread it in silence. */
  @Test
  void theEncodingIsFixed() {
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(WireEncoder.encode(new Message.Beat(300, 1_000))))
        .isEqualTo("0103ac02e807");
    assertThat(hex.formatHex(WireEncoder.encode(new Message.Hello(0, json("a", 1)))))
        .isEqualTo("01010007" + hex.formatHex("{\"a\":1}".getBytes(UTF_8)));
    assertThat(hex.formatHex(WireEncoder.encode(new Message.Segments(1, 128, new byte[] {9, 8}))))
        .isEqualTo("0104018001020908");
    assertThat(hex.formatHex(WireEncoder.encode(new Message.Final(1, json("a", 1), 3, 4))))
        .isEqualTo("01050107" + hex.formatHex("{\"a\":1}".getBytes(UTF_8)) + "0304");
    assertThat(hex.formatHex(WireEncoder.encode(new Message.Trouble(1, "k", "m", 2))))
        .isEqualTo("010601016b016d02");
    // Slot 0 once; slot 1 three times; 498 empty slots, then one with 130 values.
    Message.Second second =
        new Message.Second(
            1,
            json("a", 1),
            List.of(new Message.Histogram("t", counts(0, 1, 1, 3, 500, 130))),
            5,
            new byte[] {7});
    assertThat(hex.formatHex(WireEncoder.encode(second)))
        .isEqualTo(
            "01020107"
                + hex.formatHex("{\"a\":1}".getBytes(UTF_8))
                + "05"
                + "0107"
                + "01"
                + "0174"
                + "03"
                + "00"
                + "0101"
                + "e5078001");
  }

  @Test
  void everyMessageComesBackAsItWas() {
    for (Message message : ALL) {
      Message back = WireDecoder.decode(WireEncoder.encode(message));
      assertThat(WireEncoder.encode(back)).isEqualTo(WireEncoder.encode(message));
      assertThat(back).hasSameClassAs(message);
      assertThat(back.generator()).isEqualTo(message.generator());
    }
    Message.Second back = (Message.Second) WireDecoder.decode(WireEncoder.encode(second()));
    assertThat(back.histograms())
        .extracting(Message.Histogram::tag)
        .containsExactly("a/b/c", "hold/find/service");
    assertThat(back.histograms())
        .extracting(histogram -> histogram.counts().total())
        .containsExactly(133L, Long.MAX_VALUE);
  }

  /** Mutation: leave out a slot, or one value of it. */
  @Test
  void aPackedSecondAddsTheSameHistograms() {
    byte[] bytes = WireEncoder.encode(second());
    Map<String, HistogramSum> sums = new HashMap<>();
    PackedSecond packed = PackedSecond.read(bytes);
    assertThat(packed.generator()).isEqualTo(300);
    assertThat(packed.line()).isEqualTo(json("seq", 7));
    assertThat(packed.journalOffset()).isEqualTo(1L << 40);
    assertThat(packed.journal()).containsExactly(1, 2, 3);
    packed.addTo(tag -> sums.computeIfAbsent(tag, t -> new HistogramSum()));
    PackedSecond.read(bytes).addTo(tag -> sums.get(tag));
    assertThat(sums).containsOnlyKeys("a/b/c", "hold/find/service");
    SlotCounts twice = new SlotCounts();
    sums.get("a/b/c").copyTo(twice);
    assertThat(WireEncoder.encode(of(twice)))
        .isEqualTo(WireEncoder.encode(of(counts(0, 2, 1, 4, 500, 260))));
    assertThat(sums.get("a/b/c").total()).isEqualTo(266);
    assertThat(PackedSecond.read(WireEncoder.encode(new Message.Beat(1, 2)))).isNull();
  }

  private static Message.Second of(SlotCounts counts) {
    List<Message.Histogram> one = List.of(new Message.Histogram("t", counts));
    return new Message.Second(0, new JsonObject(), one, 0, new byte[0]);
  }

  @Test
  void whatIsCutOffIsRefused() {
    for (Message message : ALL) {
      byte[] bytes = WireEncoder.encode(message);
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThatThrownBy(() -> WireDecoder.decode(cut)).isInstanceOf(WireException.class);
      }
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
      assertThatThrownBy(() -> WireDecoder.decode(longer)).isInstanceOf(WireException.class);
    }
    byte[] bytes = WireEncoder.encode(second());
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> PackedSecond.read(cut).addTo(tag -> new HistogramSum()))
          .isInstanceOf(WireException.class);
    }
  }

  @Test
  void otherVersionsKindsAndSlotsAreRefused() {
    assertThatThrownBy(() -> WireDecoder.decode(HexFormat.of().parseHex("0203ac02e807")))
        .isInstanceOf(WireException.class)
        .hasMessage("a message has version 2, not 1");
    assertThatThrownBy(() -> WireDecoder.decode(HexFormat.of().parseHex("0107ac02e807")))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("unknown kind 7");
    assertThatThrownBy(() -> WireDecoder.decode(HexFormat.of().parseHex("010100025b5d")))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("no readable JSON object");
    byte[] beyond = WireEncoder.encode(of(counts(60_000, 1)));
    assertThatThrownBy(() -> WireDecoder.decode(beyond))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("no slot 60000");
    assertThatThrownBy(() -> PackedSecond.read(beyond).addTo(tag -> new HistogramSum()))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("no slot 60000");
  }
}
