"""A workspace as Jenkins checks it out, with what the launcher has built in this checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.checkout import ROOT

_SOURCES = ("shardload", "pom.xml", "mvnw", ".mvn", "schemas", "jmx", "java-samplers/pom.xml", "java-samplers/src/main")
_TARGETS = (
    *("taurus/constraints.txt", "taurus/constraints-build.txt", "taurus/base.yml"),
    *("taurus/targets", "taurus/workloads", "taurus/profiles"),
)
_BUILT = ("app", "jmeter", "venv")
# Deletes one document behind the back of everybody, with the server in single-user mode.
_DELETE = "DELETE FROM data_table WHERE ctid = (SELECT min(ctid) FROM data_table)"


def make(folder: Path) -> None:
    """Fill a workspace with hard links; nothing may be changed in place."""
    for name in (*_SOURCES, *_TARGETS):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, copy_function=_link)
        else:
            _link(source, target)
    home = folder / ".shardload"
    (home / "stamps").mkdir(parents=True)
    for name in _BUILT:
        (home / name).symlink_to(ROOT / ".shardload" / name)
    for stamp in (ROOT / ".shardload" / "stamps").iterdir():
        # That of the Python environment names its checkout.
        (home / "stamps" / stamp.name).write_text(stamp.read_text().replace(str(ROOT), str(folder)))


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


def wrap(folder: Path, before_verify: str = ":") -> None:
    """Have a shell script run before each verification, and let no busy machine fail a run.

    Such a machine makes measurements invalid (exit code 5), which is not what is tested.
    """
    launcher, wrapper = folder / "launcher", folder / "shardload"
    if not launcher.exists():
        wrapper.rename(launcher)
    wrapper.unlink(missing_ok=True)
    wrapper.write_text(
        f"""#!/bin/sh
case $1 in
  verify) {before_verify} ;;
  run)
    ./launcher "$@"
    code=$?
    [ "$code" != 5 ] || code=0
    exit "$code"
    ;;
esac
exec ./launcher "$@"
"""
    )
    wrapper.chmod(0o755)


def delete_a_document(folder: Path) -> None:
    """Delete a document of the embedded PostgreSQL, which is not running."""
    data = folder / ".shardload" / "data"
    (program,) = data.glob("postgresql-*/bin/postgres")
    (cluster,) = [
        path.parent for path in (data / "embedded-postgresql").rglob("PG_VERSION") if (path.parent / "global").exists()
    ]
    # Where root starts the server, it runs in a user namespace, in which nobody is root.
    prefix = ["unshare", "--user"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*prefix, str(program), "--single", "-D", str(cluster), "shardload"],
        input=_DELETE + "\n",
        text=True,
        capture_output=True,
        cwd=cluster,
        env={"PATH": os.environ["PATH"]},
        check=False,
    )
    assert done.returncode == 0, done.stderr


def processes(folder: Path) -> list[str]:
    """Return the command lines of the processes that belong to a workspace."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            command = (each / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            where = str((each / "cwd").readlink())
            state = (each / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z" and int(each.name) != os.getpid() and (str(folder) in command or where.startswith(str(folder))):
            found.append(f"{each.name}: {command}")
    return found


if __name__ == "__main__":
    delete_a_document(Path(sys.argv[1]))
