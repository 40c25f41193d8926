"""The folders of the Python side, and who may import whom."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "shardload"

# Each folder, and what it may import from the others; the modules beside the folders count as "root".
ALLOWED = {
    "root": {"root", "config", "options", "verbs"},
    "options": {"options"},
    # Runs before anything is installed.
    "setup": {"root", "setup"},
    "config": {"root", "config"},
    "processes": {"root", "config", "processes"},
    "results": {"root", "config", "results"},
    "bzt_modules": {"root", "config", "processes", "results", "bzt_modules"},
    "verbs": {"root", "config", "options", "processes", "results", "bzt_modules", "verbs"},
}
# Only these modules are the way from the root into the verbs.
ENTRANCES = {"shardload.__main__", "shardload.cli"}


def imports() -> list[tuple[str, str]]:
    """Return (module, imported module of ours) for every import statement."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(["shardload", *path.relative_to(PACKAGE).with_suffix("").parts])
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "shardload":
                for alias in node.names:
                    longer = f"{node.module}.{alias.name}"
                    is_module = (PACKAGE.parent / Path(*longer.split("."))).with_suffix(".py").exists()
                    found.append((name, longer if is_module else str(node.module)))
            elif isinstance(node, ast.Import):
                found += [(name, alias.name) for alias in node.names if alias.name.split(".")[0] == "shardload"]
    return found


def folder(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 2 or ((PACKAGE / parts[-1]).is_dir() and len(parts) == 2) else "root"


def violations(found: list[tuple[str, str]]) -> list[str]:
    bad = []
    for name, imported in found:
        is_entrance = folder(name) != "root" or folder(imported) != "verbs" or name in ENTRANCES
        if folder(imported) not in ALLOWED[folder(name)] or not is_entrance:
            bad.append(f"{name} imports {imported}")
    return bad


def test_every_folder_imports_only_what_it_may() -> None:
    found = imports()
    assert len(found) > 100, "the imports were not found"
    assert violations(found) == []


def test_modules_of_different_folders_do_not_import_each_other_in_a_circle() -> None:
    wanted: dict[str, set[str]] = {}
    for name, imported in imports():
        wanted.setdefault(name, set()).add(imported)

    def reaches(start: str) -> bool:
        seen: set[str] = set()
        rest = list(wanted.get(start, ()))
        while rest:
            module = rest.pop()
            if module == start:
                return True
            if module not in seen:
                seen.add(module)
                rest += wanted.get(module, ())
        return False

    assert [name for name in sorted(wanted) if reaches(name)] == []


def test_folders_stay_small() -> None:
    folders = [path for path in [PACKAGE, *PACKAGE.rglob("*")] if path.is_dir() and path.name != "__pycache__"]
    files = {str(folder): [path for path in folder.glob("*.py") if path.name != "__init__.py"] for folder in folders}
    assert len(files) > 5, "the folders were not found"
    assert {folder: len(found) for folder, found in files.items() if not 0 < len(found) <= 25} == {}


DRIVERS = {
    path.name
    for path in (PACKAGE.parents[1] / "java-samplers/src/main/java/io/shardload/driver").iterdir()
    if path.is_dir()
}


def named_drivers(source: str) -> list[str]:
    """Return the drivers named in strings; a target such as embedded-postgresql is another word."""
    tree = ast.parse(source)
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [word for text in texts for word in re.findall(r"[\w-]+", text) if word in DRIVERS]


def test_no_driver_is_named() -> None:
    assert {"mongodb", "postgresql", "noop"} <= DRIVERS
    found = {path.name: named_drivers(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    assert {name: drivers for name, drivers in found.items() if drivers} == {}


def test_no_file_of_python_or_shell_is_over_500_lines() -> None:
    root = PACKAGE.parents[1]
    found = subprocess.run(
        ["git", "ls-files", "*.py", "*.sh", "shardload"], cwd=root, check=True, capture_output=True, text=True
    ).stdout.split()
    assert len(found) > 300
    assert [path for path in found if len((root / path).read_text(encoding="utf-8").splitlines()) > 500] == []
