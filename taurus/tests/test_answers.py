"""Real sockets answer as the servers do; "targets" shows what they said."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from shardload.verbs.reachability import ask
from tests.conftest import Checkout

PATIENCE = 30.0
Server = Callable[[socket.socket], None]


def postgresql(connection: socket.socket) -> None:
    assert connection.recv(8) == bytes.fromhex("0000000804d2162f"), "PostgreSQL's SSLRequest"
    connection.sendall(b"N")


def mongodb(connection: socket.socket) -> None:
    asked = connection.recv(1000)
    assert struct.unpack("<i", asked[:4])[0] == len(asked), "a whole message"
    assert b"\x10isMaster\0\x01\0\0\0\x02$db\0\x06\0\0\0admin\0" in asked
    connection.sendall(struct.pack("<iiiiB", 17, 2, 1, 2013, 0))


def other(connection: socket.socket) -> None:
    connection.recv(8)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def hangs_up(connection: socket.socket) -> None:
    connection.recv(1000)


@contextmanager
def listening(serve: Server) -> Iterator[int]:
    """Run a server for one connection, and yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def work() -> None:
            connection, _ = server.accept()
            with connection:
                serve(connection)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        thread.join(PATIENCE)


@pytest.mark.parametrize(
    ("scheme", "serve", "answer"),
    [
        ("postgresql", postgresql, "yes"),
        ("mongodb", mongodb, "yes"),
        ("postgresql", other, "no, something else than PostgreSQL answers"),
        ("mongodb", other, "no, something else than MongoDB answers"),
        ("mongodb", hangs_up, "no, hangs up (it may want TLS)"),
    ],
)
def test_only_who_speaks_the_protocol_answers(scheme: str, serve: Server, answer: str) -> None:
    with listening(serve) as port:
        assert ask({"one": f"{scheme}://127.0.0.1:{port}/db"}, PATIENCE) == {"one": answer}


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert ask({"one": f"postgresql://127.0.0.1:{port}/db"}, PATIENCE) == {"one": "no, connection refused"}
    assert ask({"one": "nonsense"}, PATIENCE) == {"one": "no, its url names no host"}


def test_a_silent_server_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert ask({"one": f"postgresql://127.0.0.1:{port}/db"}, 0.2) == {"one": "no, timed out"}


def test_all_hosts_of_all_targets_are_asked_at_the_same_time() -> None:
    """Each server answers only when all four have been asked. Mutation: join each thread when it has been started."""
    together = threading.Barrier(4)

    def after_all(serve: Server) -> Server:
        def wait(connection: socket.socket) -> None:
            together.wait(PATIENCE)
            serve(connection)

        return wait

    with (
        listening(after_all(postgresql)) as first,
        listening(after_all(postgresql)) as second,
        listening(after_all(mongodb)) as third,
        listening(after_all(other)) as fourth,
    ):
        urls = {
            "two": f"postgresql://127.0.0.1:{first},localhost:{second}/db",
            "half": f"mongodb://127.0.0.1:{third},127.0.0.1:{fourth}/db",
        }
        assert ask(urls, PATIENCE) == {
            "two": "yes, all 2 hosts",
            "half": f"1 of 2 hosts; 127.0.0.1:{fourth}: something else than MongoDB answers",
        }


def test_the_list_names_driver_origin_and_answer(checkout: Checkout) -> None:
    targets = checkout.root / "taurus" / "targets"
    (targets / "broken.yml").write_text("target: [1\n")
    with listening(postgresql) as port:
        (targets / "mine.yml").write_text(f"target: {{driver: postgresql, url: 'postgresql://127.0.0.1:{port}/db'}}\n")
        code, output = checkout.run("targets", "--timeout", str(PATIENCE))
    assert code == 0, output
    shown = {line.split()[0]: " ".join(line.split()) for line in output.splitlines()}
    assert shown["mine"] == f"mine postgresql postgresql://127.0.0.1:{port}/db yes taurus/targets/mine.yml"
    assert shown["noop"] == "noop noop - no server needed taurus/targets/noop.yml"
    assert shown["embedded-postgresql"] == (
        "embedded-postgresql postgresql built in: postgresql started when needed taurus/targets/embedded-postgresql.yml"
    )
    assert shown["broken"].startswith("broken ? - taurus/targets/broken.yml is no valid YAML")


def test_a_password_in_a_url_is_not_shown(checkout: Checkout) -> None:
    url = "postgresql://tester:top@secret@db1.example:5432/db"
    (checkout.root / "taurus" / "targets" / "mine.yml").write_text(f"target: {{driver: postgresql, url: '{url}'}}\n")
    code, output = checkout.run("targets", "--timeout", "0.1")
    assert code == 0, output
    (line,) = [line for line in output.splitlines() if line.startswith("mine")]
    assert "postgresql://...@db1.example:5432/db" in line
    assert "no: set user and password-env" in line
    assert "top" not in output.replace("stop", "")
    assert "secret" not in output


def test_a_target_that_is_no_section_is_not_shown(checkout: Checkout) -> None:
    (checkout.root / "taurus" / "targets" / "mine.yml").write_text(
        "target: postgresql://tester:secret@db1.example/db\n"
    )
    code, output = checkout.run("targets", "--timeout", "0.1")
    assert code == 0, output
    (line,) = [line for line in output.splitlines() if line.startswith("mine")]
    assert "target: is no section with driver and url" in line
    assert "secret" not in output
