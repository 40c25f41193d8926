"""Variables in queries, as Grafana and its Prometheus data source put their values in."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

REFERENCE = re.compile(r"\$(\w+)|\[\[(\w+?)(?::(\w+))?\]\]|\$\{(\w+)(?::(\w+))?\}")


@dataclass(frozen=True)
class Value:
    """The selected values of a variable. A regular one may hold several, each escaped for a regular expression."""

    values: tuple[str, ...]
    regular: bool = False
    raw: bool = False

    def in_query(self) -> str:
        """Return it as ``interpolateQueryExpr`` of the data source does."""
        if self.raw:
            return "|".join(self.values)
        if not self.regular:
            return "|".join(value.replace("\\", "\\\\").replace("'", "\\\\'") for value in self.values)
        escaped = [in_expression(value) for value in self.values]
        return escaped[0] if len(escaped) == 1 else f"({'|'.join(escaped)})"

    def as_format(self, name: str) -> str:
        """Return it as a reference with a format such as ``${run:regex}`` asks."""
        if name == "regex":
            escaped = [re.sub(r"[\\^$*+?.()|\[\]{}/]", r"\\\g<0>", value) for value in self.values]
            return escaped[0] if len(escaped) == 1 else f"({'|'.join(escaped)})"
        if name == "pipe":
            return "|".join(self.values)
        if name in ("raw", "csv", "text"):
            return ",".join(self.values)
        if name in ("percentencode", "queryparam"):
            return urllib.parse.quote(",".join(self.values))
        return self.in_query()


def in_expression(value: str) -> str:
    """Escape a value for a regular expression within a string of PromQL: prometheusSpecialRegexEscape."""
    return re.sub(r"[$^*{}\[\]'+?.()|]", r"\\\\\g<0>", value.replace("\\", "\\\\\\\\"))


def fill(text: str, scope: Mapping[str, Value]) -> str:
    """Put the values in; a reference to an unknown variable stays as it is."""

    def replacement(found: re.Match[str]) -> str:
        value = scope.get(found[1] or found[2] or found[4])
        if value is None:
            return found[0]
        wanted = found[3] or found[5]
        return value.as_format(wanted) if wanted else value.in_query()

    return REFERENCE.sub(replacement, text)


def references(text: str) -> set[str]:
    """Return the names of all variables that a text refers to."""
    return {found[1] or found[2] or found[4] for found in REFERENCE.finditer(text)}


def unknown(text: str, scope: Iterable[str]) -> list[str]:
    """Return the variables that a text refers to and the scope lacks; ``$1`` is a group of label_replace."""
    return sorted(name for name in references(text) - set(scope) if not name.isdigit())
