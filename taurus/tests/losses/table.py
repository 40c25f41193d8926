"""The table of known answers, and whether the runs gave them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from tests.losses.rows import Bank, Row

# Of the runs of a row whose fault may lose writes, so many do.
_NEEDED = Fraction(8, 10)
# What was acknowledged while the fault began is lost as well. The journal has a mark each 10 ms.
_MARK_SECONDS = 0.1
_NO_MATTER = ("generator-bound: ", "criterion missed: ")
# A fault of a second costs the load at least so much.
_NOTICED_SECONDS = 0.5
# A ledger line covers a second or, on a busy machine, a little more: two or three end in this time before any moment.
_NEAR_SECONDS = 2.5
# The lines of a file.
Lines = Sequence[Mapping[str, Any]]


def _acknowledged(ledger: Lines, at: float) -> int:
    """Count the writes that were acknowledged in the whole seconds just before a moment."""
    near = [line.get("segments", {}) for line in ledger if at - _NEAR_SECONDS < line["to_ns"] / 1e9 <= at]
    return sum(counted["changed_rows"] for segments in near for mix in segments.values() for counted in mix.values())


class Answer(NamedTuple):
    """What one run lost, and when it had been acknowledged, from the begin on; ``fault`` says what went wrong.

    ``acknowledged`` counts the writes of the seconds just before: those that the fault could lose.
    """

    lost: int
    from_seconds: float = 0.0
    to_seconds: float = 0.0
    in_effect_seconds: float = 0.0
    fault: str = ""
    acknowledged: int = 0

    @staticmethod
    def of(row: Row, summary: Mapping[str, Any], events: Lines, ledger: Lines) -> Answer:
        """Read it from summary.json, faults.jsonl and ledger. A busy machine binds the generator and hides no loss."""
        (fault,) = summary["faults"]
        at = {event["event"]: event["load_ns"] / 1e9 for event in events if event["event"] in ("begin", "begun")}
        code, reasons = summary["verdict"]["code"], summary["verdict"]["reasons"]
        wrong = summary["verification"]["verdict"]
        if not fault["injected"] or "begun" not in at:
            return Answer(0, fault="never injected")
        acknowledged = _acknowledged(ledger, at["begin"])
        if not acknowledged:
            return Answer(0, fault="no write was acknowledged before it, so none could be lost")
        back = fault["recovered_after_seconds"]
        if row.noticed and back is not None and back < _NOTICED_SECONDS:
            return Answer(0, fault="no call noticed it")
        is_bound = code == 5 and all(reason.startswith(_NO_MATTER) for reason in reasons)
        if not (code in (0, 3) or is_bound) or wrong == "not run":
            return Answer(0, fault="; ".join([f"code {code}, verification {wrong}", *reasons]))
        lost = fault["lost_writes"]
        first, last = fault["lost_from_seconds"] or 0.0, fault["lost_to_seconds"] or 0.0
        return Answer(lost, first, last, at["begun"] - at["begin"], acknowledged=acknowledged)

    def problem(self, row: Row) -> str:
        """Return what is wrong with it, nothing if it may be."""
        if self.fault or not self.lost:
            return self.fault
        if row.bound_seconds is None:
            return f"{self.lost} lost"
        if self.from_seconds < -row.bound_seconds:
            return f"lost from {self.from_seconds} s on, before {-row.bound_seconds} s"
        latest = self.in_effect_seconds + _MARK_SECONDS
        return f"lost until {self.to_seconds} s, after {latest:.2f} s" if self.to_seconds > latest else ""


# Each row with its runs; None if it was not run.
Results = Sequence[tuple[Row, Sequence[Answer] | None]]


def holds(row: Row, answers: Sequence[Answer]) -> bool:
    """Tell whether the runs of a row gave the known answer."""
    if any(answer.problem(row) for answer in answers):
        return False
    return row.bound_seconds is None or sum(answer.lost > 0 for answer in answers) >= _NEEDED * len(answers)


def markdown(results: Results) -> str:
    """Return the table."""
    lines = [
        "| row | setting | may lose | acknowledged before | acknowledged writes lost | acknowledged at | answer |",
        "|---|---|---|---|---|---|---|",
    ]
    for row, answers in results:
        may = "nothing" if row.bound_seconds is None else f"{row.bound_seconds:g} s"
        if answers is None:
            lines.append(f"| {row.name} | {row.made} | {may} | | | | not run: {row.needs} is missing |")
            continue
        lossy = [answer for answer in answers if answer.lost]
        moments = ""
        if lossy:
            first, last = min(answer.from_seconds for answer in lossy), max(answer.to_seconds for answer in lossy)
            moments = f"{first * 1000:+.0f} to {last * 1000:+.0f} ms"
        before = min(answer.acknowledged for answer in answers)
        lost = ", ".join(str(answer.lost) for answer in answers)
        problems = "; ".join(answer.problem(row) for answer in answers if answer.problem(row))
        verdict = "holds" if holds(row, answers) else f"**does not hold**: {problems or 'too few runs lost something'}"
        lines.append(f"| {row.name} | {row.made} | {may} | {before} | {lost} | {moments} | {verdict} |")
    return "\n".join(lines)


def bank_markdown(results: Sequence[tuple[Bank, str | None]]) -> str:
    """Return the table of the banks: what is wrong with each, nothing or None if it was not run."""
    lines = ["| row | what is made | money and verdict |", "|---|---|---|"]
    for row, problem in results:
        said = (
            f"not run: {row.needs} is missing" if problem is None else f"**wrong**: {problem}" if problem else "right"
        )
        lines.append(f"| {row.name} | {row.made} | {said} |")
    return "\n".join(lines)
