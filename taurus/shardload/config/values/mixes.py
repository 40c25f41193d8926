"""Mixes: percent per transaction, exactly 100 in sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_DOWN, Decimal, InvalidOperation
from typing import Any

from shardload.config.problem import Problem

_HUNDRED = Decimal(100)
_GRAIN = Decimal("0.0001")


class WrongSum(Problem):
    """The shares of a mix, which can be read, do not sum to 100; a misspelt name may be the reason."""

    def __init__(self, shares: dict[str, Decimal], total: Decimal) -> None:
        super().__init__(f"the shares sum to {show(total)}, not to 100")
        self.shares = shares


def check_mix(mix: Any) -> dict[str, Decimal]:
    """Return the shares of a mix above 0, or say what is wrong with it."""
    if not isinstance(mix, Mapping) or not mix:
        raise Problem("a mix must name at least one transaction, such as {insert: 100}")
    shares = {}
    for name, value in mix.items():
        try:
            share = Decimal("nan" if isinstance(value, bool) else str(value))
        except InvalidOperation:
            share = Decimal("nan")
        if not share.is_finite():
            raise Problem(f'share "{value}" of {name} is not a percentage')
        if share < 0:
            raise Problem(f"share {value} of {name} is negative")
        shares[str(name)] = share
    total = sum(shares.values(), Decimal(0))
    if total != _HUNDRED:
        raise WrongSum(shares, total)
    return {name: share for name, share in shares.items() if share > 0}


def show(share: Decimal) -> str:
    """Show a share without needless zeros."""
    text = f"{share:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def combine(parts: Sequence[tuple[Decimal, Mapping[str, Decimal]]]) -> dict[str, Decimal]:
    """Return the one mix that equals several mixes of given weights side by side.

    Shares are rounded to 0.0001 %; what rounding loses goes to the largest.
    """
    whole = sum((weight for weight, _ in parts), Decimal(0))
    joined: dict[str, Decimal] = {}
    for weight, mix in parts:
        for name, share in mix.items():
            joined[name] = joined.get(name, Decimal(0)) + weight * share / whole
    rounded = {name: share.quantize(_GRAIN, ROUND_DOWN) for name, share in joined.items()}
    largest = max(rounded, key=lambda name: rounded[name])
    rounded[largest] += _HUNDRED - sum(rounded.values(), Decimal(0))
    return rounded


def one_item(items: Sequence[Any], scenarios: Mapping[str, Mapping[str, Decimal]]) -> str:
    """Say that one item is allowed, with the one that means the same."""
    text = f"{len(items)} execution items; a run has one mix on one schedule"
    key = "throughput" if all(isinstance(item, Mapping) and item.get("throughput") for item in items) else "concurrency"
    try:
        weights = [Decimal(str(item[key])) for item in items]
        mixes = [scenarios[str(item.get("scenario") or "mix")] for item in items]
        mix = ", ".join(f"{name}: {show(share)}" for name, share in combine(list(zip(weights, mixes))).items())
    except (ArithmeticError, KeyError, TypeError, AttributeError):
        return text + "; join their mixes into one scenario"
    return f"{text}; the same load is one item with {key}: {show(sum(weights, Decimal(0)))} and mix: {{{mix}}}"
