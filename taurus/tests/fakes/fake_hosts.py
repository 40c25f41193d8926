"""What the fake child says about load hosts; it refuses whatever it may not be asked now.

FAKE_HOSTS may be ``busy`` or ``versions`` (refused before the start), ``start`` (the start fails), ``lost:2`` (the
second host is lost after 2 s, and the run is stopped), ``continue:2`` (it is lost, and the rest goes on), ``redis:2``
(the meeting point is gone after 2 s), ``dies:2`` and ``stuck:2`` (the child dies or answers no more), or
``slow-start:2`` (takes 2 s).
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.fakes import fake_generator

FAULT, *NUMBERS = os.environ.get("FAKE_HOSTS", "none").split(":")
AT = float(NUMBERS[0]) if NUMBERS else 0.0


class Unexpected(Exception):
    """A request that may not come now, or lacks something."""


class Refused(Exception):
    """An error with a message and an exit code."""


class FakeHosts:
    """Two or more hosts, of which one thread writes the sum."""

    def __init__(self) -> None:
        self.state = "closed"
        self.began = 0.0
        self.verbs: list[str] = []
        self.names: list[str] = []
        self.order = SimpleNamespace(reason=None)
        self.thread: threading.Thread | None = None
        self.told: list[str] = []

    def hear(self, request: dict) -> None:
        """Refuse what is asked too early of the target."""
        verb, config = request["verb"], request.get("config") or {}
        if "hosts" in config and verb in ("connections", "schema", "load", "begin") and self.state != "open":
            raise Unexpected(f"{verb} before hosts-open")
        self.verbs.append(verb)

    def answer(self, request: dict) -> dict:
        verb, config = request["verb"], request["config"]
        if "hosts" not in config:
            raise Unexpected(f"{verb} without load hosts")
        needed = {"hosts-open": "closed", "hosts-start": "open"}.get(verb, "started")
        if self.state != needed:
            raise Unexpected(f"{verb} while {self.state}")
        return getattr(self, verb.replace("hosts-", ""))(request)

    def open(self, request: dict) -> dict:
        config = request["config"]
        self.names = config["hosts"]["list"]
        if config["load"]["generators"] != len(self.names) or not config.get("schedule_hash"):
            raise Unexpected("hosts-open with a wrong configuration")
        if FAULT == "busy":
            raise Refused(f"{self.names[0]}: busy with another run\n{self.names[1]}: dead: connection refused", 2)
        if FAULT == "versions":
            raise Refused(f"{self.names[1]}: runs JMeter 5.5, the controller 5.6.3", 1)
        self.state = "open"
        facts = {
            "cpus": 4,
            "java": "OpenJDK 64-Bit Server VM 17.0.9+6-Debian-1deb12u1",
            "clock_offset_ms": 2.5,
            "clock_uncertainty_ms": 0.25,
        }
        return {
            "redis_url": "redis://127.0.0.1:1",
            "generators": [{"generator": number, "host": name, **facts} for number, name in enumerate(self.names)],
            "notes": ["the clocks differ"],
        }

    def start(self, request: dict) -> dict:
        if "begin" not in self.verbs:
            raise Unexpected("hosts-start before begin")
        if FAULT == "slow-start":
            time.sleep(AT)
        self.state = "started"
        if FAULT == "start":
            self.names = [*self.names]
            raise Refused(f"{self.names[1]}: ended during the start\n{self.names[0]}: was stopped", 2)
        self.began = time.monotonic()
        self.thread = threading.Thread(target=self.write, args=(request["config"],), daemon=True)
        self.thread.start()
        return {"start_epoch_ms": int(time.time() * 1000)}

    def write(self, config: dict) -> None:
        fake_generator.run(config, "merged", lambda: self.order.reason)

    def status(self, request: dict) -> dict:
        self.told.append(request["verb"])
        age = time.monotonic() - self.began
        struck = FAULT != "none" and age >= AT
        if FAULT == "dies" and struck:
            os._exit(9)
        if FAULT == "stuck" and struck:
            time.sleep(3600)
        is_lost = FAULT in ("lost", "continue") and struck
        if FAULT == "lost" and is_lost:
            self.order.reason = "generator-lost"
        over = not self.thread.is_alive()
        trouble = "Redis does not answer" if FAULT == "redis" and struck else None
        notes = [f"generator 1 ({self.names[1]}) was lost"] if is_lost and "told" not in self.told else []
        self.told += ["told"] if is_lost else []
        return {
            "generators": [self.state_of(number, is_lost, over, age) for number in range(len(self.names))],
            "over": over or trouble is not None,
            "lost": [1] if is_lost else [],
            "trouble": trouble,
            "notes": [*notes, *([trouble] if trouble else [])],
        }

    def state_of(self, number: int, is_lost: bool, over: bool, age: float) -> dict[str, Any]:
        state = "lost" if is_lost and number == 1 else "ended" if over else "running"
        return {
            "generator": number, "host": self.names[number], "state": state, "lag_seconds": 0.4 + number * 2,
            "silent_seconds": age - AT if state == "lost" else 0.3, "rate": 500.0, "backlog": 0, "cpu_percent": 12.5,
            "gc_percent": None, "hiccup_p99_ms": 1.25, "late_percent": 0.0, "clock_offset_ms": 2.5,
            "clock_uncertainty_ms": 0.25,
        }  # fmt: skip

    def stop(self, request: dict) -> dict:
        if not request["reason"] or (self.thread and not self.thread.is_alive()):
            raise Unexpected("hosts-stop without a reason, or of what is over")
        self.order.reason = request["reason"]
        return {}

    def close(self, request: dict) -> dict:
        if not request["patience_seconds"] > 0:
            raise Unexpected("hosts-close without patience")
        if self.thread:
            self.thread.join(request["patience_seconds"])
        self.state = "closed"
        lost = [{"generator": 1, "host": self.names[1], "last_ns": 1_900_000_000}] if "told" in self.told else []
        lost += [{"generator": number, "host": name, "last_ns": 0} for number, name in enumerate(self.names)
                 if FAULT == "start"]  # fmt: skip
        gone = {loss["generator"] for loss in lost}
        Path(os.environ["FAKE_PIDS"], "closed").touch()
        return {
            "finals": [number for number in range(len(self.names)) if number not in gone],
            "lost": lost,
            "exit": 0,
            "notes": ["closed"] if FAULT == "redis" else [],
        }
