"""The search for the capacity in virtual time: models of servers whose knee is known."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from shardload.config.values.search import Plan
from shardload.verbs.capacity.model import Answer, Ended, Next, Outcome, Trial
from shardload.verbs.capacity.search import MOST_INVALID, MOST_RUNS, decide

RUN_SECONDS = 40.0
NO_END = 1e12

Model = Callable[[float], Outcome]


def search(plan: Plan, model: Model) -> tuple[Answer, list[Trial]]:
    trials: list[Trial] = []
    while True:
        found = decide(plan, trials, RUN_SECONDS * len(trials))
        if isinstance(found, Answer):
            return found, trials
        trials.append(Trial(found.rate, model(found.rate), RUN_SECONDS))


def knee_at(knee: float, noise: float, draws: random.Random, invalid: float = 0.0) -> Model:
    """Each run finds the knee elsewhere: normally distributed on a logarithmic scale."""

    def model(rate: float) -> Outcome:
        if draws.random() < invalid:
            return Outcome.INVALID
        return Outcome.GOOD if rate <= knee * math.exp(draws.gauss(0, noise)) else Outcome.BAD

    return model


def draw_knee(seed: int) -> float:
    return math.exp(random.Random(seed + 1_000_000).uniform(math.log(20), math.log(50_000)))


def brackets(found: Answer, knee: float) -> bool:
    return bool(found.low and found.high and found.low.rate <= knee <= found.high.rate)


@pytest.mark.parametrize(("noise", "seeds"), [(0.01, 100), (0.05, 1000), (0.1, 300)])
def test_brackets_a_knee_that_noise_moves(noise: float, seeds: int) -> None:
    """The promise is 95 of 100 searches; a thousand tell 97 from 95."""
    hits = 0
    for seed in range(seeds):
        knee = draw_knee(seed)
        found, trials = search(Plan(200, max_seconds=NO_END), knee_at(knee, noise, random.Random(seed)))
        assert found.ended is Ended.FOUND
        assert found.low and found.high and found.low.confirmed and found.high.confirmed
        assert len(trials) < MOST_RUNS / 2
        hits += brackets(found, knee)
    assert hits >= seeds * (0.97 if noise == 0.05 else 0.95)


@pytest.mark.parametrize("precision", [0.01, 0.05, 0.5])
@pytest.mark.parametrize("start", [3, 203.7, 40_000])
def test_without_noise_always_brackets_as_narrow_as_asked(precision: float, start: float) -> None:
    for seed in range(100):
        knee = draw_knee(seed)
        found, trials = search(Plan(start, precision, NO_END), knee_at(knee, 0, random.Random(seed)))
        assert brackets(found, knee)
        assert found.low and found.high
        assert found.high.rate / found.low.rate <= (1 + precision) * 1.002
        assert (found.low.good, found.low.bad, found.high.good, found.high.bad) == (4, 0, 0, 4)
        assert len(trials) <= 2 * 3 + 2 + 20 + math.log2(1 / math.log2(1 + precision)) + 1


def test_a_bad_first_run_costs_two_runs_rather_than_a_way_down() -> None:
    outcomes = iter([Outcome.BAD])
    warm = knee_at(1000, 0, random.Random(1))
    found, trials = search(Plan(200, max_seconds=NO_END), lambda rate: next(outcomes, None) or warm(rate))

    assert [trial.rate for trial in trials[:5]] == [200, 200, 200, 400, 800]
    assert brackets(found, 1000)


def test_says_at_least_the_highest_rate_when_nothing_fails() -> None:
    found, trials = search(Plan(200, max_seconds=NO_END, max_rate=1000), lambda rate: Outcome.GOOD)

    assert [trial.rate for trial in trials] == [200, 400, 800, 1000, 1000, 1000, 1000]
    assert found.ended is Ended.MAX_RATE
    assert found.low and found.low.rate == 1000 and found.low.confirmed
    assert found.high is None


def test_ends_in_time_before_a_run_that_would_not_fit() -> None:
    found, trials = search(Plan(200, max_seconds=4.5 * RUN_SECONDS), lambda rate: Outcome.GOOD)

    assert len(trials) == 4
    assert found.ended is Ended.MAX_DURATION
    assert found.low and found.low.rate == 1600 and not found.low.confirmed
    assert found.high is None


def test_halves_until_something_passes() -> None:
    found, trials = search(Plan(200, max_seconds=NO_END), knee_at(30, 0, random.Random(1)))

    assert [trial.rate for trial in trials[:5]] == [200, 200, 100, 50, 25]
    assert brackets(found, 30)


def test_says_that_nothing_passed() -> None:
    found, trials = search(Plan(200, max_seconds=NO_END, min_rate=10), lambda rate: Outcome.BAD)

    assert [trial.rate for trial in trials] == [200, 200, 100, 50, 25, 12.5]
    assert found.ended is Ended.NOTHING_PASSED
    assert found.low is None and found.high and found.high.rate == 12.5


def test_a_generator_at_its_limit_stops_the_doubling() -> None:
    def model(rate: float) -> Outcome:
        return Outcome.BOUND if rate > 1000 else Outcome.GOOD

    found, trials = search(Plan(200, max_seconds=NO_END), model)

    assert max(trial.rate for trial in trials) == 1600
    assert found.ended is Ended.BOUND
    assert found.low and 950 <= found.low.rate <= 1000 and found.low.confirmed
    assert found.high is None


def test_a_knee_below_the_limit_of_the_generator_is_found() -> None:
    def model(rate: float) -> Outcome:
        return Outcome.BOUND if rate > 1500 else Outcome.GOOD if rate <= 1100 else Outcome.BAD

    found, _ = search(Plan(200, max_seconds=NO_END), model)

    assert found.ended is Ended.FOUND
    assert brackets(found, 1100)


def test_a_generator_that_offers_no_rate_at_all_is_no_fault_of_the_target() -> None:
    found, _ = search(Plan(200, max_seconds=NO_END), lambda rate: Outcome.BOUND)

    assert (found.ended, found.low, found.high) == (Ended.BOUND, None, None)


def test_invalid_runs_are_repeated_at_their_rate() -> None:
    hits = 0
    given_up = 0
    for seed in range(200):
        knee = draw_knee(seed)
        found, trials = search(Plan(200, max_seconds=NO_END), knee_at(knee, 0.02, random.Random(seed), invalid=0.05))
        given_up += found.ended is Ended.INVALID
        hits += brackets(found, knee)
        for this, after in zip(trials, trials[1:]):
            assert this.outcome is not Outcome.INVALID or after.rate == this.rate
    assert given_up <= 4
    assert hits >= 190


def test_gives_up_after_invalid_runs_one_after_the_other_and_keeps_what_is_known() -> None:
    outcomes = {200.0: Outcome.GOOD, 400.0: Outcome.INVALID}
    found, trials = search(Plan(200, max_seconds=NO_END), lambda rate: outcomes[rate])

    assert len(trials) == 1 + MOST_INVALID
    assert found.ended is Ended.INVALID
    assert found.low and found.low.rate == 200 and found.high is None


def test_one_lucky_run_far_above_the_knee_is_outvoted() -> None:
    lucky = iter([True])

    def model(rate: float) -> Outcome:
        if rate == 800 and next(lucky, False):
            return Outcome.GOOD
        return Outcome.GOOD if rate <= 600 else Outcome.BAD

    found, _ = search(Plan(200, max_seconds=NO_END), model)

    assert brackets(found, 600)
    assert found.low and found.high and found.high.rate / found.low.rate < 1.06


def test_a_coin_ends_the_search_some_time() -> None:
    for seed in range(20):
        draws = random.Random(seed)

        def model(rate: float, draws: random.Random = draws) -> Outcome:
            return draws.choice([Outcome.GOOD, Outcome.BAD])

        found, trials = search(Plan(200, max_seconds=NO_END), model)
        assert len(trials) <= MOST_RUNS
        assert isinstance(found, Answer)


def test_begins_with_the_start_rate() -> None:
    assert decide(Plan(321), []) == Next(321, "the start rate")
