"""What a user calls a run: its name, its tags and a note. They are stored and shown in clear."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shardload.config.problem import Problem

KEYS = ("name", "tags", "note")
# The name becomes part of a folder's name and of the run's id, which servers and file systems see.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
# No dot: it separates the keys of an override.
TAG = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
MOST_TAGS = 20
MOST_VALUE_LETTERS = 100
MOST_NOTE_LETTERS = 500


@dataclass(frozen=True)
class Labels:
    """Name, tags and note of a run; each may be missing."""

    name: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what run.json has of them: only what was given."""
        found: dict[str, Any] = {"name": self.name} if self.name else {}
        if self.tags:
            found["tags"] = dict(self.tags)
        if self.note:
            found["note"] = self.note
        return found


def read_labels(section: Mapping[str, Any]) -> Labels:
    """Read the section ``run`` of the merged configuration; a problem names the key within it."""
    name, note, tags = section.get("name"), section.get("note"), section.get("tags")
    return Labels(
        None if name is None else _at("name", check_name, name),
        {} if tags is None else _tags(tags),
        None if note is None else _at("note", check_note, note),
    )


def _at(key: str, check: Any, value: Any) -> str:
    try:
        return str(check(value))
    except Problem as problem:
        raise Problem(str(problem), key) from None


def _tags(tags: Mapping[str, Any]) -> dict[str, str]:
    if len(tags) > MOST_TAGS:
        raise Problem(f"has {len(tags)} tags; at most {MOST_TAGS} are allowed", "tags")
    return {str(key): _at("tags", lambda one, tag=key: check_tag(tag, one), value) for key, value in tags.items()}


def check_name(value: Any) -> str:
    """Return a name that may be part of a folder's name."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise Problem(
            f'"{_shown(value)}" is not a name: up to 60 letters, digits, ".", "_", "-", a letter or digit first'
        )
    return value


def check_tag(key: Any, value: Any) -> str:
    """Return the value of a tag as text; numbers and true or false may stand without quotes."""
    if not TAG.fullmatch(str(key)):
        raise Problem(f'"{_shown(key)}" is not a key of a tag: up to 40 letters, digits, "_", "-", a letter first')
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value) if isinstance(value, (int, float)) else value
    if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > MOST_VALUE_LETTERS:
        raise Problem(f'the value of tag "{key}" must be one line of 1 to {MOST_VALUE_LETTERS} characters')
    return text


def check_note(value: Any) -> str:
    """Return a note."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > MOST_NOTE_LETTERS:
        raise Problem(f"must be one line of 1 to {MOST_NOTE_LETTERS} characters")
    return value


def overrides_of(name: str | None, tags: Sequence[str], note: str | None) -> list[tuple[str, str]]:
    """Return the overrides that ``--name``, ``--tag`` and ``--note`` stand for, each with its option."""
    found = []
    if name is not None:
        found.append(("--name", _override("--name", "run.name", check_name, name)))
    for key, value in read_tags(tags).items():
        found.append(("--tag", f"run.tags.{key}={json.dumps(value)}"))
    if note is not None:
        found.append(("--note", _override("--note", "run.note", check_note, note)))
    return found


def read_tags(texts: Sequence[str]) -> dict[str, str]:
    """Read the values of ``--tag``, each KEY=VALUE."""
    tags: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise Problem('--tag: has the form key=value, such as "--tag build=17"')
        try:
            checked = check_tag(key, value)
        except Problem as problem:
            raise Problem(f"--tag: {problem}") from None
        if key in tags:
            raise Problem(f'--tag: "{key}" appears twice')
        tags[key] = checked
    return tags


def _override(flag: str, key: str, check: Any, value: str) -> str:
    try:
        return f"{key}={json.dumps(check(value))}"  # a text also where it looks like a number
    except Problem as problem:
        raise Problem(f"{flag}: {problem}") from None


def _shown(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
