"""A Jenkins and a Grafana on loopback, as far as acceptance asks them.

The replies have the form of their documentation and source. Jenkins' remote access API: PluginManager's plugins with
shortName, version and active; a job with name and buildable; status 403 without the right, 404 for what is not there.
Grafana's HTTP API: /api/health with database and version, /api/datasources, /api/datasources/uid/:uid/health with state
and message, /api/dashboards/uid/:uid with dashboard and meta; status 401 with a message for a wrong token.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class FakeService:
    """Answers paths as told; what nobody told of is status 404."""

    def __init__(self, authorization: str, replies: Mapping[str, Any]) -> None:
        self.authorization = authorization
        self.replies = dict(replies)
        self.asked: list[str] = []
        self.url = ""

    def reply(self, path: str, authorization: str) -> tuple[int, Any]:
        self.asked.append(path)
        if self.authorization and authorization != self.authorization:
            return 401, {"message": "Invalid API key"}
        if path not in self.replies:
            return 404, {"message": "Not found"}
        reply = self.replies[path]
        return reply if isinstance(reply, tuple) else (200, reply)

    @contextmanager
    def serving(self) -> Iterator[FakeService]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, reply = service.reply(self.path.partition("?")[0], self.headers.get("Authorization", ""))
                body = json.dumps(reply).encode()
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "http://127.0.0.1:9/login")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
