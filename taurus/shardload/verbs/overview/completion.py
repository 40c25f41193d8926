"""The verb ``completion``: scripts for shells, made by shtab from the options themselves."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from typing import Any

from shardload import exit_codes
from shardload.config.merge import list_names
from shardload.config.places import Places
from shardload.config.problem import Problem, unknown
from shardload.options.overview import KINDS, SHELLS
from shardload.results.bundle import bundles_in

# Which options and words take names, by their destination or by what the help calls them.
_BY_DESTINATION = {
    "target": "target",
    "names": "target",
    "interleave_with": "target",
    "profile": "profile",
    "workload": "workload",
    "bundle": "run",
}
_BY_METAVAR = {"RUN": "run"}
_PATHS = {"DIR": "directory", "FILE": "file", "PATH": "file"}

# In bash the program that is typed lists the names, because several checkouts may exist; the shell itself completes
# paths. zsh's _arguments puts options of its own before the kind.
_PREAMBLE = {
    "bash": """
_shardload_names() {
  local program=${COMP_WORDS[0]/#\\~/$HOME}
  command -v "$program" >/dev/null || program=@program@
  case $2 in
    */* | .*) compopt -o filenames 2>/dev/null; compgen -f -- "$2" ;;
    *) compgen -W "$("$program" completion --names "$1" 2>/dev/null)" -- "$2" ;;
  esac
}
@functions@""",
    "zsh": """
_shardload_names() {
  local -a found
  found=(${(f)"$(@program@ completion --names ${@[-1]} 2>/dev/null)"})
  compadd -a found
  [[ $PREFIX == (.*|*/*) ]] && _files
}""",
    "fish": """
function _shardload_names
  @program@ completion --names $argv[1] 2>/dev/null
end""",
}


def completion(options: argparse.Namespace, places: Places) -> int:
    """Print the script of a shell, or names."""
    if options.names is not None:
        for name in _names(options.names, places):
            print(name)
        return exit_codes.OK
    if options.shell not in SHELLS:
        wrong = unknown("shell", options.shell, SHELLS) if options.shell else f"known are {', '.join(SHELLS)}"
        raise Problem(f"completion: {wrong}; as in: shardload completion bash")
    print(script(options.shell, places))
    return exit_codes.OK


def _names(kind: str, places: Places) -> list[str]:
    if kind not in KINDS:
        raise Problem(f"--names: {unknown('kind', kind, KINDS)}")
    if kind == "run":
        return [bundle.name for bundle in bundles_in(places.runs)]
    return list_names(places, kind)


def script(shell: str, places: Places) -> str:
    """Return the script for a shell."""
    import shtab

    # Here, for cli imports this module through its table of verbs.
    from shardload.cli import build_parser

    parser = build_parser()
    for action in _actions(parser):
        if action.help == argparse.SUPPRESS:
            action.help = None  # shtab leaves out what --help does not list
        _say_what_fits(action, parser)
        if isinstance(action.metavar, str):
            # shtab writes it into zsh's specification as it is, where quotes and colons have a meaning.
            action.metavar = re.sub(r"\W+", "-", action.metavar).strip("-")
    functions = "\n".join(f'_shardload_{kind}() {{ _shardload_names {kind} "$1"; }}' for kind in KINDS)
    text = _PREAMBLE[shell].replace("@functions@", functions)
    text = text.replace("@program@", shlex.quote(str(places.root / "shardload")))
    return str(shtab.complete(parser, shell, preamble=text))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield all options and words, those of verbs and their actions too."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _actions(inner)


def _say_what_fits(action: Any, parser: argparse.ArgumentParser) -> None:
    """Tell shtab what may follow: names of a kind, or paths."""
    metavar = str(action.metavar or "")
    kind = _BY_DESTINATION.get(action.dest) or _BY_METAVAR.get(metavar)
    if action.dest == "words":
        action.choices = sorted(verb for part in parser._actions for verb in _verbs(part))
    elif action.dest == "shell":
        action.choices = SHELLS
    elif kind and action.nargs != 0:
        action.complete = {
            "bash": f"_shardload_{kind}",
            "zsh": f"_shardload_names {kind}",
            "fish": f"(_shardload_names {kind})",
        }
    elif metavar in _PATHS:
        import shtab

        action.complete = shtab.DIRECTORY if _PATHS[metavar] == "directory" else shtab.FILE


def _verbs(action: argparse.Action) -> list[str]:
    return list(action.choices or {}) if isinstance(action, argparse._SubParsersAction) else []
