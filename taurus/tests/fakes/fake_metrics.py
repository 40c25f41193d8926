"""What the fake child says about the controller's metrics; it refuses whatever it may not be asked now.

FAKE_CHILD=scraped-metrics: somebody scrapes, but not within the time to linger.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.fakes.fake_hosts import Unexpected

FAULT = os.environ.get("FAKE_CHILD", "none")


class FakeMetrics:
    """Serves nothing, but leaves the discovery file as the real one does."""

    def __init__(self) -> None:
        self.state = "closed"
        self.verbs: list[str] = []
        self.left: Path | None = None

    def hear(self, request: dict) -> None:
        """Remember what the run has come to."""
        self.verbs.append(request["verb"])

    def answer(self, request: dict) -> dict:
        verb, config = request["verb"], request["config"]
        if "metrics" not in config:
            raise Unexpected(f"{verb} while metrics are off")
        needed = {"metrics-open": "closed", "metrics-started": "open", "metrics-ended": "started"}.get(verb)
        if needed and self.state != needed and not self.is_second_child:
            raise Unexpected(f"{verb} while {self.state}")
        return getattr(self, verb.replace("metrics-", ""))(request)

    @property
    def is_second_child(self) -> bool:
        return "check" not in self.verbs

    def file(self, request: dict) -> Path:
        config = request["config"]
        return Path(config["metrics"]["discovery"], f"{config['run']['id']}-controller.json")

    def open(self, request: dict) -> dict:
        if "begin" in self.verbs or not request["config"].get("schedule_hash") or not request["listen"]:
            raise Unexpected("metrics-open after begin, or with a wrong configuration")
        self.state = "open"
        self.left = self.file(request)
        self.left.parent.mkdir(exist_ok=True)
        self.left.write_text("[]")
        return {"address": f"{request['listen']}:41233"}

    def started(self, request: dict) -> dict:
        if abs(request["epoch_ms"] / 1000 - time.time()) > 60:
            raise Unexpected("a start at another time")
        self.state = "started"
        return {}

    def ended(self, request: dict) -> dict:
        self.state = "ended"
        return {}

    def close(self, request: dict) -> dict:
        if not Path(request["directory"], "run.json").is_file():
            raise Unexpected("metrics-close without a bundle")
        if FAULT == "scraped-metrics":
            time.sleep(request["linger_seconds"])
        self.file(request).unlink(missing_ok=True)
        self.state = "closed"
        return {}

    def leave(self) -> None:
        """Remove the file when the conversation ends."""
        if self.left:
            self.left.unlink(missing_ok=True)
