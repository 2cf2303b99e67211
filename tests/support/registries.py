"""A registry on this machine: the distribution API over a real socket, and what can go wrong in it.

https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md, pushing and pulling.
"""

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

MANIFEST = "application/vnd.oci.image.manifest.v1+json"

Answer = tuple[int, dict[str, str], bytes]
"""A status, headers, and a body."""
Trouble = Callable[[str, str], Answer | None]
"""What to answer to a method and a path instead of what is true; None where there is no trouble."""


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@dataclass
class Registry:
    """What a registry has: blobs and manifests by repository; and what it was asked."""

    host: str = ""
    blobs: dict[tuple[str, str], bytes] = field(default_factory=dict)
    manifests: dict[tuple[str, str], bytes] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    credentials: list[str] = field(default_factory=list)
    trouble: Trouble | None = None
    user: str | None = None
    """`name:password`, where it asks who one is."""
    has_tokens: bool = False
    """Whether it sends for a token then, or takes the name and the password."""
    is_slow: bool = False
    """Whether it goes on with each answer, byte by byte, until `is_over`."""
    is_over: threading.Event = field(default_factory=threading.Event)

    def pulled(self, repository: str, tag: str) -> tuple[dict[str, object], bytes]:
        """What who pulls gets: the manifest, and the layer, whose digests are right."""
        manifest = json.loads(self.manifests[repository, tag])
        for blob in (manifest["config"], *manifest["layers"]):
            data = self.blobs[repository, blob["digest"]]
            assert (digest(data), len(data)) == (blob["digest"], blob["size"])
        return manifest, self.blobs[repository, manifest["layers"][0]["digest"]]

    def answer(self, method: str, target: str, given: str, body: bytes) -> Answer:
        """Answer a request with the credentials given."""
        path = urlsplit(target).path
        self.asked.append((method, target))
        self.credentials.append(given)
        if self.trouble is not None and (trouble := self.trouble(method, path)) is not None:
            return trouble
        if path == "/token":
            return self._token(target, given)
        if (refusal := self._refusal(method, path, given)) is not None:
            return refusal
        repository, _, rest = path.removeprefix("/v2/").partition("/blobs/")
        if rest:
            return self._blob(method, repository, rest, target, body)
        repository, _, tag = path.removeprefix("/v2/").partition("/manifests/")
        return self._manifest(method, repository, tag, body)

    def _blob(self, method: str, repository: str, rest: str, target: str, body: bytes) -> Answer:
        match method:
            case "POST" if rest == "uploads/":
                return 202, {"Location": f"/v2/{repository}/blobs/uploads/1?state=x"}, b""
            case "PUT" if rest == "uploads/1":
                wanted = parse_qs(urlsplit(target).query)["digest"][0]
                if wanted != digest(body):
                    return problem(400, "DIGEST_INVALID", "provided digest did not match")
                self.blobs[repository, wanted] = body
                return 201, {}, b""
            case "HEAD" if (repository, rest) in self.blobs:
                return 200, {}, b""
        return problem(404, "BLOB_UNKNOWN", "blob unknown to registry")

    def _manifest(self, method: str, repository: str, tag: str, body: bytes) -> Answer:
        if method == "GET" and (repository, tag) in self.manifests:
            return 200, {"Content-Type": MANIFEST}, self.manifests[repository, tag]
        if method != "PUT":
            return problem(404, "MANIFEST_UNKNOWN", "manifest unknown")
        told = json.loads(body)
        for blob in (told["config"], *told["layers"]):
            if (repository, blob["digest"]) not in self.blobs:
                return problem(404, "MANIFEST_BLOB_UNKNOWN", blob["digest"])
        self.manifests[repository, tag] = body
        return 201, {"Docker-Content-Digest": digest(body)}, b""

    def _refusal(self, method: str, path: str, given: str) -> Answer | None:
        """Ask who one is; a token holds for one repository and for what it was asked for."""
        if self.user is None:
            return None
        repository = path.removeprefix("/v2/").partition("/blobs/")[0].partition("/manifests/")[0]
        does = "pull" if method in {"GET", "HEAD"} else "pull,push"
        scope = f"repository:{repository}:{does}"
        wanted = f"Bearer {scope}" if self.has_tokens else basic(self.user)
        is_more = self.has_tokens and given == f"Bearer repository:{repository}:pull,push"
        if given == wanted or is_more:
            return None
        challenge = 'Basic realm="registry"'
        if self.has_tokens:
            realm = f"http://{self.host}/token"
            challenge = f'Bearer realm="{realm}",service="registry",scope="{scope}"'
        status, headers, body = problem(401, "UNAUTHORIZED", "authentication required")
        return status, {**headers, "Www-Authenticate": challenge}, body

    def _token(self, target: str, given: str) -> Answer:
        if given != basic(self.user or ""):
            return problem(401, "UNAUTHORIZED", "who are you?")
        scope = parse_qs(urlsplit(target).query)["scope"][0]
        return 200, {}, json.dumps({"token": scope}).encode()


def basic(user: str) -> str:
    """The header that tells a name and a password."""
    return f"Basic {base64.b64encode(user.encode()).decode()}"


def problem(status: int, code: str, message: str) -> Answer:
    """An error as the specification has it."""
    told = json.dumps({"errors": [{"code": code, "message": message}]}).encode()
    return status, {"Content-Type": "application/json"}, told


@contextmanager
def running() -> Iterator[Registry]:
    """A registry that runs on a port of this machine."""
    found = Registry()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            given = self.headers.get("Authorization", "")
            status, headers, data = found.answer(self.command, self.path, given, body)
            if status == 0:  # it is gone in the middle of it
                self.close_connection = True
                return
            self.send_response(status)
            length = {} if found.is_slow else {"Content-Length": str(len(data))}
            for name, value in {**length, **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)
            with suppress(OSError):  # nobody listens any more
                while found.is_slow and not found.is_over.wait(0.01):
                    self.wfile.write(b" ")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.host = f"127.0.0.1:{server.server_port}"
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield found
        found.is_over.set()
        server.shutdown()
        thread.join()
