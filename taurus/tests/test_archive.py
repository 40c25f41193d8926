"""The archive of ``package --all``: its content, and its Python packages, of a pip that finds only what a test made."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sysconfig
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from shardload.cli import main
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.terminal import Terminal
from shardload.verbs.archive import (
    BUILT,
    CONTENT,
    DOCUMENTS,
    NAME,
    OWN,
    gather,
    manifest,
    package_all,
    read_pins,
    read_versions,
)

ROOT = Path(__file__).resolve().parents[2]
OTHER = "3.12" if OWN != "3.12" else "3.11"
PLATFORM = sysconfig.get_platform().replace("-", "_").replace(".", "_")


def make_wheel(folder: Path, name: str, tags: str) -> str:
    """Write a wheel that pip takes, and return the lines that pin it."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}-1.0-{tags}.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tags}\n")
        wheel.writestr(f"{info}/RECORD", "")
    return f"--hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"


def native(version: str) -> str:
    plain = version.replace(".", "")
    return f"cp{plain}-cp{plain}-{PLATFORM}"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """Make a checkout with a file in each place, and four packages that pip finds without a network."""
    root, index = tmp_path / "checkout", tmp_path / "index"
    built = (".shardload/app/lib/a.jar", ".shardload/jmeter/bin/jmeter", "taurus/shardload/cli.py")
    for name in (*built, *(name if (ROOT / name).is_file() else f"{name}/file" for name in CONTENT)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    for name in (".shardload/keys/store.jks", ".shardload/data/pg/file", ".shardload/stamps/app", "runs/x/run.json",
                 "taurus/tests/test_x.py", "taurus/shardload/__pycache__/cli.pyc", "taurus/targets/.citus.yml.swp",
                 "taurus/targets/citus.yml~", "taurus/constraints-dev.txt", ".git/config"):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("not for others")
    anywhere = make_wheel(index, "anywhere", "py3-none-any")
    by_version = [make_wheel(index, "compiled", native(version)) for version in (OWN, OTHER)]
    only = make_wheel(index, "onlythere", "py3-none-any")
    (root / "taurus" / "constraints.txt").write_text(
        f"anywhere==1.0 \\\n    {anywhere}\n"
        f"compiled==1.0 ; python_full_version >= '3.9' \\\n    {by_version[0]} \\\n    {by_version[1]}\n"
        f"onlythere==1.0 ; python_version == '{OTHER}' \\\n    {only}\n"
    )
    (root / "taurus" / "constraints-archive.txt").write_text(f"pip==1.0 {make_wheel(index, 'pip', 'py3-none-any')}\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return Places(root)


def test_each_version_gets_its_own_wheels_and_shares_the_others(checkout: Places, tmp_path: Path) -> None:
    made = tmp_path / "made"
    gather([OWN, OTHER], checkout.taurus, made)
    expected = {"anywhere-1.0-py3-none-any.whl", "onlythere-1.0-py3-none-any.whl", "pip-1.0-py3-none-any.whl"}
    expected |= {f"compiled-1.0-{native(version)}.whl" for version in (OWN, OTHER)}
    assert {path.name for path in made.glob("*.whl")} == expected
    assert [path for path in made.iterdir() if path.is_dir()] == []
    for version, names in ((OWN, ["anywhere", "compiled"]), (OTHER, ["anywhere", "compiled", "onlythere"])):
        lines = (made / f"requirements-{version}.txt").read_text().splitlines()
        assert [line.partition("==")[0] for line in lines] == names
        digest = hashlib.sha256((made / f"compiled-1.0-{native(version)}.whl").read_bytes()).hexdigest()
        assert lines[1] == f"compiled==1.0 --hash=sha256:{digest}"


def test_a_version_without_wheels_is_one_line_that_names_it(checkout: Places, tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"^--python 3\.10: pip cannot provide the Python packages: ERROR: .*compiled"):
        gather(["3.10"], checkout.taurus, tmp_path / "made")


def test_a_package_of_another_hash_is_refused(checkout: Places, tmp_path: Path) -> None:
    file = checkout.taurus / "constraints.txt"
    hashed = re.findall(r"anywhere==1.0 .*\s+--hash=sha256:(\w+)", file.read_text())[0]
    file.write_text(file.read_text().replace(hashed, "0" * 64))
    with pytest.raises(Problem, match=r"^pip cannot provide the Python packages: ERROR: .*(?i:hash)"):
        gather([OWN], checkout.taurus, tmp_path / "made")


def call(places: Places, output: Path, python: str | None = None) -> None:
    assert package_all(argparse.Namespace(output=output, python=python), places, Terminal()) == 0


def test_the_archive_holds_what_runs_need_and_nothing_of_tests_runs_and_keys(
    checkout: Places, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "all.tar.gz"
    call(checkout, file)
    with tarfile.open(file) as archive:
        texts = {entry.name: (archive.extractfile(entry) or file.open("rb")).read() for entry in archive}
    names = {name.removeprefix(f"{NAME}/") for name in texts}
    said = json.loads(texts[f"{NAME}/archive.json"])
    assert {"shardload", "taurus/base.yml", "taurus/shardload/cli.py", "jmx/shardload.jmx", "archive.json"} <= names
    assert {".shardload/app/lib/a.jar", ".shardload/jmeter/bin/jmeter", f"wheels/requirements-{OWN}.txt"} <= names
    inside = sorted({name for name in names if name.startswith(".shardload/")})
    assert [name for name in inside if name.split("/")[1] not in BUILT] == []
    assert b"not for others" not in texts.values()
    assert said["python"] == [OWN] and said["commit"] and said["platform"]
    digest, name = (tmp_path / "all.tar.gz.sha256").read_text().split()
    assert (digest, name) == (hashlib.sha256(file.read_bytes()).hexdigest(), "all.tar.gz")
    assert f"without network with Python {OWN}\n" in capsys.readouterr().out


@pytest.mark.parametrize("present", [(), ("SECURITY.md",), ("CONTRIBUTING.md", "SECURITY.md")])
def test_the_archive_holds_the_documents_that_the_checkout_has(
    checkout: Places, tmp_path: Path, present: Sequence[str]
) -> None:
    """Turned red by an archive that leaves out SECURITY.md."""
    for name in present:
        (checkout.root / name).write_text(name)
    call(checkout, tmp_path / "all.tar.gz")
    with tarfile.open(tmp_path / "all.tar.gz") as archive:
        names = {name.removeprefix(f"{NAME}/") for name in archive.getnames()}
    assert names & set(DOCUMENTS) == set(present)


def test_the_same_checkout_yields_the_same_bytes(checkout: Places, tmp_path: Path) -> None:
    call(checkout, tmp_path / "one.tar.gz")
    call(checkout, tmp_path / "two.tar.gz")
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()


def test_an_archive_makes_none(checkout: Places, tmp_path: Path) -> None:
    (checkout.root / "archive.json").write_text("{}")
    with pytest.raises(
        Problem, match=r"^--all: this installation comes from such an archive; run the command in a checkout$"
    ):
        call(checkout, tmp_path / "all.tar.gz")


def test_everything_that_is_listed_is_in_the_checkout() -> None:
    assert [name for name in CONTENT if not (ROOT / name).exists()] == []


def test_the_files_of_taurus_that_are_not_listed_are_for_building_and_testing() -> None:
    """Turned red by a list without taurus/acceptance: the verb could not find its statements."""
    tracked = subprocess.run(
        ["git", "ls-files", "taurus"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()
    present = {"/".join(name.split("/")[:2]) for name in tracked}
    assert present - set(CONTENT) == {
        "taurus/constraints-archive.txt", "taurus/constraints-dev.txt", "taurus/pyproject.toml", "taurus/tests",
        "taurus/requirements-dev.txt", "taurus/requirements-override.txt", "taurus/requirements.txt",
    }  # fmt: skip


def test_the_launcher_reads_the_versions_out_of_a_line_of_the_manifest() -> None:
    lines = manifest(Places(ROOT), ["3.9", "3.11"]).splitlines()
    assert '  "python": ["3.9", "3.11"]' in lines


@pytest.mark.parametrize(
    ("text", "versions"), [(None, [OWN]), ("3.11", ["3.11"]), ("3.12, 3.9,3.12,3.11", ["3.9", "3.11", "3.12"])]
)
def test_versions_are_listed_once_and_in_order(text: str | None, versions: list[str]) -> None:
    assert read_versions(text) == versions


@pytest.mark.parametrize("text", ["3.8", "2.7", "3", "", "3.11;3.12", "311", "3.11.2"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(Problem, match=r'^--python: "[^"]*" is not a version of Python from 3\.9 on; write 3\.11'):
        read_versions(text or ",")


def test_python_belongs_to_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["package", "--python", "3.11"]) == 1
    assert (
        capsys.readouterr().err
        == "shardload: --python: only together with --all, because a load host needs no Python\n"
    )


def test_every_pin_is_read_and_asked_for_the_version_it_is_for() -> None:
    pins = read_pins(ROOT / "taurus" / "constraints.txt")
    text = (ROOT / "taurus" / "constraints.txt").read_text(encoding="utf-8")
    assert len(pins) == sum(line[:1].isalpha() for line in text.splitlines())
    numpy = set()
    for version in ("3.9", "3.10", "3.11", "3.13"):
        chosen = [pin.key[0] for pin in pins if pin.is_for(version)]
        numpy |= {pin.key for pin in pins if pin.key[0] == "numpy" and pin.is_for(version)}
        assert len(chosen) == len(set(chosen)), f"a package twice for Python {version}"
        assert {"bzt", "numpy", "shtab"} <= set(chosen)
    assert len(numpy) > 1, "each version of Python has its own release"
