"""Hosts: what the machines of the cluster do, from node_exporter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from grafana_foundation_sdk.models.dashboard import Dashboard

from . import boards
from .boards import Row
from .panels import Look, Panel, Query, lines, tile
from .panels import Tile as TileLook
from .promql import SERVER_STEP, equals, rate, ratio, select, while_loaded

HOSTS = ('target="$target"', 'role=~"$role"', 'host=~"$host"')
DISKS = (*HOSTS, 'device!~"$devices"')
HOST = "{{host}} ({{role}})"

# Each I/O once: it appears at the disk, and again at its partition and at every layer above. So all of these are left
# out: partitions, device mapper (LVM, dm-crypt, multipath), md RAID, bcache, DRBD, ZFS volumes, loop and RAM devices,
# and the single paths of NVMe multipath. What remains are disks as the kernel sees them. No backslashes: nothing that
# substitutes variables must escape any.
NOT_DISKS = "|".join(
    [
        *("dm-.*", "md.*", "loop.*", "ram.*", "zram.*", "fd.*", "sr.*", "bcache.*", "drbd.*", "zd.*"),
        "(h|s|v|xv)d[a-z]+[0-9]+",
        "(nvme[0-9]+n|mmcblk)[0-9]+p[0-9]+",
        "nvme[0-9]+c[0-9]+n[0-9]+",
        "(nbd|rbd|pmem)[0-9]+p[0-9]+",
        "dasd[a-z]+[0-9]+",
        "mmcblk[0-9]+boot[0-9]+",
    ]
)
# Neither loopback nor what only passes on another device's packets: containers, bridges, tunnels, VLANs, bonds.
NOT_NETWORKS = "|".join(
    [
        "lo",
        ".*[.][0-9]+",
        "(veth|docker|br|virbr|vnet|lxc|cni|flannel|cali|cilium_|kube-|vxlan|geneve).*",
        "(vlan|macvlan|macvtap|ipvlan|ovs|tun|tap|wg|gre|sit|ip6tnl|bond|team|dummy|ifb).*",
    ]
)


def make() -> Dashboard:
    """Return the dashboard."""
    variables = [
        boards.datasource(),
        boards.values("target", "Target", "label_values(node_uname_info, target)"),
        boards.values("role", "Role", 'label_values(node_uname_info{target="$target"}, role)', several="any"),
        boards.values(
            "host", "Host", 'label_values(node_uname_info{target="$target",role=~"$role"}, host)', several="any"
        ),
        boards.run(),
        boards.source(hidden=True),
        boards.constant("devices", "Disk devices left out", NOT_DISKS),
    ]
    found = [
        Row("Overview", _overview()),
        Row("Processors and memory", _processors()),
        Row("Disks", _disks()),
        Row("Network", _network()),
    ]
    return boards.board("shardload-hosts", "The machines of the cluster: processors, disks, network.", variables, found)


def _lines(title: str, text: str, unit: str, queries: list[Query], look: Look | None = None) -> Panel:
    # Below the chart, for names of hosts may be long.
    return lines(title, text, unit, queries, replace(look or Look(), legend_below=True))


def _query(expr: str, legend: str = HOST) -> Query:
    return Query(expr, legend, SERVER_STEP)


def _by_host(expr: str, operation: str = "sum") -> str:
    return f"{operation} by (host, role) ({expr})"


def _cores(of: Sequence[str]) -> str:
    return _by_host(select("node_cpu_seconds_total", *of, equals("mode", "idle")), "count")


CORES = _cores(HOSTS)
NO_HOSTS = "no data: run node_exporter on each machine, and shardload scrape-config"


def busy(of: Sequence[str] = HOSTS) -> str:
    """Return the share of a host's processors that is in use; waiting for a disk is not use."""
    idle = rate(select("node_cpu_seconds_total", *of, 'mode=~"idle|iowait"'))
    return f"1 - {_by_host(idle)} / {_cores(of)}"


def operations(which: str, of: Sequence[str] = DISKS) -> str:
    """Return the reads or writes per second of a host's disks."""
    return _by_host(rate(select(f"node_disk_{which}_completed_total", *of)))


def latency(which: str) -> str:
    """Return the mean time of a read or write of a host's disks."""
    seconds = _by_host(rate(select(f"node_disk_{which[:-1]}_time_seconds_total", *DISKS)))
    return ratio(seconds, operations(which))


def _overview() -> list[Panel]:
    def mean(title: str, text: str, unit: str, expr: str, limits: tuple[float, ...]) -> Panel:
        look = TileLook(span=8, height=5, spark=True, mean=True, limits=limits, no_value=NO_HOSTS)
        return tile(title, text, unit, [_query(while_loaded(expr))], look)

    return [
        mean(
            "CPU, mean of the load",
            "Share of each host's processors that is in use. Above 80 % the response time of a database rises "
            "steeply with each further call.",
            "percentunit",
            busy(),
            (0.6, 0.8),
        ),
        mean(
            "Busiest disk, mean of the load",
            "Share of the time in which the busiest disk of a host had something to do. SSDs work in parallel, "
            "so 100 % does not prove saturation: look at latency as well.",
            "percentunit",
            _by_host(rate(select("node_disk_io_time_seconds_total", *DISKS)), "max"),
            (0.6, 0.9),
        ),
        mean(
            "Memory, mean of the load",
            "Share of memory that no other process could get; the page cache is not counted. "
            "Near 100 % the host swaps, or the kernel kills a server.",
            "percentunit",
            _by_host(
                f"1 - {select('node_memory_MemAvailable_bytes', *HOSTS)}"
                f" / {select('node_memory_MemTotal_bytes', *HOSTS)}",
                "max",
            ),
            (0.8, 0.95),
        ),
    ]


def _processors() -> list[Panel]:
    def mode(name: str) -> str:
        per_mode = _by_host(rate(select("node_cpu_seconds_total", *HOSTS, f'mode="{name}"')))
        return f"{per_mode} / {CORES}"

    load = select("node_load1", *HOSTS)
    memory = f"{select('node_memory_MemTotal_bytes', *HOSTS)} - {select('node_memory_MemAvailable_bytes', *HOSTS)}"
    swaps = " + ".join(rate(select(f"node_vmstat_pswp{way}", *HOSTS)) for way in ("in", "out"))
    return [
        _lines(
            "CPU in use",
            "Share of all processors of a host that is in use, waiting for disks not counted. Compare the hosts of one "
            "role: if one is far above the others, the data or the load is unevenly spread.",
            "percentunit",
            [_query(busy())],
            Look(maximum=1, limits=(0.8,)),
        ),
        _lines(
            "CPU waiting for disks, stolen by other guests",
            "Share of the time in which processors could only wait for a disk, or in which the hypervisor gave them to "
            "others (dashed). Waiting points to the disks, stolen time to neighbours in the cloud.",
            "percentunit",
            [_query(mode("iowait"), f"{HOST} waiting"), _query(mode("steal"), f"{HOST} stolen")],
            Look(dashed="/stolen$/"),
        ),
        _lines(
            "Load per processor",
            "Processes that run or want to, per processor, mean of a minute. "
            "Above 1 work waits for a processor or a disk.",
            "short",
            [_query(f"{_by_host(load, 'max')} / {CORES}")],
            Look(span=8, limits=(1,)),
        ),
        _lines(
            "Memory in use",
            "Memory that is neither free nor page cache that could be given up. A database that caches by itself "
            "grows to its configured size and stays there.",
            "bytes",
            [_query(_by_host(memory, "max"))],
            Look(span=8),
        ),
        _lines(
            "Pages swapped",
            "Pages that were moved between memory and swap, per second. Any lasting value spoils a measurement.",
            "ops",
            [_query(_by_host(swaps))],
            Look(span=8, limits=(1,)),
        ),
    ]


def _disks() -> list[Panel]:
    def both(expr: Callable[[str], str], names: tuple[str, str]) -> list[Query]:
        return [_query(expr(name), f"{HOST} {name}") for name in names]

    def transferred(which: str) -> str:
        return _by_host(rate(select(f"node_disk_{which}_bytes_total", *DISKS)))

    depth = _by_host(rate(select("node_disk_io_time_weighted_seconds_total", *DISKS)))
    look = Look(dashed="/(writes|written)$/")
    return [
        _lines(
            "IOPS",
            "Reads and writes (dashed) per second that the disks of a host completed; partitions, LVM and RAID are not "
            "counted again. A flat top at a round number is the limit of a cloud disk.",
            "iops",
            both(operations, ("reads", "writes")),
            look,
        ),
        _lines(
            "Disk latency",
            "Mean time of a read and of a write (dashed), waiting in the queue included. SSDs need less than a "
            "millisecond, and more near their limit; 0 where there was no I/O.",
            "s",
            both(latency, ("reads", "writes")),
            look,
        ),
        _lines(
            "Bytes read and written",
            "Bytes per second from and to the disks (written: dashed). Reads show what did not fit into the caches; "
            "writes far above the documents' size are journal, checkpoints and index pages.",
            "Bps",
            both(transferred, ("read", "written")),
            look,
        ),
        _lines(
            "Requests under way",
            "Mean number of requests in a host's disks and their queues. "
            "It grows when more is asked than the disks do, and latency grows with it.",
            "short",
            [_query(depth)],
        ),
        _lines(
            "Utilisation by disk",
            "Share of the time in which a disk had at least one request. "
            "One disk far above the others of its host carries the journal, or the data are unevenly placed.",
            "percentunit",
            [
                Query(
                    f"max by (host, device) ({rate(select('node_disk_io_time_seconds_total', *DISKS))})",
                    "{{host}} {{device}}",
                    SERVER_STEP,
                )
            ],
            Look(maximum=1),
        ),
        _lines(
            "Free space of the fullest file system",
            "Share of free space on the fullest file system with a disk of its own. Under 10 % a database may stop, "
            "and MongoDB and PostgreSQL both slow down when a cloud disk fills.",
            "percentunit",
            [
                _query(
                    _by_host(
                        f"{select('node_filesystem_avail_bytes', *HOSTS, FILE_SYSTEMS)}"
                        f" / {select('node_filesystem_size_bytes', *HOSTS, FILE_SYSTEMS)}",
                        "min",
                    )
                )
            ],
            Look(maximum=1, calcs=("min", "lastNotNull")),
        ),
    ]


FILE_SYSTEMS = 'fstype!~"tmpfs|devtmpfs|overlay|squashfs|ramfs|iso9660|fuse.*"'


def _network() -> list[Panel]:
    networks = (*HOSTS, f'device!~"{NOT_NETWORKS}"')

    def traffic(direction: str, what: str) -> str:
        return _by_host(rate(select(f"node_network_{direction}_{what}_total", *networks)))

    lost = [f"node_network_{way}_{what}_total" for way in ("receive", "transmit") for what in ("errs", "drop")]
    retransmitted = rate(select("node_netstat_Tcp_RetransSegs", *HOSTS))
    return [
        _lines(
            "Network traffic",
            "Bytes per second that a host received and sent (dashed), without loopback and virtual devices. "
            "Routers and coordinators carry each document twice: from a shard and to the client.",
            "Bps",
            [
                _query(traffic("receive", "bytes"), f"{HOST} received"),
                _query(traffic("transmit", "bytes"), f"{HOST} sent"),
            ],
            Look(dashed="/sent$/"),
        ),
        _lines(
            "Packets lost, segments sent again",
            "Packets with errors or dropped, and TCP segments sent again (dashed), per second. "
            "Both should be about 0; a segment sent again costs its call 200 ms or more.",
            "pps",
            [
                _query(_by_host(" + ".join(rate(select(name, *networks)) for name in lost)), f"{HOST} lost"),
                _query(_by_host(retransmitted), f"{HOST} sent again"),
            ],
            Look(dashed="/again$/", colours={}),
        ),
    ]
