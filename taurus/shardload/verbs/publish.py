"""The verb ``publish``: which runs go into which store; the import itself is made by the Java child."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shardload import exit_codes
from shardload.config.merge import Merged, read_source
from shardload.config.paths.find import find_file, is_path
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.store import EXAMPLE, KEYS, Store
from shardload.processes.child import ChildDied, Interrupted
from shardload.processes.session import Session, describe
from shardload.processes.signals import StopRequest
from shardload.results.bundle import is_bundle
from shardload.terminal import Terminal
from shardload.verbs.compare import bundles_of, find_run
from shardload.verbs.hosts import read_run


def publish(options: argparse.Namespace, places: Places) -> int:
    """Publish each run; one that fails does not stop the others."""
    terminal = Terminal()
    bundles = list(dict.fromkeys(bundles_of([find_run(text, places) for text in options.runs], places)))
    if not bundles:
        raise Problem("publish: there are no runs yet")
    given_store(options)  # what is wrong for all runs is said once
    stop = StopRequest(terminal.line, abandon_at=2).install()
    code = exit_codes.OK
    for number, bundle in enumerate(bundles, 1):
        head = f"{number} of {len(bundles)}  " if len(bundles) > 1 else ""
        try:
            if not is_bundle(bundle):
                raise Problem("the series names this run, which does not exist")
            store = store_of(options, bundle, places)
            terminal.line(head + _publish(bundle, store, places, terminal, stop.is_made))
        except (Problem, ChildDied) as error:
            terminal.line(f"{head}{bundle.name}: not published: {describe(error)}")
            code = exit_codes.WRONG_USE
        except Interrupted:
            terminal.clear()
            terminal.line(f"{head}{bundle.name}: interrupted; publish it again, the store may have a part of it")
            return exit_codes.INTERRUPTED
    return code


def _publish(bundle: Path, store: Store, places: Places, terminal: Terminal, is_interrupted: Callable[[], bool]) -> str:
    with Session({}, Merged({}), places, terminal, None) as session:
        done = session.call(
            "publish", is_interrupted, directory=str(bundle), progress=terminal.is_terminal, **store.to_json()
        )
    for problem in done.get("problems") or []:
        terminal.line(f"warning: {bundle.name}: {problem}")
    return (
        f"{bundle.name}: {store.url} shows {done['operations']:,} operations, the same as the ledger "
        f"({done['series']:,} series, {done['samples']:,} samples)"
    )


def given_store(options: argparse.Namespace) -> Store | None:
    """Return the store that the options name, the same for all runs; None without ``--url``."""
    given = {key: getattr(options, key.replace("-", "_")) for key in KEYS}
    return None if given["url"] is None else _checked(given, dict.fromkeys(KEYS, "--{}"))


def store_of(options: argparse.Namespace, bundle: Path, places: Places) -> Store:
    """Return the store that the options name, or else that of the run's target.

    A bundle may come from anywhere: an address or a variable that it names is used only where the target file of this
    checkout has the same.
    """
    store = given_store(options)
    if store is not None:
        return store
    config = read_run(bundle)
    recorded = config.get("store")
    own = recorded if isinstance(recorded, Mapping) else {}
    url = _text(own.get("url"))
    values = {key: getattr(options, key.replace("-", "_")) for key in KEYS}
    places_of_keys = dict.fromkeys(KEYS, "--{}")
    is_of_bundle = url is not None and not any(values.values())
    if is_of_bundle:
        values = {key: _text(own.get(key.replace("-", "_"))) for key in KEYS}
        places_of_keys = dict.fromkeys(KEYS, "run.json: store.{}")
    values["url"] = url
    places_of_keys["url"] = "run.json: store.{}"
    known = _known(config, places)
    named = {key: value for key, value in values.items() if value} if is_of_bundle else {"url": url}
    _checked({**dict.fromkeys(KEYS), "url": url}, places_of_keys)
    # Before the check of the credentials, which looks up the host's name and the variable.
    if url is not None and named != {key: known.get(key) for key in (known if is_of_bundle else ("url",))}:
        raise Problem(_refusal(values))
    return _checked(values, places_of_keys)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _checked(values: Mapping[str, str | None], places_of_keys: Mapping[str, str]) -> Store:
    store = Store(values["url"] or EXAMPLE, values["token-env"], values["user"], values["password-env"])
    try:
        store.check()
    except Problem as problem:
        key = problem.key or "url"
        raise Problem(f"{places_of_keys[key].format(key)}: {problem}") from None
    return store


def _known(config: Mapping[str, Any], places: Places) -> dict[str, str]:
    """Return address and credentials in the target file of this checkout; empty if there are none."""
    target = config.get("target")
    name = str(target.get("name") if isinstance(target, Mapping) else target)
    if is_path(name):  # it could lead to a file that came with the bundle
        return {}
    try:
        path = find_file(places, "target", name)
        section: Any = read_source(path, places).content.get("target")
    except Problem:
        return {}
    metrics = section.get("metrics") if isinstance(section, Mapping) else None
    if not isinstance(metrics, Mapping):
        return {}
    return {key: str(metrics[key]).strip() for key in KEYS if metrics.get(key) is not None}


def _refusal(values: Mapping[str, str | None]) -> str:
    consent = [part for key in KEYS if (value := values[key]) for part in (f"--{key}", value)]
    secret = values["token-env"] or values["password-env"]
    return (
        f"its run.json names the store {values['url']}{f' with the secret in {secret}' if secret else ''}, "
        f"but the target file on this machine does not; {shlex.join(consent)} allows it"
    )
