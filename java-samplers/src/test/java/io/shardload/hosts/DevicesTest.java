package io.shardload.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DevicesTest {
  private static final Path DASHBOARD = Path.of("..", "grafana", "dashboards", "hosts.json");
  private static final Pattern NETWORK_FILTER =
      Pattern.compile("node_network[^{]*\\{[^}]*device!~\"([^\"]*)\"");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sda",
        "sdab",
        "hdc",
        "vda",
        "xvdb",
        "nvme0n1",
        "nvme12n3",
        "mmcblk0",
        "dasda",
        "rbd0",
        "nbd1",
        "pmem0"
      })
  void disks(String name) {
    assertThat(Devices.isDisk(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sda1",
        "sdab12",
        "vda3",
        "xvda1",
        "nvme0n1p2",
        "nvme0c1n1",
        "mmcblk0p1",
        "dm-0",
        "md127",
        "loop7",
        "ram0",
        "zram0",
        "sr0",
        "fd0",
        "bcache0",
        "drbd1",
        "zd16",
        "rbd0p1",
        "nbd0p1",
        "pmem0p1",
        "dasda1",
        "mmcblk0boot0"
      })
  void whatRepeatsTheOperationsOfDisksIsNone(String name) {
    assertThat(Devices.isDisk(name)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"eth0", "ens5", "enp3s0f1", "eno1", "wlan0", "ib0"})
  void networks(String name) {
    assertThat(Devices.isNetwork(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lo",
        "eth0.100",
        "veth12ab",
        "docker0",
        "br-1f2e",
        "virbr0",
        "cni0",
        "tun0",
        "wg0",
        "bond0",
        "team1",
        "ifb0",
        "dummy0",
        "vlan12",
        "flannel.1"
      })
  void whatPassesOnAnothersPacketsIsNone(String name) {
    assertThat(Devices.isNetwork(name)).isFalse();
  }

  @Test
  void theDashboardHostsLeavesOutTheSame() throws IOException {
    JsonObject dashboard = JsonParser.parseString(Files.readString(DASHBOARD)).getAsJsonObject();
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
}
