"""The folder of ``run --results``: a run writes its name there, and the verb ``results`` adds the files to keep."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from shardload.config import invocation
from shardload.config.places import STARTED_IN, Places
from shardload.config.problem import Problem

# Says that shardload made the folder and may empty it.
MARKER = ".shardload-results"
_RUN = "run"


class ResultsFolder:
    """A folder for the results of one call of ``run``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @staticmethod
    def named(text: str, places: Places) -> ResultsFolder:
        """Return the folder that the user names, seen from where the user stands."""
        path = (STARTED_IN / text).resolve()
        for taken in (places.runs.resolve(), places.home.resolve()):
            if path == taken or path in taken.parents or taken in path.parents:
                raise Problem(f"--results: {text} is, holds or lies in {places.show(taken)}; name another folder")
        return ResultsFolder(path)

    @property
    def is_ours(self) -> bool:
        """Whether shardload made it."""
        return (self.path / MARKER).is_file()

    def empty(self) -> None:
        """Make the folder, or remove what an earlier run left in it; a folder of others is refused."""
        try:
            if self.path.exists() and not self.is_ours and (not self.path.is_dir() or any(self.path.iterdir())):
                raise Problem(f"--results: {self.path} was not made by shardload; name a new or an empty folder")
            self.path.mkdir(parents=True, exist_ok=True)
            for entry in self.path.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                elif entry.name != MARKER:
                    entry.unlink()
            (self.path / MARKER).touch()
        except OSError as error:
            raise Problem(f"--results: cannot empty {self.path}: {error.strerror}: {error.filename}") from error

    def take(self) -> None:
        """Make sure that the folder exists and belongs to shardload; its content stays."""
        if not self.is_ours:
            self.empty()

    def note_run(self, name: str) -> None:
        """Note the name of the bundle or series."""
        with contextlib.suppress(OSError):  # the run itself matters more
            (self.path / _RUN).write_text(f"{name}\n", encoding="utf-8")

    @property
    def run_name(self) -> str:
        """The name of the bundle or series; empty if nothing was started.

        Anything but a name is not a run either: what it leads to would be packed and kept.
        """
        file = self.path / _RUN
        try:
            name = file.read_text(encoding="utf-8").strip()
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise Problem(f"cannot read {file}: {error}") from error
        return name if Path(name).name == name != ".." else ""

    def run(self, places: Places) -> Path | None:
        """Return the folder of the bundle or series; None if nothing was started, or what was started is gone."""
        name = self.run_name
        return places.runs / name if name and (places.runs / name).is_dir() else None

    def forget_refused(self, places: Places) -> None:
        """Forget a run that was refused and left nothing behind."""
        if self.run(places) is None:
            (self.path / _RUN).unlink(missing_ok=True)


def note_run(bundle: Path) -> None:
    """Note a bundle for the verb ``run``, and in the folder of --results, if one was given."""
    if invocation.current is None:
        return
    invocation.current.bundle = bundle
    if invocation.current.results is not None:
        ResultsFolder(invocation.current.results).note_run(bundle.name)
