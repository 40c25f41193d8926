"""A folder whose posts are followed: each row is read back, and what was altered by hand is named by its key."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymongo
import pytest

from tests.e2e.conftest import CLOSED, ROOT, RealCheckout, options
from tests.e2e.ferretdb import Postgresql, ferretdb, postgresql
from tests.e2e.test_own_workload import on
from tests.e2e.test_real import assert_code, assert_sound

pytestmark = pytest.mark.e2e
POSTS = Path(__file__).parent / "posts"
SHORT = options({**CLOSED, "execution.0.hold-for": "3s"})
LIGHT = ["-o", "execution.0.concurrency=2", "-o", "execution.0.statement-timeout=5s"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgresql]:
    with postgresql(ROOT / ".shardload", tmp_path_factory.mktemp("servers")) as made:
        yield made


def lines_of(output: str) -> list[str]:
    """Return what shardload printed; a machine may have told each JVM something, which it mentions."""
    return [line.strip() for line in output.splitlines() if not line.startswith("NOTE: Picked up ")]


def wrong(real: RealCheckout, *arguments: str) -> list[tuple[str, ...]]:
    """Verify a settled data set that somebody altered; return what was found, by kind and text."""
    code, output = real.run("verify", "--workload", str(POSTS), *arguments)
    assert_code(code, 4, output)
    first, *lines = lines_of(output)[1:]
    assert first.startswith("verification: wrong, ")
    return sorted(tuple(line.split(": ", 1)) for line in lines)


def broken(folder: Path, system: str, changes: dict[str, tuple[str, str]]) -> None:
    """Copy the folder with other statements, which the server accepts."""
    shutil.copytree(POSTS, folder)
    for transaction, (right, wrong) in changes.items():
        file = folder / "transactions" / transaction / system
        text = file.read_text()
        assert right in text
        file.write_text(text.replace(right, wrong))


def test_the_check_executes_what_each_transaction_declares(real: RealCheckout, server: Postgresql) -> None:
    """Each statement is accepted by the server, and one call of each is enough to see that it does something else."""
    database = server.beside("rehearsed")
    target = on(real, database)
    code, output = real.run("workload", "check", str(POSTS), *target)
    assert (code, lines_of(output)) == (0, ["posts: nothing wrong found on mine"])
    folder = real.root.parent / "broken"
    file = "postgresql.sql"
    broken(
        folder,
        file,
        {
            "edit-post": ("title = :posts.title, ", ""),
            "remove-post": ("= :posts.before", "= :posts.before + 1"),
            "write-post": (":posts.author, ", "7, "),
            "read-post": ("*", "id, version, author, upper(title) AS title, cents, at, tags, meta"),
        },
    )
    code, output = real.run("workload", "check", str(folder), *target)
    assert code == 1
    left = "does not have what the call must have left there"
    assert [line.split("/transactions/")[-1] for line in lines_of(output)] == [
        f"edit-post/{file}:1: is declared as update, but column title {left}",
        f"read-post/{file}:1: a row violates answer: title",
        f"remove-post/{file}:1: is declared as delete, but 1 rows are there after the call instead of 0",
        f"write-post/{file}:1: is declared as insert, but column author {left}",
        "4 problems on mine",
    ]
    assert database.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"]


def test_every_row_is_read_back_on_postgresql(real: RealCheckout, server: Postgresql) -> None:
    database = server.beside("posts")
    target = on(real, database)
    for _ in range(2):
        code, output = real.run("run", "--workload", str(POSTS), *target, "--profile", "closed", *SHORT)
        summary = assert_sound(real, code, output)
        assert_code(code, 0, output)
        ledger = summary["ledger"]
        assert ledger["done"] == ledger["started"], "no read misses its row, and no write its edition"
        assert "documents, 0 wrong; 2 checks clean" in output
    rows = int(database.execute("SELECT count(*) FROM posts")[0])
    assert summary["verification"]["walked"] == rows

    edited = database.execute("SELECT id || ' ' || version FROM posts WHERE version > 0 ORDER BY id LIMIT 6")
    at = {int(key): int(edition) for key, edition in map(str.split, edited)}
    lost, stale, one, two, ahead, body = at
    absent = "SELECT min(n) FROM generate_series(1, 1000) n WHERE n NOT IN (SELECT id FROM posts)"
    gone, last = map(int, database.execute(absent, "SELECT max(id) FROM posts WHERE version = 0"))
    columns = "author, title, cents, at, tags, meta"
    database.execute(
        "ALTER TABLE posts DROP CONSTRAINT posts_pkey, DROP CONSTRAINT posts_author_fkey",
        f"DELETE FROM posts WHERE id = {lost}",
        f"UPDATE posts SET version = version - 1 WHERE id = {stale}",
        f"UPDATE posts a SET title = b.title FROM posts b WHERE a.id IN ({one}, {two}) AND b.id = {one} + {two} - a.id",
        f"UPDATE posts SET version = version + 1 WHERE id = {ahead}",
        f"UPDATE posts a SET author = -b.author, title = b.title FROM posts b WHERE a.id = {body} AND b.id = {last}",
        f"INSERT INTO posts SELECT {gone}, 0, {columns} FROM posts WHERE id = {last}",
        f"INSERT INTO posts SELECT * FROM posts WHERE id = {last}",
        f"INSERT INTO posts SELECT -7, version, {columns} FROM posts LIMIT 1",
    )
    found = wrong(real, *target)
    older = "title does not belong to this edition"
    assert found[0][0] == "all-counted (after the run)"
    assert found[1:] == sorted(
        [
            ("lost", f"id {lost}, last known at edition {at[lost]}"),
            ("stale", f"id {stale}, at edition {at[stale] - 1} instead of {at[stale]}; {older}"),
            ("corrupted", f"id {one}, title differs at edition {at[one]}"),
            ("corrupted", f"id {two}, title differs at edition {at[two]}"),
            ("corrupted", f"id {ahead}, title differs at edition {at[ahead] + 1}"),
            ("corrupted", f"id {body}, author differs at edition {at[body]}"),
            ("resurrected", f"id {gone}, deleted, but found at edition 0"),
            ("doubled", f"id {last}, found in more than one row"),
            ("foreign", "id -7"),
        ]
    )


def test_every_document_is_read_back_on_ferretdb(real: RealCheckout, tmp_path_factory: pytest.TempPathFactory) -> None:
    with ferretdb(ROOT / ".shardload", tmp_path_factory.mktemp("servers") / "ferretdb") as url:
        real.target("mine", "ferretdb", url=url + "posts", user=None, password_env=None)
        target = ["--target", "mine", *LIGHT]
        folder, file = real.root.parent / "wrong", "mongodb.json"
        other = {"remove-post": ("posts.before", "posts.cents"), "edit-post": ('"posts.title"', '"posts.meta"')}
        broken(folder, file, other)
        code, output = real.run("workload", "check", str(folder), *target)
        assert code == 1
        assert [line.split(":1: ")[-1] for line in lines_of(output)] == [
            "is declared as update, but column title does not have what the call must have left there",
            "is declared as delete, but 1 rows are there after the call instead of 0",
            "2 problems on mine",
        ]
        code, output = real.run("run", "--workload", str(POSTS), *target, "--profile", "closed", *SHORT)
        summary = assert_sound(real, code, output)
        assert_code(code, 0, output)
        assert summary["ledger"]["failed"] == summary["ledger"]["unknown"] == 0
        with pymongo.MongoClient[dict[str, Any]](url) as client:
            posts = client["posts"]["posts"]
            assert summary["verification"]["walked"] == posts.count_documents({})
            lost, swapped, other = [each["id"] for each in posts.find({"version": 0}).sort("id").limit(3)]
            titles = {each["id"]: each["title"] for each in posts.find({"id": {"$in": [swapped, other]}})}
            posts.delete_one({"id": lost})
            posts.update_one({"id": swapped}, {"$set": {"title": titles[other]}})
            posts.update_one({"id": other}, {"$set": {"title": titles[swapped]}})
            posts.insert_one({"id": "no number", "version": 0})
        assert wrong(real, *target) == [
            ("corrupted", f"id {swapped}, title differs at edition 0"),
            ("corrupted", f"id {other}, title differs at edition 0"),
            ("foreign", "id no number"),
            ("lost", f"id {lost}, last known at edition 0"),
        ]


def test_a_bank_on_ferretdb_finds_each_balance_that_somebody_altered(
    real: RealCheckout, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """FerretDB 1 gives the documents of a group only to its first sum."""
    with ferretdb(ROOT / ".shardload", tmp_path_factory.mktemp("servers") / "ferretdb") as url:
        real.target("mine", "ferretdb", url=url + "bank", user=None, password_env=None)
        target = ["--target", "mine", *LIGHT, "-o", "execution.0.scenario=single"]
        code, output = real.run("run", "--workload", "bank", *target, "--profile", "closed", *SHORT)
        assert_sound(real, code, output)
        assert_code(code, 0, output)
        assert "8 checks clean" in output
        with pymongo.MongoClient[dict[str, Any]](url) as client:
            accounts = client["bank"]["accounts"]
            accounts.update_one({"id": 7}, {"$inc": {"balance": 5}})
            accounts.update_one({"id": 8}, {"$inc": {"balance": -5}})
            accounts.delete_one({"id": 9})
        code, output = real.run("verify", "--workload", "bank", *target)
        assert_code(code, 4, output)
        checks = [line.split(" (after", 1)[0] for line in lines_of(output) if " (after the run): wrong" in line]
        assert sorted(checks) == ["balances-are-those-of-the-transfers", "total-is-constant"]


def test_a_bank_finds_each_transfer_that_somebody_altered(real: RealCheckout, server: Postgresql) -> None:
    database = server.beside("bank")
    target = on(real, database)
    transfers = ["-o", "execution.0.scenario=transfers"]
    code, output = real.run("run", "--workload", "bank", *target, "--profile", "closed", *SHORT, *transfers)
    summary = assert_sound(real, code, output)
    assert_code(code, 0, output)
    assert "6 checks clean" in output
    assert summary["verification"]["walked"] == int(database.execute("SELECT count(*) FROM transfers")[0])

    lost, twice, half, other, moved = map(int, database.execute("SELECT id FROM transfers LIMIT 5"))
    database.execute(
        "ALTER TABLE transfers DROP CONSTRAINT transfers_pkey",
        f"DELETE FROM transfers WHERE id = {lost}",
        f"INSERT INTO transfers SELECT * FROM transfers WHERE id = {twice}",
        f"UPDATE transfers a SET (source, target, amount) = (b.target, b.source, b.amount + 1) FROM transfers b "
        f"WHERE a.id = {moved} AND b.id = {moved}",
        f"UPDATE transfers SET amount = -amount WHERE id = {other}",
        f"UPDATE accounts SET balance = balance - 1 FROM transfers t WHERE t.id = {half} AND accounts.id = t.target",
        "INSERT INTO transfers VALUES (900000000, 1, 2, 3)",
    )
    code, output = real.run("verify", "--workload", "bank", *target)
    assert_code(code, 4, output)
    found = sorted(lines_of(output)[2:])
    assert [line for line in found if " (after the run)" not in line] == sorted(
        [
            f"lost: id {lost}, last known at edition 0",
            f"doubled: id {twice}, found in more than one row",
            f"corrupted: id {other}, amount differs at edition 0",
            f"corrupted: id {moved}, source differs at edition 0",
            "foreign: id 900000000, above the high-water mark: this ordinal was never used",
        ]
    )
    checks = [line.split(" (after", 1)[0] for line in found if " (after the run)" in line]
    assert checks == ["balances-are-those-of-the-transfers", "total-is-constant"]
