"""An empty value counts as not given, so that callers pass on whatever they have."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def without_empty(words: Sequence[str], parser: argparse.ArgumentParser) -> list[str]:
    """Return the words of a command line without options whose value is empty.

    A flag takes no value; what follows it stays.
    """
    valued = _options_with_value(_parser_of(words, parser))
    kept: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*kept, word, *rest]
        name, equals, value = word.partition("=")
        if word.startswith("--") and equals and not value and name in valued:
            continue
        if rest[:1] == [""] and word in valued:
            rest.pop(0)
            continue
        kept.append(word)
    return kept


def _parser_of(words: Sequence[str], parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return the parser of the verb that is named, or of the action of a verb that has several."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and words and words[0] in action.choices:
            chosen: argparse.ArgumentParser = action.choices[words[0]]
            return _parser_of(words[1:], chosen)
    return parser


def _options_with_value(parser: argparse.ArgumentParser) -> list[str]:
    return [name for name, action in parser._option_string_actions.items() if action.nargs != 0]
