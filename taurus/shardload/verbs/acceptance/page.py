"""The page: static HTML without script and address, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

from shardload.verbs.acceptance.model import FAILED, NOT_APPLICABLE, NOT_RUN, PASSED, Result

GENERATOR = '<meta name="generator" content="shardload acceptance">'
_ORDER = (FAILED, NOT_RUN, PASSED, NOT_APPLICABLE)
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d1d9e0; --ground: #fff;
  --passed: #1a7f37; --failed: #cf222e; --open: #9a6700; --not: #59636e }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --ground: #0d1117;
  --passed: #3fb950; --failed: #f85149; --open: #d29922; --not: #9198a1 } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 72rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 0 .3rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem } p { margin: .3rem 0 }
table { border-collapse: collapse; width: 100% } th { text-align: left; color: var(--soft); font-weight: 500 }
td, th { padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td.name { white-space: nowrap; font-family: ui-monospace, monospace; font-size: 13px }
td.why { overflow-wrap: anywhere } td.time { text-align: right; white-space: nowrap; color: var(--soft) }
td.status { white-space: nowrap; font-weight: 600 } .proves { color: var(--soft) }
.passed { color: var(--passed) } .failed { color: var(--failed) } .not-run { color: var(--open) }
.not-applicable { color: var(--not) }
.verdict { font-size: 1.15rem; font-weight: 600 } .note { color: var(--soft) }
"""
_HEAD = "<tr><th>check</th><th>result</th><th>what it proves, and what was found</th><th>time</th></tr>"


def counts(results: Sequence[Result]) -> str:
    """Return how many checks ended how, in words."""
    numbers = {status: sum(1 for each in results if each.status == status) for status in _ORDER}
    return ", ".join(f"{number} {status}" for status, number in numbers.items() if number)


def write(
    file: Path, facts: Mapping[str, str], results: Sequence[Result], redact: Callable[[str], str], code: int
) -> None:
    """Write the page and the same as JSON next to it; every foreign text passes ``redact``."""
    hidden = {name: redact(value) for name, value in facts.items()}
    rows = [(each, redact(each.why)) for each in results]
    file.parent.mkdir(parents=True, exist_ok=True)
    _whole(file, _html(hidden, rows, code))
    _whole(file.with_suffix(".json"), json.dumps(_json(hidden, rows, code), indent=2) + "\n")


def _whole(file: Path, text: str) -> None:
    part = file.with_name(file.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def _json(facts: Mapping[str, str], rows: Sequence[tuple[Result, str]], code: int) -> dict[str, object]:
    checks = [
        {
            "name": each.check.name,
            "proves": each.check.proves,
            "status": each.status,
            "why": why,
            "seconds": round(each.seconds, 1),
        }
        for each, why in rows
    ]
    return {"exit": code, "facts": dict(facts), "checks": checks}


def _html(facts: Mapping[str, str], rows: Sequence[tuple[Result, str]], code: int) -> str:
    results = [each for each, _ in rows]
    listed = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts.items())
    checks = "".join(_row(each, why) for each, why in rows if each.status != NOT_APPLICABLE)
    beyond = "".join(_row(each, why) for each, why in rows if each.status == NOT_APPLICABLE)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
{GENERATOR}<title>shardload acceptance</title><style>{_STYLE}</style></head><body>
<h1>shardload acceptance</h1>
<p class="verdict {"passed" if code == 0 else "failed"}">{escape(counts(results))}; exit code {code}</p>
<p class="note">Hosts, addresses, users, secrets and paths are left out: &lt;host&gt;, &lt;user&gt;, &lt;path&gt;
stand for them. Read it before you pass it on.</p>
<h2>What was tested</h2><table>{listed}</table>
<h2>Checks</h2>
<table>{_HEAD}{checks}</table>
<h2>Not applicable</h2>
<table>{_HEAD}{beyond}</table>
</body></html>
"""


def _row(each: Result, why: str) -> str:
    style = each.status.replace(" ", "-")
    time = f"{each.seconds:.0f} s" if each.seconds >= 0.5 else ""
    return (
        f'<tr><td class="name">{escape(each.check.name)}</td><td class="status {style}">{escape(each.status)}</td>'
        f'<td class="why"><span class="proves">{escape(each.check.proves)}</span><br>{escape(why)}</td>'
        f'<td class="time">{time}</td></tr>\n'
    )
