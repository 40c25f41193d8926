"""What a server writes is text: no terminal may take it for a command."""

from __future__ import annotations

import socketserver
import struct
import threading
from collections.abc import Iterator

import pytest

from tests.e2e.conftest import RealCheckout

pytestmark = pytest.mark.e2e
# Clears the screen, names the window, colours what follows, in C0 and in C1; turns the writing direction.
HOSTILE = "evil \x1b[2J\x1b]0;PWNED\x07\x1b[31m\x9b31m\u202egnp.exe\x7f"
SHOWN = "evil \ufffd[2J\ufffd]0;PWNED\ufffd\ufffd[31m\ufffd31m\ufffdgnp.exe\ufffd"


class FakePostgresql(socketserver.StreamRequestHandler):
    """A fake: it knows of PostgreSQL's protocol how a server refuses a login, and nothing else."""

    def handle(self) -> None:
        while True:
            head = self.rfile.read(8)
            if len(head) < 8:
                return
            length, code = struct.unpack("!II", head)
            self.rfile.read(length - 8)
            if code >> 16 == 3:
                break
            self.wfile.write(b"N")  # neither TLS nor GSSAPI
        fields = {"S": "FATAL", "V": "FATAL", "C": "28000", "M": HOSTILE}
        text = b"".join(f"{key}{value}\0".encode() for key, value in fields.items()) + b"\0"
        self.wfile.write(b"E" + struct.pack("!I", len(text) + 4) + text)


@pytest.fixture
def url() -> Iterator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), FakePostgresql) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"postgresql://127.0.0.1:{server.server_address[1]}/x"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("verb", [["run"], ["run", "--verbose"], ["run", "--dry-run"], ["load"]])
def test_a_refused_login_controls_no_terminal(real: RealCheckout, url: str, verb: list[str]) -> None:
    real.target("mine", "postgresql", url=url)
    code, output = real.run(*verb, "--target", "mine", SHARDLOAD_PG_PASSWORD="x")
    controls = {letter for letter in output if letter < " " or "\x7f" <= letter <= "\x9f" or letter == "\u202e"}
    assert controls <= {"\n", "\t"}, output
    assert SHOWN in output, output
    assert code == 1, output
