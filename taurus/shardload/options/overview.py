"""The options of ``help``, ``profiles``, ``workloads`` and ``completion``."""

from __future__ import annotations

from collections.abc import Sequence

from shardload.options.common import Verbs, add_verb, example

SHELLS = ("bash", "zsh", "fish")
# What has names that a shell completes.
KINDS = ("profile", "run", "target", "workload")

_COMPLETION_EPILOG = """\
examples:
  source <(./shardload completion bash)                     # for this shell
  ./shardload completion bash >>~/.bash_completion          # for all later ones
  ./shardload completion zsh >~/.zfunc/_shardload           # a folder of fpath
  ./shardload completion fish >~/.config/fish/completions/shardload.fish
It completes verbs, options, and the names of targets, profiles, workloads and runs, as they are when you press Tab.
"""


def add(verbs: Verbs) -> None:
    """Add these verbs to the command line."""
    helped = add_verb(verbs, "help", "show the help of a verb, as VERB --help does", example("help run"))
    helped.add_argument("words", nargs="*", metavar="VERB", help="the verb (default: all of them)")
    for kind in ("profile", "workload"):
        name = f"{kind}s"
        commands = example(name, f"{name} {_EXAMPLES[kind]}")
        listed = add_verb(verbs, name, f"list the {name}, or show what one is for", commands)
        listed.add_argument(kind, nargs="?", metavar="NAME", help=f"show the description in this {kind}'s file")
    completion = add_verb(verbs, "completion", "print a completion script for your shell", _COMPLETION_EPILOG)
    # Checked later: argparse names no nearest one.
    completion.add_argument("shell", nargs="?", metavar="SHELL", help=", ".join(SHELLS))
    completion.add_argument(
        "--names", metavar="KIND", help=f"print all names of a kind instead, as the script asks: {', '.join(KINDS)}"
    )


_EXAMPLES = {"profile": "max-capacity", "workload": "ycsb"}


def without_help_verb(words: Sequence[str]) -> list[str]:
    """Return ``help VERB`` as ``VERB --help``."""
    if words and words[0] == "help":
        return [*(word for word in words[1:] if word not in ("-h", "--help")), "--help"]
    return list(words)
