package io.shardload.hosts;

import java.util.regex.Pattern;

/**
 * Which devices of a machine are counted: the same as on the dashboard Hosts. The expressions match
 * whole names, and mean the same in Java and PromQL.
 */
public final class Devices {
  /**
   * Devices on which an operation appears again: partitions, device mapper (LVM, dm-crypt,
   * multipath), md RAID, bcache, DRBD, ZFS volumes, loop and RAM devices, and the single paths of
   * NVMe multipath. What remains are disks as the kernel sees them.
   */
  public static final String NOT_DISKS =
      "dm-.*|md.*|loop.*|ram.*|zram.*|fd.*|sr.*|bcache.*|drbd.*|zd.*"
          + "|(h|s|v|xv)d[a-z]+[0-9]+"
          + "|(nvme[0-9]+n|mmcblk)[0-9]+p[0-9]+"
          + "|nvme[0-9]+c[0-9]+n[0-9]+"
          + "|(nbd|rbd|pmem)[0-9]+p[0-9]+"
          + "|dasd[a-z]+[0-9]+"
          + "|mmcblk[0-9]+boot[0-9]+";

  /**
   * Loopback, and devices that only pass on another one's packets: containers, bridges, tunnels,
   * VLANs, bonds.
   */
  public static final String NOT_NETWORKS =
      "lo|.*[.][0-9]+"
          + "|(veth|docker|br|virbr|vnet|lxc|cni|flannel|cali|cilium_|kube-|vxlan|geneve).*"
          + "|(vlan|macvlan|macvtap|ipvlan|ovs|tun|tap|wg|gre|sit|ip6tnl|bond|team|dummy|ifb).*";

  private static final Pattern OTHER_THAN_DISKS = Pattern.compile(NOT_DISKS);
  private static final Pattern OTHER_THAN_NETWORKS = Pattern.compile(NOT_NETWORKS);

  private Devices() {}

  /** Whether operations on a block device are counted. */
  public static boolean isDisk(String name) {
    return !OTHER_THAN_DISKS.matcher(name).matches();
  }

  /** Whether the traffic of a network device is counted. */
  public static boolean isNetwork(String name) {
    return !OTHER_THAN_NETWORKS.matcher(name).matches();
  }
}
