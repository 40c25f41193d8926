"""Stands in for ``java``: becomes the fake child or the fake generator, by its arguments."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    name = "fake_child.py" if "io.shardload.cli.Main" in sys.argv else "fake_generator.py"
    Path(os.environ["FAKE_PIDS"], f"{name}.{os.getpid()}").touch()
    if name == "fake_child.py":
        with open(Path(os.environ["FAKE_PIDS"], "heaps"), "a") as file:
            file.write("".join(f"{argument}\n" for argument in sys.argv if argument.startswith("-Xmx")))
        Path(os.environ["FAKE_PIDS"], "class-path").write_text(sys.argv[sys.argv.index("-cp") + 1])
    else:
        slack = Path("/proc/self/timerslack_ns")
        told = slack.read_text() if slack.exists() else "none"
        Path(os.environ["FAKE_PIDS"], "jmeter").write_text("\n".join([told, *sys.argv]))
    runpy.run_path(str(Path(__file__).with_name(name)), run_name="__main__")
