"""The table of known answers: a set-up, a fault, and whether it may lose acknowledged writes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

from tests.losses import bank, setups
from tests.losses.setups import Site

_FERRETDB = "SHARDLOAD_FERRETDB"
_MONGODB = "SHARDLOAD_TEST_MONGODB_REPLICA_SET_URL"
_TOXIPROXY = "SHARDLOAD_TOXIPROXY"
_OWN = 10
_BUILT = 3


class Row(NamedTuple):
    """One set-up: what is made, and what its fault loses.

    ``bound_seconds`` is None where nothing may be lost; otherwise no lost write was acknowledged longer before the
    fault. ``set_up`` makes servers and their target for one run and yields the options of the run. ``needs`` is the
    environment variable or the program without which the row cannot run. ``noticed`` is false for a fault that costs
    the load nothing. Fewer ``documents`` let FerretDB 1, which reads all of them for each call, write more.
    """

    name: str
    made: str
    fault: str
    set_up: Callable[[Site], AbstractContextManager[list[str]]]
    bound_seconds: float | None = None
    runs: int = _OWN
    hold_seconds: int = 8
    needs: str = ""
    noticed: bool = True
    documents: int = 5000


def _setting(kind: str, name: str, value: str) -> Callable[[Site], AbstractContextManager[list[str]]]:
    return lambda site: getattr(setups, kind)(site, {name: value})


_UNSYNCED = "lose-unsynced"
_FAIL_OVER = "fail-over"
_STANDBYS = "synchronous_standby_names"
_COMMIT, _FLUSH = "synchronous_commit", "innodb_flush_log_at_trx_commit"
# Three times wal_writer_delay, as the documentation of PostgreSQL says; a second and what a flush takes on MariaDB.
_WRITER, _SECOND = 0.6, 1.5
# Nothing was replicated from the begin of the fault on; what was on its way then is lost as well.
_CUT = 0.5


def _table() -> list[Row]:
    rows = []
    ferretdb = partial(Row, runs=_BUILT, needs=_FERRETDB, documents=200)
    for kind, needs in (("embedded", ""), ("debian", "/usr/lib/postgresql")):
        for value, bound in (("on", None), ("off", _WRITER)):
            set_up = _setting(f"{kind}_postgresql", _COMMIT, value)
            rows.append(Row(f"{kind}-postgresql-{value}", f"{_COMMIT} {value}", _UNSYNCED, set_up, bound, needs=needs))
    for kind, needs in (("embedded", ""), ("debian", "/usr/sbin/mariadbd")):
        for value, bound in (("1", None), ("2", _SECOND), ("0", _SECOND)):
            set_up = _setting(f"{kind}_mariadb", _FLUSH, value)
            rows.append(Row(f"{kind}-mariadb-{value}", f"{_FLUSH} {value}", _UNSYNCED, set_up, bound, needs=needs))
    for name, names, bound in (("synchronous", "*", None), ("asynchronous", "", _CUT)):
        made = f"standby promoted, synchronous_standby_names '{names}'"
        set_up = _setting("standby", _STANDBYS, names)
        rows.append(Row(f"standby-{name}", made, _FAIL_OVER, set_up, bound))
        above = _setting("ferretdb_standby", _STANDBYS, names)
        rows.append(ferretdb(f"ferretdb-standby-{name}", made, _FAIL_OVER, above, bound))
    for value, bound in (("on", None), ("off", 3.0)):
        set_up = _setting("ferretdb", _COMMIT, value)
        rows.append(ferretdb(f"ferretdb-{value}", f"{_COMMIT} {value}", _UNSYNCED, set_up, bound))
    for fault, made in (("split", "the link is down"), ("slow-link", "the link makes 1 Mbit/s")):
        rows.append(Row(f"postgresql-{fault}", made, fault, _setting("network", fault, ""), None, _BUILT))
    made = "a proxy delays each answer by 50 ms"
    rows.append(Row("postgresql-delay", made, "delay", setups.delay, None, _BUILT, needs=_TOXIPROXY))
    made = "the server's clock goes an hour ahead, and back"
    needs = setups.FAKETIME
    rows.append(Row("postgresql-clock", made, "clock", setups.clock, None, _BUILT, needs=needs, noticed=False))
    for value, bound in (("majority", None), ("1", _CUT)):
        made = f"w: {value}, the secondaries are stopped for 2 s, and the primary is killed"
        set_up = _setting("mongodb", "write-concern", value)
        rows.append(Row(f"mongodb-{value}", made, _FAIL_OVER, set_up, bound, _BUILT, 24, _MONGODB))
    return rows


ROWS = _table()


class Bank(NamedTuple):
    """Servers that die at random under transfers of money."""

    name: str
    made: str
    set_up: Callable[[Site], AbstractContextManager[bank.Made]]
    needs: str = ""


_DIES = "killed and stopped at random"
BANKS = [
    Bank("bank-postgresql", f"primary and synchronous standby, {_DIES}", bank.postgresql),
    Bank("bank-mariadb", f"embedded server, {_DIES}", bank.mariadb),
    Bank("bank-ferretdb", f"PostgreSQL below, {_DIES}", bank.ferretdb, _FERRETDB),
    Bank("bank-mongodb", "members of a replica set, killed at random", bank.mongodb, _MONGODB),
]
