"""A folder as workload: how it is found, what its workload.yml may say, and what Java gets of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from shardload.config import effective
from shardload.config import places as places_module
from shardload.config.check import check
from shardload.config.effective import Checked
from shardload.config.merge import Merged, find_file, list_names, merge
from shardload.config.paths.find import argument
from shardload.config.places import Places
from shardload.config.problem import Problem
from shardload.config.workload import consent, folder
from shardload.processes.hints import render

ROOT = Path(__file__).resolve().parents[2]
PLACES = Places(ROOT)
SHOP = """\
# A shop.
workload:
  name: shop
  data:
    tables:
      customers:
        rows: 10
        columns: {id: {type: sequential}, password: {type: text, length: 20}}
  parameters:
    customer: {type: reference, table: customers, column: id}
    since: {type: timestamp, from: 2026-01-02, to: 2026-01-03T04:05:06+01:00}
  transactions:
    find-customer:
      rows: one
      steps:
      - {rows: one}
      - rows: 1..3
        equal: {token: customer}
    plain:
  checks:
    totals: {when: after}
scenarios:
  mix: {mix: {find-customer: 100}}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(places_module, "STARTED_IN", tmp_path)
    monkeypatch.delenv(consent.ALLOW_VARIABLE, raising=False)
    return tmp_path


def write(place: Path, text: str = SHOP) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    file = place / "workload.yml"
    file.write_text(text)
    return file


def merged(file: Path, *overrides: str, places: Places = PLACES) -> Merged:
    return merge([ROOT / "taurus/base.yml", ROOT / "taurus/targets/noop.yml", file], overrides, places)


def checked(text: str, *overrides: str) -> Checked:
    return check(merged(write(Path("shop"), text), *overrides), needs_load=False)


def problems(text: str, *overrides: str) -> list[str]:
    with pytest.raises(Problem) as raised:
        checked(text, *overrides)
    return str(raised.value).splitlines()


def test_keys_of_schema_that_set_no_option_are_refused(here: Path) -> None:
    options = "schema.index=btree", "schema.indexes=none", "schema.checkpoint-after-load=true"
    why = "has no effect on this workload: its own schema file makes tables and indexes"
    assert problems(SHOP, *options) == [f"-o schema.index: {why}", f"-o schema.indexes: {why}"]
    assert problems(SHOP + "schema: {document-storage: no-toast}\n") == [
        f"shop/workload.yml:24: schema.document-storage: {why}"
    ]
    postgresql = merge(
        [ROOT / "taurus/base.yml", ROOT / "taurus/targets/postgresql.yml", write(Path("shop"))], (), PLACES
    )
    assert check(postgresql, needs_load=False).schema["index"] == "hash", "the target serves document-store as well"


def test_java_gets_the_sections_and_the_folder(here: Path) -> None:
    workload = effective.build(checked(SHOP), "id", None, "check")["workload"]
    assert workload == {
        "name": "shop",
        "seed": 1,
        "folder": str(here / "shop"),
        "data": {
            "tables": {
                "customers": {
                    "rows": 10,
                    "columns": {"id": {"type": "sequential"}, "password": {"type": "text", "length": 20}},
                }
            }
        },
        "parameters": {
            "customer": {"type": "reference", "table": "customers", "column": "id"},
            "since": {"type": "timestamp", "from": "2026-01-02T00:00:00Z", "to": "2026-01-03T03:05:06Z"},
        },
        "transactions": {
            "find-customer": {"rows": "one", "steps": [
                {"rows": "one"}, {"rows": "1..3", "equal": {"token": "customer"}},
            ]},
            "plain": {},
        },
        "checks": {"totals": {"when": "after"}},
    }  # fmt: skip


def test_a_folder_of_the_checkout_is_relative_to_it_as_load_hosts_need(here: Path) -> None:
    places = Places(here / "checkout")
    file = write(places.taurus / "workloads" / "shop")
    config = effective.build(check(merged(file, places=places), needs_load=False), "id", None, "check")
    assert config["workload"]["folder"] == "taurus/workloads/shop"


def test_document_store_is_a_file_that_names_its_folder() -> None:
    """Mutation: the folder's own file, or its mixes, in place of those beside it."""
    file = find_file(PLACES, "workload", "document-store")
    checked = check(merged(file), needs_load=False)
    workload = effective.build(checked, "id", None, "check")["workload"]
    assert (file.name, workload["folder"]) == ("document-store.yml", "taurus/workloads/document-store")
    assert len(checked.merged.config["scenarios"]) == 11
    said = yaml.safe_load(file.read_text())["workload"]["data"]
    assert {key: value for key, value in workload["data"].items() if key != "tables"} == said


@pytest.mark.parametrize("text", ["shop", "./shop", "shop/", "shop/workload.yml", "../{here}/shop", "{whole}/shop"])
def test_a_folder_is_named_by_its_path(text: str, here: Path) -> None:
    file = write(here / "shop")
    given = text.format(here=here.name, whole=here)
    assert find_file(PLACES, "workload", given) == file.resolve()
    assert folder.name_of(file) == "shop"


def test_a_folder_of_the_checkout_has_a_name(here: Path) -> None:
    places = Places(here / "checkout")
    file = write(places.taurus / "workloads" / "shop")
    (file.parent.parent / "other.yml").write_text("")
    (file.parent.parent / "empty").mkdir()
    write(here / "shop")
    assert list_names(places, "workload") == ["other", "shop"]
    assert find_file(places, "workload", "shop") == file
    assert find_file(places, "workload", "./shop") == here / "shop" / "workload.yml"
    assert argument(places, "workload", file) == "shop"
    assert argument(places, "workload", here / "shop" / "workload.yml") == str(here / "shop")
    assert merged(file, places=places).names["workload"] == "shop"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("document", 'unknown workload "document"; did you mean "document-store"?; write a folder as a path'),
        ("./empty", "workload ./empty: the folder has no workload.yml; shardload workload init makes a new folder"),
        ("empty", "workload empty: the folder has no workload.yml"),
        ("./other.txt", "workload ./other.txt: is not a YAML file; its name must end with .yml"),
    ],
)
def test_what_is_no_workload_is_one_line(text: str, message: str, here: Path) -> None:
    (here / "empty").mkdir()
    (here / "other.txt").write_text("")
    with pytest.raises(Problem) as raised:
        find_file(PLACES, "workload", text)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  name: shop", "  nmae: shop", '3: workload.nmae: unknown key "nmae"; did you mean "name"?'),
        ("  name: shop", "  name: My Shop", '3: workload.name: "My Shop" is not a name; write small'),
        ("  name: shop", "  name: shop\n  folder: /tmp", '4: workload.folder: unknown key "folder"'),
        ("  name: shop", "  name: shop\n  seed: x", "4: workload.seed: "),
        ("    plain:", "    plain: 5", "19: workload.transactions.plain: must be a mapping, such as {}"),
        ("{when: after}\n", "{when: !!binary aGk=}\n", "21: workload.checks.totals.when: has a value that JSON"),
        ("  checks:\n    totals: {when: after}\n", "  checks: all\n", "20: workload.checks: must be a mapping"),
        ("find-customer: 100", "find-customer: 99", "23: scenarios.mix.mix: the shares sum to 99"),
        ("{type: text, length: 20}", "geheim", "8: workload.data.tables.customers.columns.password: secrets"),
    ],
)
def test_a_problem_names_file_and_line(old: str, new: str, message: str) -> None:
    """Mutation: leave the line out of Merged.place."""
    assert old in SHOP
    found = problems(SHOP.replace(old, new, 1))
    assert any(line.startswith("shop/workload.yml:" + message) for line in found), found
    assert "geheim" not in str(found)


@pytest.mark.parametrize(("word", "line"), [("    on:", 19), ("    1:", 19), ("    2026-01-01:", 19)])
def test_a_name_that_yaml_reads_as_something_else_is_refused(word: str, line: int) -> None:
    with pytest.raises(Problem, match=rf'the key "{word[4:-1]}" as text; put it in quotes \(line {line}\)'):
        checked(SHOP.replace("    plain:", word))


def test_java_messages_get_the_line_of_their_key() -> None:
    of = merged(write(Path("shop")))
    assert of.place(("workload", "transactions", "find-customer", "steps", 1, "equal", "token")).startswith(
        "shop/workload.yml:18: workload.transactions.find-customer.steps.1.equal.token"
    )
    assert of.place(("workload", "parameters", "nobody")) == "shop/workload.yml:9: workload.parameters.nobody"
    assert of.place(("target", "driver")).endswith("taurus/targets/noop.yml: target.driver")


def test_a_sign_of_taurus_keeps_the_line(here: Path) -> None:
    of = merged(write(here / "shop", SHOP.replace("  parameters:", "  ~parameters:")))
    assert of.place(("workload", "parameters", "customer")).startswith("shop/workload.yml:10: ")


def test_existing_data_is_a_word() -> None:
    text = "workload: {name: shop, data: existing}\nscenarios: {mix: {mix: {a: 100}}}\n"
    assert checked(text).workload["data"] == {"existing": True}
    assert checked(SHOP, "workload.data=existing").workload["data"] == {"existing": True}
    (line,) = problems(text.replace("existing", "existng"))
    assert line.startswith('shop/workload.yml:1: workload.data: unknown value "existng"; did you mean "existing"?')


def test_a_size_on_the_command_line_takes_the_place_of_that_of_the_file() -> None:
    text = SHOP.replace("    tables:", "    documents: 5\n    tables:", 1)
    assert set(checked(text, "workload.data.ratio-to-ram=2").workload["data"]) == {"tables", "ratio-to-ram"}


@pytest.mark.parametrize("key", ["parameters", "transactions", "checks", "options"])
def test_a_file_that_names_a_folder_may_say_what_folders_do(key: str) -> None:
    """Mutation: the file's sections take the place of the folder's."""
    file = find_file(PLACES, "workload", "document-store")
    before = check(merged(file), needs_load=False).workload
    after = check(merged(file, f"workload.{key}.mine.rows=one"), needs_load=False).workload
    assert after[key] == {**before[key], "mine": {"rows": "one"}}


OPTIONS = SHOP.replace(
    "  parameters:",
    "  options:\n    indexes: {values: [none, text], default: none}\n    limit: {values: [1, 10]}\n  parameters:",
)


def sent(text: str, *overrides: str) -> dict[str, Any]:
    return dict(effective.build(checked(text, *overrides), "id", None, "check")["workload"])


def test_an_override_chooses_and_the_declaration_stays() -> None:
    """Mutations: the merged section alone, which has lost the declaration; a choice as text."""
    declared = {"indexes": {"values": ["none", "text"], "default": "none"}, "limit": {"values": [1, 10]}}
    assert (sent(OPTIONS)["options"], sent(OPTIONS)["chosen"]) == (declared, {})
    found = sent(OPTIONS, "workload.options.indexes=none", "workload.options.limit=1", "workload.options.other=x")
    assert (found["options"], found["chosen"]) == (declared, {"indexes": "none", "limit": 1, "other": "x"})
    found = sent(OPTIONS, "workload.options.limit.default=10")
    assert (found["options"]["limit"], found["chosen"]) == ({"values": [1, 10], "default": 10}, {})
    assert "options" not in sent(SHOP)
    assert sent(SHOP, "workload.options.x=y")["chosen"] == {"x": "y"}, "Java knows that there is none"


def test_what_is_no_option_is_one_line() -> None:
    place = "shop/workload.yml:10: workload.options"
    assert problems(OPTIONS.replace("{values: [none, text], default: none}", "text")) == [
        "shop/workload.yml:10: workload.options.indexes: must be a mapping, such as {}"
    ]
    assert problems(OPTIONS, "workload.options=5") == ["-o workload.options: must be a mapping of names"]
    (line,) = problems(OPTIONS, "workload.options.limit=[1,10]")
    assert line == "-o workload.options.limit: must be one value; a list belongs into values"
    assert merged(write(Path("shop"), OPTIONS)).place(("workload", "options", "indexes", "default")).startswith(place)


def test_writes_to_existing_data_are_allowed_on_the_command_line_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "allow_writes" not in effective.build(checked(SHOP), "id", None, "check")["run"]
    monkeypatch.setenv(consent.ALLOW_VARIABLE, "1")
    assert effective.build(checked(SHOP), "id", None, "check")["run"]["allow_writes"] is True


def test_a_suggested_command_names_the_folder(here: Path) -> None:
    advice = [{"purpose": "to settle it", "verb": "verify"}]
    (_, line) = render(advice, merged(write(here / "shop")), PLACES)
    assert line.endswith(f"verify --target noop --workload {here / 'shop'}")


SIZED = """\
workload:
  name: sized
  data:
    documents: 1000
    tables: {things: {rows: $groups, columns: {id: {type: sequential}}}}
  options:
    groups: {values: any, default: 10, key: workload.data.groups}
    index: {values: [hash, btree], key: schema.index}
"""
EXTENDING = """\
workload:
  name: sized
  data: {groups: 20, dataset-size: 1GiB}
scenarios:
  mix: {mix: {find: 100}}
"""


def extending(
    here: Path, monkeypatch: pytest.MonkeyPatch, text: str = EXTENDING, overrides: tuple[str, ...] = ()
) -> Checked:
    """Check a file that names the workload of a folder on the search path."""
    write(here / "more" / "workloads" / "sized", SIZED)
    monkeypatch.setenv("SHARDLOAD_PATH", str(here / "more"))
    mine = here / "mine.yml"
    mine.write_text(text)
    files = [ROOT / "taurus" / "base.yml", ROOT / "taurus" / "targets" / "postgresql.yml", mine]
    return check(merge(files, list(overrides), PLACES), needs_load=False)


def test_a_file_that_names_a_folder_adds_to_it(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutation: the folder's number of documents stays beside another size."""
    checked = extending(here, monkeypatch)
    assert checked.workload["folder"] == str(here / "more" / "workloads" / "sized")
    assert checked.workload["options"]["groups"]["key"] == "workload.data.groups"
    assert checked.workload["data"] == {
        "groups": 20,
        "dataset-size": "1GiB",
        "tables": {"things": {"rows": "$groups", "columns": {"id": {"type": "sequential"}}}},
    }
    assert checked.merged.names["workload"] == "mine"
    assert checked.mix == {"find": 100}
    small = extending(here, monkeypatch, EXTENDING.replace(", dataset-size: 1GiB", ""))
    assert small.workload["data"]["documents"] == 1000


def test_keys_of_schema_that_set_options_are_no_mistake(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert extending(here, monkeypatch, overrides=("schema.index=btree",)).schema["index"] == "btree"
    with pytest.raises(Problem, match=r"-o schema\.shard-key: has no effect on this workload"):
        extending(here, monkeypatch, overrides=("schema.shard-key=id",))
    with pytest.raises(Problem, match=r"-o schema\.indx: unknown option \"indx\"; did you mean \"index\"\?"):
        extending(here, monkeypatch, overrides=("schema.indx=btree",))


def test_a_name_that_no_folder_has_is_refused_with_the_nearest(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Problem, match=r"workload\.name: unknown value \"sizd\"; did you mean \"sized\"\?"):
        extending(here, monkeypatch, EXTENDING.replace("name: sized", "name: sizd"))


def test_an_option_is_chosen_in_a_file_that_names_a_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = extending(here, monkeypatch, overrides=("workload.options.groups=7",))
    assert checked.workload["chosen"] == {"groups": 7}
    assert checked.workload["options"]["groups"]["default"] == 10
    own = extending(here, monkeypatch, EXTENDING.replace("  data:", "  options: {index: btree}\n  data:"))
    assert own.workload["chosen"] == {"index": "btree"}
