"""The Java child: JSON lines on its stdin and stdout. It ends when its stdin closes, so it never outlives Python."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from shardload import exit_codes
from shardload.config.places import ROOT_VARIABLE
from shardload.config.problem import Problem
from shardload.terminal import harmless

_POLL_SECONDS = 0.2
_END_SECONDS = 30.0


class Listener(Protocol):
    """Receives the child's messages while a verb works."""

    def progress(self, what: str, done: int, total: int, unit: str) -> None:
        """Tell how far a verb is."""

    def note(self, text: str) -> None:
        """Tell a line for the console."""


class ChildError(Problem):
    """The child's answer is an error; ``exit_code`` is the one it asks for.

    ``advice`` is what the child suggests, ``hints`` the lines that show it.
    """

    problems: tuple[tuple[str, str], ...] = ()  # key and text of each, where there are several

    def __init__(self, text: str, key: str | None, exit_code: int, advice: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(text, key)
        self.exit_code = exit_code
        self.advice = list(advice)
        self.hints: list[str] = []


class ChildDied(Exception):
    """The child ended in the midst of its work."""

    exit_code = exit_codes.PART_DIED


class Interrupted(Exception):
    """The user wants to stop while the child works."""


def command(java: str, home: Path, heap: str, with_jmeter: bool = False) -> list[str]:
    """Return the command line of the child; ``with_jmeter`` it can drive engines on load hosts."""
    parts = [home / "app" / "lib" / "*", *(_jars_of_jmeter(home / "jmeter" / "lib") if with_jmeter else [])]
    class_path = os.pathsep.join(map(str, parts))
    # Not in the checkout, where a JVM that crashes would leave it.
    crash = f"-XX:ErrorFile={home / 'crash-%p.log'}"
    options = [crash, *_class_data(home / "app"), *(["-Djava.awt.headless=true"] if with_jmeter else [])]
    return [java, f"-Xmx{heap}", *options, "-cp", class_path, "io.shardload.cli.Main", "child"]


def _class_data(app: Path) -> list[str]:
    """Return the options that name the set-up's archive of loaded classes; the JVM ignores an outdated one silently."""
    archive = app / "class-data.jsa"
    return ["-Xlog:cds=off", "-Xlog:cds+dynamic=off", f"-XX:SharedArchiveFile={archive}"] if archive.is_file() else []


def _jars_of_jmeter(library: Path) -> list[Path]:
    """Return JMeter's jars without plugins (shardload's included) and without its slf4j binding: one is enough."""
    jars = [path for path in library.glob("*.jar") if not path.name.startswith("log4j-slf4j-impl-")]
    return [*sorted(jars), *sorted((library / "ext").glob("ApacheJMeter_*.jar"))]


class Child:
    """One Java child and its conversation."""

    def __init__(self, arguments: Sequence[str], errors: Path | None, cwd: Path, listener: Listener) -> None:
        self._listener = listener
        self._id = 0
        self._rest = b""
        self.errors = errors
        with contextlib.ExitStack() as stack:
            stderr = stack.enter_context(open(errors, "ab")) if errors else None
            # A session of its own: Ctrl-C must not end it before it has settled the state.
            self._process = subprocess.Popen(
                list(arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=cwd,
                # Plain bzt has not set it.
                env={**os.environ, ROOT_VARIABLE: str(cwd)},
                start_new_session=True,
            )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def call(
        self, verb: str, request: Mapping[str, Any], interrupted: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """Ask for a verb and return its answer; progress and notes go to the listener meanwhile.

        ``interrupted`` is asked while waiting; when it says yes, the call is given up with Interrupted, and the child
        should be closed, for its answer is still to come.
        """
        if interrupted():
            raise Interrupted(verb)
        self._id += 1
        message = json.dumps({"id": self._id, "verb": verb, **request}, separators=(",", ":"))
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(message.encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._death(verb) from error
        while True:
            if interrupted():
                raise Interrupted(verb)
            for reply in self._replies(verb):
                answer = self._hear(reply)
                if answer is not None:
                    return answer

    def _hear(self, reply: Mapping[str, Any]) -> dict[str, Any] | None:
        if reply.get("id") != self._id:
            return None
        if "progress" in reply:
            told = reply["progress"]
            self._listener.progress(
                str(told.get("what", "")),
                int(told.get("done", 0)),
                int(told.get("total", 0)),
                str(told.get("unit", "")),
            )
        elif "note" in reply:
            self._listener.note(harmless(str(reply["note"])))
        elif "error" in reply:
            raise _error(reply["error"])
        elif "ok" in reply:
            return dict(reply["ok"] or {})
        return None

    def _replies(self, verb: str) -> list[dict[str, Any]]:
        """Wait a moment and return the whole lines that came."""
        assert self._process.stdout is not None
        if not self._selector.select(_POLL_SECONDS):
            return []
        data = os.read(self._process.stdout.fileno(), 1 << 16)
        if not data:
            raise self._death(verb)
        *lines, self._rest = (self._rest + data).split(b"\n")
        replies = []
        for line in lines:
            try:
                reply = json.loads(line)
            except ValueError:
                continue  # a stray print of some library
            if isinstance(reply, dict):
                replies.append(reply)
        return replies

    def _death(self, verb: str) -> ChildDied:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        last = ""
        if self.errors:
            with contextlib.suppress(OSError):
                lines = self.errors.read_text(errors="replace").strip().splitlines()
                last = f": {harmless(lines[-1])}" if lines else ""
        return ChildDied(f"the Java child ended (code {self._process.returncode}) during {verb}{last}")

    def close(self) -> None:
        """Let it end: it stops the servers that it started. What does not end in time is killed."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        deadline = time.monotonic() + _END_SECONDS
        while self.is_alive and time.monotonic() < deadline:
            # Its last words are read, so that a full pipe does not hold it up.
            with contextlib.suppress(OSError):
                if self._selector.select(_POLL_SECONDS) and not os.read(self._process.stdout.fileno(), 1 << 16):
                    break
        try:
            self._process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._selector.close()
        self._process.stdout.close()


def _error(error: Mapping[str, Any]) -> ChildError:
    # A server wrote a part of it, perhaps before it proved who it is; plain bzt prints and stores the text as it is.
    text = harmless(str(error.get("message", "unknown error")))
    key = error.get("key")
    told = ChildError(text, str(key) if key else None, int(error.get("exit", 1)), error.get("advice") or ())
    told.problems = tuple((str(one["key"]), harmless(str(one["message"]))) for one in error.get("problems") or ())
    return told
