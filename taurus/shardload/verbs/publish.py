"""The verb ``publish``: which runs go into which store; the import itself is made by the Java child."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shardload import exit_codes
from shardload.config.hosts import is_local, resolve
from shardload.config.merge import Merged
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.processes.child import ChildDied, ChildError
from shardload.processes.session import Session, describe
from shardload.results.bundle import is_bundle
from shardload.terminal import Terminal
from shardload.verbs.compare import bundles_of, find_run
from shardload.verbs.hosts import read_run

DEFAULT_URL = "http://127.0.0.1:8428"


def publish(options: argparse.Namespace, places: Places) -> int:
    """Publish each run; one that fails does not stop the others."""
    terminal = Terminal()
    bundles = list(dict.fromkeys(bundles_of([find_run(text, places) for text in options.runs], places)))
    if not bundles:
        raise Problem("publish: the series has no runs yet")
    for bundle in bundles:
        if not is_bundle(bundle):
            raise Problem(f"{places.show(bundle)} belongs to the series and is not there")
    stores = [_store(options, bundle) for bundle in bundles]
    code = 0
    for number, (bundle, store) in enumerate(zip(bundles, stores), 1):
        head = f"{number} of {len(bundles)}  " if len(bundles) > 1 else ""
        try:
            terminal.line(head + _publish(bundle, store, places, terminal))
        except (ChildError, ChildDied) as error:
            terminal.line(f"{head}{bundle.name}: not published: {describe(error)}")
            code = exit_codes.WRONG_USE
        except KeyboardInterrupt:
            terminal.clear()
            terminal.line(f"{bundle.name}: interrupted; publish it again, the store may have a part of it")
            return exit_codes.INTERRUPTED
    return code


def _publish(bundle: Path, store: dict[str, Any], places: Places, terminal: Terminal) -> str:
    session = Session({}, Merged({}), places, terminal, None)
    try:
        done = session.call("publish", directory=str(bundle), progress=terminal.is_terminal, **store)
    finally:
        session.close()
    for problem in done.get("problems") or []:
        terminal.line(f"warning: {bundle.name}: {problem}")
    return (
        f"{bundle.name}: {store['url']} shows {done['operations']:,} operations, as the ledger "
        f"({done['series']:,} series, {done['samples']:,} samples)"
    )


def _store(options: argparse.Namespace, bundle: Path) -> dict[str, Any]:
    """Return address and credentials: those given, or else those of the run's target. Secrets stay where they are."""
    own = read_run(bundle).get("store") or {}
    url = options.url or own.get("url") or DEFAULT_URL
    names = {"token_env": options.token_env, "user": options.user, "password_env": options.password_env}
    if not any(names.values()) and not options.url:
        names = {key: own.get(key) for key in names}
    if names["token_env"] and (names["user"] or names["password_env"]):
        raise Problem("publish: give a token or a user with a password, not both")
    if bool(names["user"]) != bool(names["password_env"]):
        raise Problem("publish: --user and --password-env belong together")
    for name in (names["token_env"], names["password_env"]):
        if name and not os.environ.get(name):
            raise Problem(f"the environment variable {name} is not set; it has to hold the store's secret")
    _check(url, has_secret=any(names.values()))
    return {"url": url, **{key: value for key, value in names.items() if value}}


def _check(url: str, has_secret: bool) -> None:
    if "@" in url:
        # Anywhere: a password may contain a slash. It is not in the message.
        raise Problem("--url: user-info in a URL would end up in logs; use --user and --password-env instead")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise Problem(f"--url: {url} is no address of a store, as {DEFAULT_URL}")
    if has_secret and parts.scheme == "http":
        address = resolve(host)
        if address is None or not is_local(address):
            raise Problem(f"--url: a secret would go to {host} in clear; use https")
