"""The Taurus executor: it owns a run from the check of its configuration to the exit code."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bzt.engine import ScenarioExecutor

from shardload import exit_codes
from shardload.bzt_modules.exit_signal import Ended
from shardload.bzt_modules.faults import RunFaults
from shardload.bzt_modules.finish import Finish
from shardload.bzt_modules.live import LiveResults
from shardload.config import effective, invocation
from shardload.config.check import check
from shardload.config.invocation import merged_of
from shardload.config.places import Places, discard, reserve_run, series_of
from shardload.config.problem import Problem
from shardload.config.values.criteria import too_few
from shardload.config.values.quantities import check_heap, whole
from shardload.config.values.schedule import Segment, expected_counts, total_seconds
from shardload.processes.child import ChildDied, ChildError, Interrupted
from shardload.processes.generator import LocalLoad
from shardload.processes.hints import chosen_files, program
from shardload.processes.hosts import HostLoad
from shardload.processes.load import HostState, Load, Seen
from shardload.processes.session import Session, data_line, describe, full_text, refuse_incomplete
from shardload.processes.signals import StopRequest
from shardload.results.bundle import (
    CHILD_LOG,
    CONFIG_FILE,
    GENERATOR_LOG,
    GENERATOR_OUTPUT,
    GENERATOR_PROPERTIES,
    RUN_FILE,
    adopt_artifacts,
    artifacts_folder,
    drop_artifacts,
    drop_live,
    write_config,
    write_json,
)
from shardload.results.handover import note_run
from shardload.results.lookup import hold
from shardload.results.steps import StepJudge
from shardload.results.tail import LiveTail
from shardload.terminal import Terminal
from shardload.version import described

SILENCE_SECONDS = 5.0
START_SECONDS = 30.0
# Beyond the statement timeout a call may hang for its socket's grace and a connect timeout (5 s each); then the ledger
# is closed.
_PATIENCE_SECONDS = 20.0
_OVERDUE_SECONDS = 30.0


class ShardloadExecutor(ScenarioExecutor):
    """Prepares target and data, has the load made, watches it, and finishes the bundle.

    A run is stopped by a return value, never by an exception: all reasons are weighed at the end, and one exception
    carries the exit code out.
    """

    def __init__(self) -> None:
        super().__init__()
        self.terminal = Terminal()
        self.places = Places.find()
        self.segments: list[Segment] = []
        self.model = "open"
        self.stop_request = StopRequest(self.terminal.line)
        self.reader: LiveResults | None = None
        self._session: Session | None = None
        self._finish: Finish | None = None
        self._load: Load | None = None
        self._silence: Silence | None = None
        self._judge: StepJudge | None = None
        self._faults: RunFaults | None = None
        self._started_at = 0.0
        self._begun = False

    # --- prepare

    def prepare(self) -> None:
        """Check everything, then make the target and its data ready; what is refused leaves nothing behind."""
        super().prepare()
        bundle = None
        self.stop_request.install()
        try:
            checked = check(merged_of(self.engine, self.places))
            names = checked.merged.names
            target, profile = names.get("target", "target"), names.get("profile", "profile")
            bundle = reserve_run(self.places.runs, target, profile, label=checked.labels.name)
            hold(bundle)
            note_run(bundle)
            self._prepare_target(checked, bundle)
        except (Problem, ChildDied, Interrupted) as error:
            self._give_up(error, bundle)
        except OSError as error:
            self._give_up(Problem(f"cannot write the bundle: {error.strerror}: {error.filename}"), bundle)
        except BaseException:
            self._clean_up(bundle)
            raise

    def _prepare_target(self, checked: effective.Checked, bundle: Any) -> None:
        assert checked.load is not None
        self.segments, self.model = checked.load.segments(), checked.load.model
        config = effective.build(checked, bundle.name, bundle, checked.merged.names.get("profile", ""))
        config["run"].update(series_of())
        config["shardload"] = described(self.places.root)
        log, with_jmeter = bundle / CHILD_LOG, checked.hosts is not None
        session = Session(config, checked.merged, self.places, self.terminal, log, with_jmeter=with_jmeter)
        self._session = session
        load = self._load = load_of(session, bundle, self.places, check_heap(self.settings.get("heap") or "256m"))
        interrupted = self.stop_request.is_made
        known = session.check(checked.transactions, interrupted)
        session.config["schedule_hash"] = str(known.get("schedule_hash") or "")
        for warning in (*checked.warnings, *too_few(checked.criteria, expected_counts(self.segments, known))):
            self.terminal.line(f"warning: {warning}")
        session.start_embedded(interrupted)
        session.settle_size(interrupted)
        opened = load.open(interrupted)
        session.call("connections", interrupted)
        if invocation.current is not None and invocation.current.is_no_load:
            refuse_incomplete(session, interrupted)
        server = session.call("schema", interrupted).get("server") or checked.target["driver"]
        self.terminal.detail("shardload {version}, commit {commit}".format(**session.config["shardload"]))
        self.terminal.detail(self.terminal.paint(f"run      {bundle.name}", "bold"))
        address = session.config["target"].get("url")
        self.terminal.detail(f"target   {server}, {address}" if address else f"target   {server}")
        for line in opened:
            self.terminal.detail(line)
        loaded = session.call("load", interrupted)
        self.terminal.detail(f"data     {data_line(session.config['workload'], loaded, session.unit)}")
        write_json(bundle / RUN_FILE, session.config)
        write_config(bundle / CONFIG_FILE, checked.merged, chosen_files(checked.merged, self.places))
        adopt_artifacts(self.engine, bundle)
        load.prepare(session.config)
        self._finish = Finish(session, bundle, self.terminal, interrupted)
        self._listen(checked, bundle, load.stream)
        self._begin(session)

    def _begin(self, session: Session) -> None:
        """Mark the data set: from here on it waits for this run, so the bundle stays whatever happens."""
        if self.stop_request.is_made():
            raise Interrupted("begin")
        self._begun = True
        try:
            session.call("begin")
        except ChildError:
            self._begun = False  # refused: nothing was marked
            raise

    def _listen(self, checked: effective.Checked, bundle: Any, stream: str) -> None:
        warm_up = total_seconds([part for part in self.segments if part.kind == "warm-up"])
        self.reader = LiveResults(LiveTail(bundle, stream), self.model, warm_up, total_seconds(self.segments))
        self.reader.guard = partial(self.guard, "reading the results")
        allowed = checked.execution.get("stop-after-failed-steps")
        limits = effective.limits(checked.execution)
        self._judge = StepJudge(self.segments, limits, None if allowed is None else whole(allowed, 1))
        self.reader.observers.append(self._judge.hear)
        self.engine.aggregator.reader = self.reader
        assert self._finish is not None
        assert self._session is not None
        self._faults = RunFaults(self._session, bundle, warm_up, self.terminal.line)
        self.reader.observers.append(self._faults.hear)
        self._finish.metrics.open(self.places)
        self.reader.observers.append(self._finish.metrics.hear)

    def _give_up(self, error: BaseException, bundle: Any) -> None:
        """End before the run began, in one line."""
        self.terminal.clear()
        if isinstance(error, Interrupted):
            self.log.warning("%s: nothing was measured", self.stop_request.signal_name)
            code = exit_codes.INTERRUPTED
        else:
            self.log.error("%s", full_text(error))
            wrong_use = exit_codes.WRONG_USE if isinstance(error, Problem) else exit_codes.PART_DIED
            code = error.exit_code if isinstance(error, ChildError) else wrong_use
        self._clean_up(bundle)
        raise Ended(code)

    def _clean_up(self, bundle: Any) -> None:
        if self._session:
            self._session.close()
        drop_artifacts(self.engine)
        if bundle and not self._begun:
            discard(bundle)

    # --- run

    def startup(self) -> None:
        """Start the load; from here on every failure is weighed at the end."""
        assert self._finish is not None and self._load is not None
        self.terminal.block(["starting JMeter"])
        try:
            self._load.start(self.stop_request.is_made)
        except Interrupted:
            self.stop_because("signal", f"stopped by {self.stop_request.signal_name}")
        except (ChildError, ChildDied) as error:
            first, *rest = full_text(error).splitlines()
            self._finish.part_died(first)
            for line in rest:
                self._finish.note(line)
        self._started_at = time.monotonic()
        self._silence = Silence(self._load.name, self._started_at)

    def check(self) -> bool:
        """Watch the load; True ends the run."""
        assert self._load is not None and self._finish is not None and self.reader is not None
        if self.stop_request.is_made():
            self.stop_because("signal", f"stopped by {self.stop_request.signal_name}")
        if self._judge and self._judge.has_enough:
            self.stop_because("failed-steps", "enough steps failed: " + "; ".join(self._judge.failed))
        if self._faults:
            self._faults.look()
        now = time.monotonic()
        silence = self._silence.look(now, self.reader.last_heard) if self._silence else None
        if silence:
            self._finish.note(silence)
        planned = total_seconds(self.segments) + self.reader.prolonged_seconds
        overdue = now - self._started_at - planned - START_SECONDS - self._patience()
        if overdue > _OVERDUE_SECONDS:
            self.stop_because("overdue", "the generator should have ended long ago")
        if self._finish.stopped_by is not None or self._finish.has_died:
            return True
        return self._hear(self._load.check(self.stop_request.is_made))

    def _hear(self, seen: Seen) -> bool:
        """Take what a look at the load found; True if the load is over."""
        assert self._finish is not None
        for note in seen.notes:
            self._finish.note(note)
        if seen.trouble:
            self._finish.part_died(seen.trouble)
        return seen.is_over

    def stop_because(self, reason: str, text: str) -> None:
        """Let the run end in order; the first reason counts."""
        assert self._finish is not None
        if self._finish.stopped_by is None:
            self._finish.stopped_by = reason
            self._finish.note(text)

    @contextmanager
    def guard(self, part: str) -> Iterator[None]:
        """Have what fails within end the run in order, as a part that died; Taurus would say 1, as of wrong use."""
        try:
            yield
        except Exception as error:
            self._part_died(part, error)

    def _part_died(self, part: str, error: Exception) -> None:
        assert self._finish is not None
        self.log.debug("%s", "".join(traceback.format_exception(type(error), error, error.__traceback__)))
        self._finish.part_died(f"{part} failed: {type(error).__name__}: {describe(error)}")

    @property
    def hosts(self) -> Sequence[HostState]:
        """How the load hosts are doing; none for a load on this machine."""
        return self._load.hosts if self._load else ()

    def _patience(self) -> float:
        assert self._session is not None
        return float(self._session.config["load"]["statement_timeout_seconds"]) + _PATIENCE_SECONDS

    def shutdown(self) -> None:
        """Stop the load if it is not over, and read what was written last."""
        if self._load is None or self._finish is None:
            return
        is_early = self._finish.stopped_by is not None or self._finish.has_died
        if self._faults and is_early:
            self._faults.stop()
        self._hear(self._load.stop(self._finish.stopped_by, self._patience()))
        for _ in self.engine.aggregator.datapoints(True):
            pass
        if self._faults:
            self._faults.look()

    # --- finish

    def post_process(self) -> None:
        """Verify, summarize, judge, report; then hand the exit code to Taurus."""
        super().post_process()
        if self._finish is None or self._session is None or not self._begun:
            return
        if isinstance(self.engine.stopping_reason, Exception):
            self._part_died("Taurus", self.engine.stopping_reason)
        has_final = self.reader is not None and self.reader.final is not None
        if has_final:  # else the last seconds are nowhere but in the live copy
            drop_live(self._finish.bundle)
        if self._load:
            self._finish.ends = self._load.ends(has_final)
        live = [result for reporter in self.engine.reporters for result in getattr(reporter, "results", [])]
        try:
            code = self._finish.complete(live)
        finally:
            self._session.close()
        raise Ended(code)

    def has_results(self) -> bool:
        """Return True: the ledger, not Taurus, decides whether there were results."""
        return True

    def get_widget(self) -> None:
        """Offer nothing to Taurus's own full-screen console."""


def load_of(session: Session, bundle: Path, places: Places, heap: str) -> Load:
    """Return the load on the hosts that the configuration lists, or else on this machine."""
    if session.config.get("hosts"):
        return HostLoad(session, program(places))
    folder = artifacts_folder(bundle)
    return LocalLoad(places, heap, folder / GENERATOR_PROPERTIES, folder / GENERATOR_LOG, folder / GENERATOR_OUTPUT)


class Silence:
    """Notes once when nothing has been heard for long, and once when something reports again."""

    def __init__(self, name: str, began: float) -> None:
        self._name = name
        self._began = began
        self._is_silent = False

    def look(self, now: float, heard: float | None) -> str | None:
        """Return a line to note; ``heard`` is when the last second came, None before the first."""
        silence = now - (self._began if heard is None else heard)
        was_silent, self._is_silent = self._is_silent, silence > (START_SECONDS if heard is None else SILENCE_SECONDS)
        if self._is_silent == was_silent:
            return None
        if not self._is_silent:
            return f"{self._name} reports again"
        return f"{self._name} has been silent for {silence:.0f} s"
