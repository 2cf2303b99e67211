"""Fakes of GitHub's and GitLab's APIs on loopback, which record every call."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class FakeHost:
    """Comments and pull requests, the calls that came, and answers to give instead."""

    url: str = ""
    me: int | None = None
    """The number of the token's user; None for an app, which has none."""
    comments: list[dict[str, Any]] = field(default_factory=list)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    refused: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def changes(self) -> list[tuple[str, str, Any]]:
        """The calls that change something."""
        return [call for call in self.calls if call[0] != "GET"]

    @property
    def ours(self) -> dict[str, Any]:
        """The members of a comment of ours that say who wrote it, as either host names them."""
        author = {"id": self.me or 4, "type": "User" if self.me else "Bot"}
        return {"user": author, "author": author}

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        """What the host answers."""
        parts = urlsplit(path)
        self.calls.append((method, parts.path, body))
        for (refused, end), status in self.refused.items():
            if refused == method and parts.path.endswith(end):
                return status, {"message": "no"}
        if parts.path.endswith("/pulls"):
            query = parse_qs(parts.query)
            return 200, [pull for pull in self.pulls if pull["label"] == query["head"][0]]
        if parts.path == "/user":
            return 200 if self.me is not None else 403, {"id": self.me}
        if method == "GET":
            query = parse_qs(parts.query)
            page, size = int(query["page"][0]), int(query["per_page"][0])
            return 200, self.comments[(page - 1) * size : page * size]
        if method == "POST":
            self.comments.append({"id": len(self.comments) + 1, **self.ours, **body})
            return 201, self.comments[-1]
        return self._change(method, int(parts.path.rpartition("/")[2]), body)

    def _change(self, method: str, number: int, body: Any) -> tuple[int, Any]:
        (comment,) = (item for item in self.comments if item["id"] == number)
        if method == "DELETE":
            self.comments.remove(comment)
            return 204, None
        comment.update(body)
        return 200, comment


@contextmanager
def fake_host() -> Iterator[FakeHost]:
    """Serve a fake until the end of the block."""
    host = FakeHost()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length)) if length else None
            host.headers.append(dict(self.headers))
            status, answer = host.answer(self.command, self.path, body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815  (the library's names)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
