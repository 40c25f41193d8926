"""The file for load hosts: reproducible, without traces of the machine that made it."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from shardload import __version__
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.verbs.package import package

NAME = f"shardload-{__version__}"
FILES = {
    "jmx/tarball/shardload": "#!/bin/sh\n",
    "LICENSE": "license",
    "NOTICE": "notice",
    "docs/load-hosts.md": "page",
    "taurus/workloads/shop/workload.yml": "workload: {}",
    "taurus/workloads/shop/transactions/a/citus.sql": "SELECT 1",
    "taurus/workloads/shop/transactions/a/.citus.sql.swp": "edited",
    "taurus/workloads/shop/transactions/a/citus.sql~": "older",
    ".shardload/jmeter/bin/jmeter": "#!/bin/sh\n",
    ".shardload/jmeter/lib/ext/shardload-jmeter.jar": "jar",
    ".shardload/jmeter/lib/ext/shardload-jmeter.tmp": "half a jar",
    ".shardload/keys/rmi_keystore.jks": "secret",
}


def checkout(root: Path) -> Places:
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o770 if text.startswith("#!") else 0o660)
    return Places(root)


def test_it_holds_what_a_load_host_needs_and_no_key(tmp_path: Path) -> None:
    file = package(checkout(tmp_path / "checkout"), tmp_path / "out.tar.gz")
    with tarfile.open(file) as archive:
        modes = {entry.name: oct(entry.mode) for entry in archive}
    assert modes == {
        f"{NAME}/shardload": "0o755",
        f"{NAME}/LICENSE": "0o644",
        f"{NAME}/NOTICE": "0o644",
        f"{NAME}/VERSION": "0o644",
        f"{NAME}/load-hosts.md": "0o644",
        f"{NAME}/taurus/workloads/shop/workload.yml": "0o644",
        f"{NAME}/taurus/workloads/shop/transactions/a/citus.sql": "0o644",
        f"{NAME}/jmeter/bin/jmeter": "0o755",
        f"{NAME}/jmeter/lib/ext/shardload-jmeter.jar": "0o644",
    }


def test_it_names_version_and_commit(tmp_path: Path) -> None:
    file = package(checkout(tmp_path / "checkout"), tmp_path / "out.tar.gz")
    with tarfile.open(file) as archive:
        member = archive.extractfile(f"{NAME}/VERSION")
        assert member is not None
        assert member.read().decode() == f"shardload {__version__}, commit unknown\n"


def test_the_same_content_yields_the_same_bytes(tmp_path: Path) -> None:
    one = package(checkout(tmp_path / "one"), tmp_path / "one.tar.gz")
    other = checkout(tmp_path / "other" / "deeper")
    for path in other.root.rglob("*"):
        os.utime(path, (1, 1))
    assert one.read_bytes() == package(other, tmp_path / "two.tgz").read_bytes()
    with tarfile.open(one) as archive:
        assert {(entry.uid, entry.gid, entry.uname, entry.gname) for entry in archive} == {(0, 0, "", "")}


def test_it_lies_where_the_user_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert package(checkout(tmp_path / "checkout")) == tmp_path / f"{NAME}.tar.gz"


def test_a_place_that_takes_no_file_is_named(tmp_path: Path) -> None:
    places = checkout(tmp_path / "checkout")
    with pytest.raises(Problem, match="is a folder"):
        package(places, tmp_path)
    with pytest.raises(Problem, match=r"cannot write .*nowhere/out\.tar\.gz: No such file"):
        package(places, tmp_path / "nowhere" / "out.tar.gz")
    assert not list(tmp_path.glob(".*"))
