"""Wrong use of the command line, reported in one line with the nearest verb or option.

An empty value counts as not given, so that callers pass on whatever they have.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from shardload.config.problem import nearest, unknown
from shardload.terminal import complain

_ARGUMENT = re.compile(r"argument (?P<name>[^:]+): (?P<reason>.*)", re.DOTALL)
_NO_NUMBER = re.compile(r"invalid (?P<type>int|float) value: (?P<value>.*)", re.DOTALL)
_NUMBERS = {"int": "a whole number", "float": "a number"}


class Parser(argparse.ArgumentParser):
    """Refuses what it does not know in one line; an option's name is written in full."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **named})

    def error(self, message: str) -> NoReturn:
        """End with one line; the whole usage is what --help prints."""
        complain(_plain(message))
        raise SystemExit(2)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown words here, where the verb and so its options are known."""
        parsed, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(self._unknown(rest))
        return parsed, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        # argparse lists every choice.
        choices = action.choices
        if choices is None or value in choices:
            return
        if isinstance(action, argparse._SubParsersAction):
            self.error(_unknown_verb(str(value), list(choices), self.prog))
        raise argparse.ArgumentError(action, unknown("value", value, map(str, choices)))

    def _unknown(self, words: Sequence[str]) -> str:
        """Say which word is not known; a value that follows an unknown option belongs to it."""
        of_verb = self.prog.partition(" ")[2]
        told = f" of {of_verb}" if of_verb else ""
        word = next((word for word in words if word.startswith("-")), words[0])
        name = word.partition("=")[0]
        if not word.startswith("-"):
            return f'unexpected word "{word}"; {self._instead(word)}'
        long = [known for known in self._option_string_actions if known.startswith("--")]
        begun = sorted(known for known in long if known.startswith(name)) if name.startswith("--") else []
        near = begun or [found for found in (nearest(name, long),) if found]
        if near:
            return f'unknown option "{name}"{told}; did you mean {" or ".join(map(_quoted, near))}?'
        return f'unknown option "{name}"{told}; {self.prog} --help lists its options'

    def _instead(self, word: str) -> str:
        if "--target" in self._option_string_actions:
            return f'a target is given as "--target {word}", a key as "-o key=value"'
        return f"{self.prog} --help says what it takes"


def _unknown_verb(name: str, known: Sequence[str], program: str) -> str:
    near = nearest(name, known)
    hint = f'did you mean "{near}"?' if near else f"{program} --help lists the verbs"
    return f'unknown verb "{name}"; {hint}'


def _plain(message: str) -> str:
    """Rewrite argparse's message: the option's full name, then what is wrong."""
    if message.startswith("the following arguments are required: "):
        names = [_full(name) for name in message.partition(": ")[2].split(", ")]
        if names == ["verb"]:
            return "a verb is missing; shardload --help lists the verbs"
        return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing"
    found = _ARGUMENT.fullmatch(message)
    if not found:
        return " ".join(message.split())
    name, reason = _full(found["name"]), found["reason"]
    if reason.startswith("expected one argument"):
        return f"{name}: the value is missing"
    if reason.startswith("not allowed with argument "):
        return f"{name}: not together with {_full(reason.rpartition(' ')[2])}"
    if reason.startswith("ignored explicit argument "):
        return f"{name}: takes no value"
    number = _NO_NUMBER.fullmatch(reason)
    if number:
        return f"{name}: {_quoted(number['value'].strip(chr(39)))} is not {_NUMBERS[number['type']]}"
    return f"{name}: {' '.join(reason.split())}"


def _full(names: str) -> str:
    """Return the longest of an option's names, as --target of --target/-t."""
    return max(names.split("/"), key=len)


def _quoted(text: str) -> str:
    return f'"{text}"'


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
