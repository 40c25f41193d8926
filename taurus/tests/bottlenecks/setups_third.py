"""The set-ups of four more rows that somebody chose who had not read the rules. Each shows how its cause has acted."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import mean
from threading import Event, Thread

from shardload.config.places import java
from tests.bottlenecks.limits import far, started
from tests.bottlenecks.setups import HOME, SQL, Site, watched
from tests.bottlenecks.setups_further import Waits, processor_seconds
from tests.bottlenecks.setups_unseen import Growth, busy_sessions, figures, show
from tests.e2e.hosts import require, wait_for
from tests.e2e.test_failover import free_port

_LOAD_SECONDS = 16  # of each run, without the ramp
_COMMITS = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
_POOLED = 3
_POOLER = """[databases]
* = host=127.0.0.1 port={server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
admin_users = {user}
pool_mode = transaction
default_pool_size = {pooled}
ignore_startup_parameters = extra_float_digits
stats_period = 2
"""
# It holds the weakest of locks until it ends.
_REPORT = "DO $$ BEGIN PERFORM id FROM orders LIMIT 1; PERFORM pg_sleep(86400); END $$"
# It never gets its lock, but whoever comes while it waits is queued behind it.
_MIGRATION = """DO $$ BEGIN LOOP
  BEGIN
    SET LOCAL lock_timeout = '1s';
    ALTER TABLE orders ADD COLUMN paid boolean;
  EXCEPTION WHEN lock_not_available THEN NULL;
  END;
  COMMIT; PERFORM pg_sleep(0.05);
END LOOP; END $$"""
# The server's core, and all others.
_CORE = 1


def _done_less(site: Site, port: int, rate: int, runs: int) -> None:
    """Show that the load was not carried, by the server's own count."""
    (done,) = figures(site, port, _COMMITS)
    wanted = rate * _LOAD_SECONDS * runs
    show(0 < done < 0.9 * wanted, f"{done} commits in {runs} runs, of {wanted} that were wanted")


@contextmanager
def pooler(site: Site) -> Iterator[None]:
    """Let a PgBouncer beside the load have three connections to a server that is 5 ms away."""
    idle, port, log = Growth(processor_seconds), free_port(), site.folder / "pgbouncer.log"
    waits = Waits(site.folder / "cluster")
    with site.server() as server, far(server, 0.005) as away:
        user, users = site.loaded.user, site.folder / "users.txt"
        users.write_text(f'"{user}" "{site.loaded.password}"\n', encoding="utf-8")
        words = {"server": away, "port": port, "users": users, "user": user, "pooled": _POOLED}
        configuration = site.folder / "pgbouncer.ini"
        configuration.write_text(_POOLER.format(**words), encoding="utf-8")
        command = ["unshare", "-U", require("pgbouncer", "pgbouncer"), str(configuration)]
        with started(command, log, signal.SIGINT):
            wait_for(lambda: "process up" in log.read_text(), f"PgBouncer, see {log}")
            site.aim(port, client={"pooler": "pgbouncer", "statements": "simple"})
            figures(site, server, "SELECT pg_stat_reset()")
            with watched(site, idle.look), watched(site, waits.look):
                yield
            _done_less(site, server, 1500, len(waits.engine_seconds))
            periods = re.findall(r"stats: (\d+) xacts/s.* wait (\d+) us", log.read_text())
    # Its own figure is the time that all clients together waited for a connection in each second.
    waiting = [int(micros) / 1e6 for calls, micros in periods if int(calls) > 200]
    show(len(waiting) > 10, f"PgBouncer was busy in {len(waiting)} periods of 2 s")
    show(mean(waiting) > 4 * _POOLED, f"on average {mean(waiting):.1f} clients waited for {_POOLED} connections")
    show(idle.ratio > 0.35, f"the processors of the machine were idle for {idle.ratio:.0%} of the time")


@contextmanager
def _stopping(pids: Sequence[int]) -> Iterator[None]:
    """Stop processes for 80 of each 100 ms, as cpulimit or a host that pauses its guests does."""
    ended = Event()

    def tell(number: signal.Signals, those: Sequence[int]) -> None:
        for pid in those:
            with suppress(OSError):
                os.kill(pid, number)

    def stop() -> None:
        while not ended.is_set():
            stopped = tuple(pids)
            tell(signal.SIGSTOP, stopped)
            ended.wait(0.08)
            tell(signal.SIGCONT, stopped)
            ended.wait(0.02)

    thread = Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _processes(cluster: Path) -> int:
    """Return how many processes a server has; one for each session, and some of its own."""
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found += str((process / "cwd").readlink()) == str(cluster)
    return found


@contextmanager
def paused(site: Site) -> Iterator[None]:
    """Let the generator stand still for most of the time, once its 32 workers are connected."""
    idle, waits = Growth(processor_seconds), Waits(site.folder / "cluster")
    making: list[int] = []
    states: list[str] = []

    def look(engines: list[int]) -> None:
        # Its start would take minutes.
        making[:] = engines if _processes(site.folder / "cluster") > 24 else []
        time.sleep(random.uniform(0, 0.1))  # not in step with the stops
        for pid in making:
            with suppress(OSError):
                states.append(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0])

    with site.server() as port:
        figures(site, port, "SELECT pg_stat_reset()")
        with _stopping(making), watched(site, look), watched(site, idle.look), watched(site, waits.look):
            yield
        _done_less(site, port, 4000, len(waits.engine_seconds))
    stopped = states.count("T") / len(states)
    show(stopped > 0.65, f"in {stopped:.0%} of {len(states)} moments the generator was stopped")
    show(idle.ratio > 0.4, f"the processors of the machine were idle for {idle.ratio:.0%} of the time")
    runs, server = len(waits.engine_seconds), waits.server_seconds
    # The calls come in bursts, from 32 sessions at once: each waits a little for one of the two processors.
    show(server < 30 * runs, f"for a processor the server waited {server:.1f} s in {runs} runs")


def _idle_of(own: bool) -> tuple[float, float]:
    """Return how long the server's core, or all others, were idle, and all their time."""
    idle, total = 0, 0
    for line in Path("/proc/stat").read_text().splitlines():
        if re.match(r"cpu\d", line) and line.startswith(f"cpu{_CORE} ") == own:
            ticks = [int(word) for word in line.split()[1:9]]
            idle, total = idle + ticks[3] + ticks[4], total + sum(ticks)
    return idle, total


@contextmanager
def pinned_server(site: Site) -> Iterator[None]:
    """Let the server run on one core, without a quota; its calls compute and read one row each."""
    own, others = Growth(lambda: _idle_of(True)), Growth(lambda: _idle_of(False))
    waits = Waits(site.folder / "cluster")
    with site.server(prefix=(require("taskset", "util-linux"), "-c", str(_CORE))) as port:
        figures(site, port, "ANALYZE orders")
        figures(site, port, "SELECT pg_stat_reset()")
        with watched(site, own.look), watched(site, others.look), watched(site, waits.look):
            yield
        _done_less(site, port, 1000, len(waits.engine_seconds))
        (scans,) = figures(site, port, "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'orders'")
    show(own.ratio < 0.05, f"the server's core was idle for {own.ratio:.0%} of the time")
    show(others.ratio > 0.3, f"the other core was idle for {others.ratio:.0%} of the time")
    show(not scans, f"{scans} scans of the table")
    server, engines = waits.server_seconds, sum(waits.engine_seconds)
    show(server > 5 * engines, f"for a processor the server waited {server:.0f} s, the generators {engines:.0f} s")


@contextmanager
def queued_ddl(site: Site) -> Iterator[None]:
    """Let a migration wait for the end of a report, again and again, and everybody behind it."""
    idle, sessions, waits = Growth(processor_seconds), list[tuple[int, int]](), Waits(site.folder / "cluster")

    def look(engines: list[int]) -> None:
        if engines and (titles := busy_sessions(site.folder / "cluster")):
            calls = [title for title in titles if not title.endswith(("DO", "ALTER TABLE waiting", "DO waiting"))]
            sessions.append((sum(title.endswith(" waiting") for title in calls), len(calls)))

    with site.server() as port, ExitStack() as programs:
        login = f"user={site.loaded.user}&password={site.loaded.password}"
        url = f"jdbc:postgresql://127.0.0.1:{port}/{site.data}?{login}"

        def begin(name: str, statement: str, locks: str) -> None:
            command = [java(), "-cp", str(HOME / "app" / "lib" / "*"), SQL, statement]
            programs.enter_context(started(command, site.folder / f"{name}.log", signal.SIGKILL, SQL_URL=url))
            held = f"SELECT count(*) FROM pg_locks WHERE relation = 'orders'::regclass AND {locks}"
            wait_for(lambda: figures(site, port, held)[0], f"the {name}")

        begin("report", _REPORT, "granted")
        begin("migration", _MIGRATION, "NOT granted")
        figures(site, port, "SELECT pg_stat_reset()")
        with watched(site, idle.look), watched(site, look), watched(site, waits.look):
            yield
        _done_less(site, port, 1200, len(waits.engine_seconds))
        (changed,) = figures(site, port, "SELECT count(*) FROM pg_attribute WHERE attname = 'paid'")
    show(not changed, f"the migration has changed {changed} tables")
    waiting, busy = (mean(column) for column in zip(*sessions))
    show(waiting > 0.8 * busy > 8, f"{waiting:.1f} of {busy:.1f} busy sessions waited for a lock")
    show(idle.ratio > 0.5, f"the processors of the machine were idle for {idle.ratio:.0%} of the time")
