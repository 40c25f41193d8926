"""The page: static HTML without script and address, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

from shardload.verbs.acceptance.model import FAILED, NOT_APPLICABLE, NOT_RUN, PASSED, Result

GENERATOR = '<meta name="generator" content="shardload acceptance">'
_STYLE = """
:root { color-scheme: light dark } body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto;
  padding: 0 1rem } table { border-collapse: collapse; width: 100% } th { font-weight: 500 }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid #8886 }
td:first-child, td:nth-child(2):not(:last-child), td:nth-child(4) { white-space: nowrap } td { overflow-wrap: anywhere }
.passed { color: light-dark(#1a7f37, #3fb950) } .failed { color: light-dark(#cf222e, #f85149) }
.not-run { color: light-dark(#9a6700, #d29922) } .not-applicable, .proves, .note { opacity: .7 }
h2 { break-after: avoid } tr { break-inside: avoid }
@media print, (max-width: 40rem) { tr { display: flex; flex-wrap: wrap; gap: 0 .8rem; border-bottom: 1px solid #8886 }
  th, td { border: 0; padding: .1rem 0; min-width: 0 } td:nth-child(3) { order: 1; flex-basis: 100% } }
"""
_HEAD = "<tr><th>check</th><th>result</th><th>what it proves, and what was found</th><th>time</th></tr>"


def counts(results: Sequence[Result]) -> str:
    """Return how many checks ended how, in words."""
    ended = [each.status for each in results]
    return ", ".join(
        f"{ended.count(status)} {status}" for status in (FAILED, NOT_RUN, PASSED, NOT_APPLICABLE) if status in ended
    )


def write(
    file: Path, facts: Mapping[str, str], results: Sequence[Result], redact: Callable[[str], str], code: int
) -> None:
    """Write the page and the same as JSON next to it; every foreign text passes ``redact``."""
    hidden = {name: redact(value) for name, value in facts.items()}
    checks = [
        {"name": each.check.name, "proves": each.check.proves, "status": each.status, "why": redact(each.why),
         "seconds": round(each.seconds, 1)}
        for each in results
    ]  # fmt: skip
    told = json.dumps({"exit": code, "facts": hidden, "checks": checks}, indent=2) + "\n"
    file.parent.mkdir(parents=True, exist_ok=True)
    for path, text in ((file, _html(hidden, checks, counts(results), code)), (file.with_suffix(".json"), told)):
        part = path.with_name(path.name + ".part")
        part.write_text(text, encoding="utf-8")
        part.replace(path)


def _html(facts: Mapping[str, str], checks: Sequence[Mapping[str, object]], ended: str, code: int) -> str:
    listed = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts.items())
    applied = "".join(_row(each) for each in checks if each["status"] != NOT_APPLICABLE)
    beyond = "".join(_row(each) for each in checks if each["status"] == NOT_APPLICABLE)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
{GENERATOR}<title>shardload acceptance</title><style>{_STYLE}</style></head><body>
<h1>shardload acceptance</h1>
<p class="{"passed" if code == 0 else "failed"}"><strong>{escape(ended)}; exit code {code}</strong></p>
<p class="note">Hosts, addresses, users, secrets and paths are left out: &lt;host&gt;, &lt;user&gt;, &lt;path&gt;
stand for them. Read it before you pass it on.</p>
<h2>What was tested</h2><table>{listed}</table>
<h2>Checks</h2><table>{_HEAD}{applied}</table>
<h2>Not applicable</h2><table>{_HEAD}{beyond}</table>
</body></html>
"""


def _row(each: Mapping[str, object]) -> str:
    name, proves, status, why = (escape(str(each[key])) for key in ("name", "proves", "status", "why"))
    return (
        f'<tr><td><code>{name}</code></td><td class="{status.replace(" ", "-")}">{status}</td>'
        f'<td><span class="proves">{proves}</span><br>{why}</td><td>{each["seconds"]} s</td></tr>\n'
    )
