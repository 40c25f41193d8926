"""What "targets" shows of the files and of what the Java child answers about them."""

from __future__ import annotations

from tests.conftest import Checkout


def rows(output: str) -> dict[str, str]:
    return {line.split()[0]: " ".join(line.split()) for line in output.splitlines()}


def test_the_list_names_driver_origin_and_answer(checkout: Checkout) -> None:
    targets = checkout.root / "taurus" / "targets"
    (targets / "broken.yml").write_text("target: [1\n")
    (targets / "mine.yml").write_text("target: {driver: postgresql, url: 'postgresql://db1.example:5432/db'}\n")
    code, output = checkout.run("targets", "--timeout", "7")
    assert code == 0, output
    shown = rows(output)
    assert shown["mine"] == "mine postgresql postgresql://db1.example:5432/db yes taurus/targets/mine.yml"
    assert shown["embedded-postgresql"] == (
        "embedded-postgresql postgresql built in: postgresql started when needed taurus/targets/embedded-postgresql.yml"
    )
    assert shown["broken"].startswith("broken ? - taurus/targets/broken.yml is no valid YAML")
    (request,) = checkout.requests
    assert request["timeout_seconds"] == 7
    assert request["targets"]["noop"]["driver"] == "noop"
    assert "broken" not in request["targets"]


def test_a_password_in_a_url_is_not_shown(checkout: Checkout) -> None:
    url = "postgresql://tester:top@secret@db1.example:5432/db"
    (checkout.root / "taurus" / "targets" / "mine.yml").write_text(f"target: {{driver: postgresql, url: '{url}'}}\n")
    code, output = checkout.run("targets")
    assert code == 0, output
    assert "postgresql://...@db1.example:5432/db" in rows(output)["mine"]
    assert "top" not in output.replace("stop", "")
    assert "secret" not in output


def test_a_target_that_is_no_section_is_not_shown(checkout: Checkout) -> None:
    (checkout.root / "taurus" / "targets" / "mine.yml").write_text(
        "target: postgresql://tester:secret@db1.example/db\n"
    )
    code, output = checkout.run("targets")
    assert code == 0, output
    assert "target: is no section with driver and url" in rows(output)["mine"]
    assert "secret" not in output


def test_the_target_says_how_much_memory_its_embedded_server_takes(checkout: Checkout) -> None:
    target = checkout.root / "taurus" / "targets" / "mine.yml"
    target.write_text("target: {driver: mongodb, embedded: mongodb, embedded-heap: 96m}\n")
    assert checkout.run("schema", "--target", "mine")[0] == 0
    (heap,) = (checkout.pids / "heaps").read_text().split()
    assert heap == "-Xmx96m"
    assert all("embedded-heap" not in request["config"]["target"] for request in checkout.requests)
