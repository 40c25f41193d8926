package io.shardload.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.hosts.HostSample.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicesTest {
  private static final Path DASHBOARD = Path.of("..", "grafana", "dashboards", "hosts.json");
  private static final Pattern NETWORK_FILTER =
      Pattern.compile("node_network[^{]*\\{[^}]*device!~\"([^\"]*)\"");

  private static final String STAT =
      """
      cpu  1000 20 300 50000 700 5 60 40 900 0
      cpu0 500 10 150 25000 350 3 30 20 450 0
      cpu1 500 10 150 25000 350 2 30 20 450 0
      intr 67603778 0 0 9
      ctxt 1
      """;

  /** A file system in LVM on a partition, beside an unused CD drive and a loop device. */
  private static final String LVM =
      """
         8       0 sda 1000 20 16000 3000 2000 40 64000 5000 0 4500 8000 0 0 0 0 3 1
         8       1 sda1 10 0 80 30 0 0 0 0 0 30 30 0 0 0 0 0 0
         8       2 sda2 990 20 15920 2970 2000 40 64000 5000 0 4480 7970 0 0 0 0 0 0
       254       0 dm-0 1010 0 15920 3100 2040 0 64000 6100 0 4600 9200 0 0 0 0 0 0
        11       0 sr0 5 0 40 10 0 0 0 0 0 10 10 0 0 0 0 0 0
         7       0 loop0 70 0 560 8 0 0 0 0 0 8 8 0 0 0 0 0 0
      """;

  /** RAID 1 of two NVMe disks with a partition each; the kernel of 2018 has 14 fields. */
  private static final String RAID =
      """
       259       0 nvme0n1 100 0 800 50 300 0 9600 90 0 120 140
       259       1 nvme0n1p1 100 0 800 50 300 0 9600 90 0 120 140
       259       2 nvme1n1 40 0 320 20 300 0 9600 95 0 110 115
       259       3 nvme1n1p1 40 0 320 20 300 0 9600 95 0 110 115
         9     127 md127 140 0 1120 0 300 0 9600 0 0 0 0
       259       4 nvme0c0n1 100 0 800 50 300 0 9600 90 0 120 140
      """;

  private static final String NET =
      """
      Inter-|   Receive                                                |  Transmit
       face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs
          lo: 900000 44254832    0    0    0     0          0         0 900000 44254832    0    0
        eth0:%d     130    0    0    0     0          0         0 %d    86    0    0    0     0
      docker0: 500 10    0    0    0     0          0         0 600    9    0    0    0     0
      """;

  @TempDir Path proc;

  @Test
  void disks() {
    assertThat("sda sdab hdc vda xvdb nvme0n1 nvme12n3 mmcblk0 dasda rbd0 nbd1 pmem0".split(" "))
        .allMatch(Devices::isDisk);
  }

  @Test
  void whatRepeatsTheOperationsOfDisksIsNone() {
    assertThat(
            ("sda1 sdab12 vda3 xvda1 nvme0n1p2 nvme0c1n1 mmcblk0p1 dm-0 md127 loop7 ram0"
                    + " zram0 sr0 fd0 bcache0 drbd1 zd16 rbd0p1 nbd0p1 pmem0p1 dasda1 mmcblk0boot0")
                .split(" "))
        .noneMatch(Devices::isDisk);
  }

  @Test
  void networks() {
    assertThat("eth0 ens5 enp3s0f1 eno1 wlan0 ib0".split(" ")).allMatch(Devices::isNetwork);
  }

  @Test
  void whatPassesOnAnothersPacketsIsNone() {
    assertThat(
            ("lo eth0.100 veth12ab docker0 br-1f2e virbr0 cni0 tun0 wg0 bond0 team1 ifb0"
                    + " dummy0 vlan12 flannel.1")
                .split(" "))
        .noneMatch(Devices::isNetwork);
  }

  @Test
  void theDashboardHostsLeavesOutTheSame() throws IOException {
    JsonObject dashboard = BundleFixture.read(DASHBOARD);
    assertThat(constant(dashboard, "devices")).isEqualTo(Devices.NOT_DISKS);
    assertThat(networkFilters(dashboard)).containsExactly(Devices.NOT_NETWORKS);
  }

  private static String constant(JsonObject dashboard, String name) {
    for (JsonElement variable : dashboard.getAsJsonObject("templating").getAsJsonArray("list")) {
      if (variable.getAsJsonObject().get("name").getAsString().equals(name)) {
        return variable.getAsJsonObject().get("query").getAsString();
      }
    }
    throw new AssertionError("no variable " + name);
  }

  private static Set<String> networkFilters(JsonObject dashboard) {
    Set<String> filters = new TreeSet<>();
    for (JsonElement panel : dashboard.getAsJsonArray("panels")) {
      JsonElement targets = panel.getAsJsonObject().get("targets");
      for (JsonElement target :
          targets == null ? Set.<JsonElement>of() : targets.getAsJsonArray()) {
        Matcher filter = NETWORK_FILTER.matcher(target.getAsJsonObject().get("expr").getAsString());
        while (filter.find()) {
          filters.add(filter.group(1));
        }
      }
    }
    return filters;
  }

  @BeforeEach
  void everyFile() throws IOException {
    write("stat", STAT);
    write("diskstats", LVM);
    write("net/dev", NET.formatted(1000, 2000));
  }

  private void write(String file, String text) throws IOException {
    Files.createDirectories(proc.resolve(file).getParent());
    Files.writeString(proc.resolve(file), text);
  }

  private HostSample complete(ProcReader reader) {
    ProcReader.Reading reading = reader.read(() -> 4.5);
    assertThat(reading.missing()).isEmpty();
    return reading.sample();
  }

  // Files as Linux writes them.

  @Test
  void processorTimeWithoutIdleWaitingAndGuestsThatAreCountedAlready() {
    HostSample sample = complete(new ProcReader(proc));
    assertThat(sample.seconds()).isEqualTo(4.5);
    assertThat(sample.cores()).isEqualTo(2);
    assertThat(sample.cpuBusySeconds()).isEqualTo(14.25);
    assertThat(sample.ioWaitSeconds()).isEqualTo(7);
  }

  @Test
  void anOperationInLvmOnAPartitionIsCountedOnce() {
    assertThat(complete(new ProcReader(proc)).disks())
        .containsOnlyKeys("sda")
        .containsEntry("sda", new Disk(1000, 8_192_000, 3, 2000, 32_768_000, 5, 4.5));
  }

  @Test
  void aWriteToARaidIsCountedOnEachDiskAndNowhereElse() throws IOException {
    write("diskstats", RAID);
    assertThat(complete(new ProcReader(proc)).disks())
        .containsOnlyKeys("nvme0n1", "nvme1n1")
        .containsEntry("nvme1n1", new Disk(40, 163_840, 0.02, 300, 4_915_200, 0.095, 0.11));
  }

  @Test
  void trafficCountsFromTheFirstSampleOn() throws IOException {
    ProcReader reader = new ProcReader(proc);
    assertThat(complete(reader).receivedBytes()).isZero();
    write("net/dev", NET.formatted(1500, 2700));
    HostSample second = complete(reader);
    assertThat(second.receivedBytes()).isEqualTo(500);
    assertThat(second.sentBytes()).isEqualTo(700);
    write(
        "net/dev",
        NET.formatted(1600, 2710) + "  eth1:9000000 1 0 0 0 0 0 0 8000000 1 0 0 0 0 0 0\n");
    assertThat(complete(reader).receivedBytes()).as("eth1 has appeared").isEqualTo(600);
    write("net/dev", NET.formatted(30, 40));
    assertThat(complete(reader).receivedBytes()).as("eth0 has restarted").isEqualTo(600);
    write("net/dev", NET.formatted(50, 50));
    assertThat(complete(reader).receivedBytes()).isEqualTo(620);
  }

  @Test
  void whatCannotBeReadIsUnknownAndSaid() throws IOException {
    Files.delete(proc.resolve("diskstats"));
    write("stat", "cpu  1000 twenty 300\n");
    write("net/dev", "Inter-|\n face |\n    lo: 1 2 3 4 5 6 7 8 9\n");
    ProcReader.Reading reading = new ProcReader(proc).read(() -> 1);
    assertThat(reading.missing())
        .containsExactly(
            proc.resolve("stat") + " has an unknown format",
            "cannot read " + proc.resolve("diskstats"),
            proc.resolve("net/dev") + " lists no network device except loopback and virtual ones");
    HostSample sample = reading.sample();
    assertThat(sample)
        .isEqualTo(
            new HostSample(
                1, 0, Double.NaN, Double.NaN, java.util.Map.of(), Double.NaN, Double.NaN));
  }

  @Test
  void aFileMayBeLong() throws IOException {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      many.append(LVM.replace("sda ", "sd" + (char) ('a' + i % 26) + (char) ('a' + i / 26) + " "));
    }
    write("diskstats", many.toString());
    assertThat(many).hasSizeGreaterThan(1 << 18);
    assertThat(complete(new ProcReader(proc)).disks()).hasSize(1000);
  }

  @Test
  void aMachineWithoutDisksOfItsOwnSaysSo() throws IOException {
    write("diskstats", "   7       0 loop0 70 0 560 8 0 0 0 0 0 8 8\n");
    assertThat(new ProcReader(proc).read(() -> 1).missing())
        .containsExactly(proc.resolve("diskstats") + " lists no disk");
    write("stat", "intr 1\n");
    assertThat(new ProcReader(proc).read(() -> 1).missing())
        .contains(proc.resolve("stat") + " lists no processor");
  }
}
