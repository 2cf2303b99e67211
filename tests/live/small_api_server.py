"""The small API server on loopback: Kubernetes' paths and answers, as clients ask for them."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.live.small_api import RefusedError, Resource, SmallApi

Json = dict[str, Any]
Answer = tuple[HTTPStatus, Json]
Handle = Callable[[str, str, Json], Answer]
"""What answers a request, by its method, its target and its body."""


_PATH = re.compile(
    r"/api(s/(?P<group>[^/]+))?/(?P<version>[^/]+)"
    r"(/namespaces/(?P<namespace>[^/]+)(?=/))?(/(?P<plural>[^/]+)(/(?P<name>[^/]+))?)?"
)
_VERBS = ["get", "list", "create", "update", "patch", "delete"]


class SmallApiServer:
    """Answers the requests of Kubernetes' clients."""

    def __init__(self, api: SmallApi) -> None:
        self._api = api

    def handle(self, method: str, target: str, body: Json) -> Answer:
        """Answer a request."""
        try:
            return HTTPStatus.OK, self._answer(method, target, body)
        except RefusedError as refused:
            return refused.status, {
                "kind": "Status",
                "apiVersion": "v1",
                "status": "Failure",
                "message": str(refused),
                "reason": refused.reason,
                "code": refused.status,
            }

    def _answer(self, method: str, target: str, body: Json) -> Json:
        url = urlsplit(target)
        if url.path in {"/api", "/apis"}:
            return self._list_groups(url.path)
        path = _PATH.fullmatch(url.path)
        if path is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, "NotFound", f"{url.path} is not served")
        group, version = path["group"] or "", path["version"]
        if path["plural"] is None:
            return self._list_resources(group, version)
        resource = self._api.find(group, path["plural"])
        place = resource, path["namespace"] or ""
        if path["name"] is not None:
            value = self._handle_object(method, (*place, path["name"]), body)
        elif method == "GET":
            pairs = parse_qs(url.query).get("labelSelector", [""])[0].split(",")
            labels = dict(pair.split("=", 1) for pair in pairs if pair)
            items = [_write(one, group, version) for one in self._api.list(*place, labels)]
            value = {"kind": f"{resource.kind}List", "metadata": {}, "items": items}
        else:
            value = self._api.create(*place, body)
        return _write(value, group, version)

    def _list_groups(self, path: str) -> Json:
        if path == "/api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        versions: dict[str, list[Json]] = {}
        for each in self._api.resources.values():
            for version in each.versions if each.group else ():
                entry = {"groupVersion": f"{each.group}/{version}", "version": version}
                own = versions.setdefault(each.group, [])
                own += [] if entry in own else [entry]
        groups = [
            {"name": name, "versions": own, "preferredVersion": own[0]}
            for name, own in versions.items()
        ]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}

    def _list_resources(self, group: str, version: str) -> Json:
        resources = [
            {
                "name": each.plural,
                "singularName": each.kind.lower(),
                "namespaced": each.is_namespaced,
                "kind": each.kind,
                "verbs": _VERBS,
            }
            for each in self._api.resources.values()
            if each.group == group and version in each.versions
        ]
        written = f"{group}/{version}".removeprefix("/")
        return {"kind": "APIResourceList", "groupVersion": written, "resources": resources}

    def _handle_object(self, method: str, place: tuple[Resource, str, str], body: Json) -> Json:
        match method:
            case "PUT":
                return self._api.update(*place, body)
            case "PATCH":
                return self._api.patch(*place, body)
            case "DELETE":
                return self._api.delete(*place)
        return self._api.get(*place)


def _write(value: Json, group: str, version: str) -> Json:
    """Return an object in a version; the Gateway API's versions of a kind have the same fields."""
    return {**value, "apiVersion": f"{group}/{version}".removeprefix("/")}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of all but clients that do not wait any more."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(handle: Handle) -> Iterator[str]:
    """Serve on loopback, one request after the other, and give the URL."""
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size) or b"{}")
            with lock:
                status, value = handle(self.command, self.path, body)
                data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815  (http.server's names)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (http.server's name)
            """Say nothing."""

    server = _Server(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
