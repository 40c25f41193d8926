"""``python -m shardload.setup.class_data``: makes the archives of loaded classes, with which both JVMs start faster.

A JVM writes such an archive (class data sharing) when it exits. Here JMeter makes a load of one second without a
server, and the Java child prepares the same load. No JVM that measures writes an archive. A failure here costs only
start time: without an archive, or with an archive of other jars or of another Java, a JVM loads its classes as usual.
OpenJDK 17 sometimes crashes while it writes one, and writes it the next time: each is tried twice.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# In JMeter's home and in the folder of the child's jars; the start script and the child's command line name it.
ARCHIVE = "class-data.jsa"
_LIMIT_SECONDS = 120
_ATTEMPTS = 2
# Relative to the checkout, as blanks separate the words of JVM_ARGS.
_ERROR_FILE = "-XX:ErrorFile=.shardload/class-data-crash-%p.log"
_VERBS = ("check", "size", "connections", "schema", "load", "begin")


def _jmeter(root: Path, work: Path, config: dict[str, Any]) -> None:
    """Have JMeter make the load."""
    home = root / ".shardload" / "jmeter"
    properties = work / "shardload.properties"
    text = json.dumps(config).replace("\\", "\\\\")
    properties.write_text(f"shardload.config={text}\nshardload.workers=8\nsummariser.name=\n", encoding="ascii")
    archive = work / "jmeter.jsa"
    jvm = f"-Djava.awt.headless=true {_ERROR_FILE} -XX:ArchiveClassesAtExit={archive.relative_to(root)}"
    plan = root / "jmx" / "shardload.jmx"
    command = [home / "bin" / "jmeter", "-n", "-t", plan, "-q", properties, "-j", work / "jmeter.log"]
    environment = {**os.environ, "HEAP": "-Xms256m -Xmx256m", "JVM_ARGS": jvm}
    subprocess.run(list(map(str, command)), cwd=root, env=environment, timeout=_LIMIT_SECONDS, check=True)
    archive.replace(home / ARCHIVE)


def _child(root: Path, work: Path, java: str, config: dict[str, Any]) -> None:
    """Have a child prepare the load."""
    app = root / ".shardload" / "app"
    archive = work / "child.jsa"
    command = [java, "-Xmx512m", _ERROR_FILE, f"-XX:ArchiveClassesAtExit={archive}", "-cp", str(app / "lib" / "*")]
    environment = {**os.environ, "SHARDLOAD_ROOT": str(root)}
    with subprocess.Popen(
        [*command, "io.shardload.cli.Main", "child"],
        cwd=root,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        for number, verb in enumerate(_VERBS):
            child.stdin.write(json.dumps({"id": number, "verb": verb, "config": config}) + "\n")
            child.stdin.flush()
            # The answer, whatever it is, follows what is reported meanwhile.
            any("ok" in reply or "error" in reply for reply in map(json.loads, iter(child.stdout.readline, "")))
        child.stdin.close()
        if child.wait(_LIMIT_SECONDS) != 0:
            raise subprocess.CalledProcessError(child.returncode, command)
    archive.replace(app / ARCHIVE)


def _retry(write: Callable[[], None], bundle: Path) -> None:
    """Write an archive; a failure of all attempts is raised."""
    for attempt in range(1, _ATTEMPTS + 1):
        shutil.rmtree(bundle, ignore_errors=True)
        bundle.mkdir()
        try:
            write()
            return
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            if attempt == _ATTEMPTS:
                raise
            print(f"trying again: {error}", file=sys.stderr)


def make(root: Path, java: str) -> None:
    """Make both archives; each is moved to its place when it is whole."""
    home = root / ".shardload"
    work = home / "class-data"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    try:
        config = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
        config["metrics"]["discovery"] = str(work / "metrics")
        config["run"]["directory"] = str(work / "bundle")
        for folder in ("jmeter", "app"):
            with contextlib.suppress(FileNotFoundError):
                (home / folder / ARCHIVE).unlink()
        _retry(lambda: _child(root, work, java, config), work / "bundle")
        _retry(lambda: _jmeter(root, work, config), work / "bundle")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def main() -> int:
    """Make the archives; the set-up goes on without them."""
    parser = argparse.ArgumentParser(prog="shardload.setup.class_data")
    parser.add_argument("--root", required=True, type=Path)
    options = parser.parse_args()
    home = os.environ.get("JAVA_HOME")
    try:
        make(options.root, f"{home}/bin/java" if home else "java")
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        print(f"without archives of classes: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
