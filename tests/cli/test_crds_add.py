"""`spokerender crds add`: CRDs from files, and from a server on this machine."""

from __future__ import annotations

import hashlib
import io
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from spokerender.edge import fetching
from tests.cli.project import AUTH, FLEET, PROJECT, RULES, Shell
from tests.edge.files.trees import snapshot
from tests.support.crds import crd

NAME = "authpolicies.kuadrant.io.yaml"
OTHER = crd().replace("authpolicies", "planpolicies").replace("AuthPolicy", "PlanPolicy")


@dataclass
class Server:
    """What a server has by path; it sends elsewhere from the paths of `moved`."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    missing: int = 0
    """The bytes that it promises, and does not send."""
    slow: dict[str, bytes] = field(default_factory=dict)
    """What comes first, and then byte after byte, until the test is over."""
    is_over: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            if self.path in found.moved:
                self.send_response(302)
                self.send_header("Location", found.moved[self.path])
                self.end_headers()
                return
            if self.path in found.slow:
                self.wfile.write(found.slow[self.path])
                with suppress(OSError):  # nobody listens any more
                    while not found.is_over.wait(0.01):
                        self.wfile.write(b"a")
                return
            data = found.files.get(self.path)
            self.send_response(200 if data is not None else 404)
            self.send_header("Content-Length", str(len(data or b"") + found.missing))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        found.url = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield found
        found.is_over.set()
        running.shutdown()
        thread.join()


def sums(folder: Path) -> Mapping[str, str]:
    lines = re.findall(r"([0-9a-f]{64})  (.+)\n", (folder / "SHA256SUMS").read_text())
    return {name: digest for digest, name in lines}


def test_a_file_is_kept_with_its_checksum_and_named_in_the_fleet_file(shell: Shell) -> None:
    shell.write(
        {
            "all.yaml": f"{crd()}---\n# another\n{OTHER}---\n{AUTH}",
            "fleet.yaml": f"# ours\n{FLEET}  requires: '>=0.1'\n",
        }
    )
    done = shell.run("crds", "add", "all.yaml")
    assert (done.status, done.err) == (0, "")
    folder = shell.folder / "crds"
    assert sorted(path.name for path in folder.iterdir()) == [
        "SHA256SUMS",
        NAME,
        "planpolicies.kuadrant.io.yaml",
    ]
    assert (folder / NAME).read_text() == crd()
    assert (folder / "planpolicies.kuadrant.io.yaml").read_text() == f"# another\n{OTHER}"
    assert sums(folder) == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.yaml")
    }
    assert (shell.folder / "fleet.yaml").read_text() == (
        f"# ours\n{FLEET}  requires: '>=0.1'\n  crds: [crds/]\n"
    )
    assert "updated fleet.yaml" in done.out


def test_check_validates_by_it(shell: Shell) -> None:
    shell.write({"all.yaml": crd(), "hub/auth.yaml": f"{AUTH}{RULES}  realm: much-too-long\n"})
    assert shell.run("build").status == 0
    assert shell.run("check").status == 0
    assert shell.run("crds", "add", "all.yaml").status == 0
    checked = shell.run("check")
    assert checked.status == 1
    assert "error SR2301 AuthPolicy infra/closed spec.realm" in checked.err


def test_again_changes_nothing(shell: Shell) -> None:
    shell.write({"all.yaml": crd()})
    shell.run("crds", "add", "all.yaml")
    before = snapshot(shell.folder)
    done = shell.run("crds", "add", "all.yaml")
    assert (done.status, done.out) == (0, "1 unchanged\n")
    assert snapshot(shell.folder) == before


def test_a_new_release_replaces_what_was_added(shell: Shell) -> None:
    shell.write({"all.yaml": crd()})
    shell.run("crds", "add", "all.yaml")
    newer = crd().replace("kind: CustomResourceDefinition", "kind: CustomResourceDefinition # v2")
    shell.write({"all.yaml": newer})
    done = shell.run("crds", "add", "all.yaml")
    assert done.status == 0
    assert (shell.folder / "crds" / NAME).read_text() == newer
    assert sums(shell.folder / "crds")[NAME] == hashlib.sha256(newer.encode()).hexdigest()


@pytest.mark.parametrize("has_sums", [True, False])
def test_an_edited_file_is_never_replaced(has_sums: bool, shell: Shell) -> None:
    shell.write({"all.yaml": crd()})
    shell.run("crds", "add", "all.yaml")
    shell.write({f"crds/{NAME}": f"# mine\n{crd()}"})
    if not has_sums:
        (shell.folder / "crds/SHA256SUMS").unlink()
    before = snapshot(shell.folder)
    done = shell.run("crds", "add", "all.yaml")
    assert (done.status, done.out) == (2, "")
    assert "error SR3018 CustomResourceDefinition authpolicies.kuadrant.io" in done.err
    assert snapshot(shell.folder) == before


def test_a_folder_of_ones_choice(empty: Shell) -> None:
    empty.write({**PROJECT, "in/all.yaml": crd()})
    assert empty.run("crds", "add", "in", "-o", "definitions/v1").status == 0
    assert (empty.folder / "definitions/v1" / NAME).is_file()
    assert (empty.folder / "fleet.yaml").read_text() == (
        "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec:\n  crds: [definitions/v1/]\n"
    )


@pytest.mark.parametrize(
    "text", [AUTH, "", "a: 1\n", "a: [", crd().replace("    kind: AuthPolicy\n", "")]
)
def test_what_is_no_crd_writes_nothing(text: str, shell: Shell) -> None:
    shell.write({"all.yaml": text})
    before = snapshot(shell.folder)
    done = shell.run("crds", "add", "all.yaml")
    assert (done.status, done.out) == (2, "")
    assert re.search(r"error SR(3017|1001|1002)", done.err)
    assert snapshot(shell.folder) == before


def test_from_a_server(shell: Shell, server: Server) -> None:
    server.files = {"/v1/crds.yaml": crd().encode()}
    server.moved = {"/latest": "/v1/crds.yaml"}
    done = shell.run("crds", "add", f"{server.url}/latest")
    assert (done.status, done.err) == (0, f"fetching {server.url}/latest\n")
    assert (shell.folder / "crds" / NAME).read_text() == crd()
    assert server.asked == ["/latest", "/v1/crds.yaml"]
    assert shell.run("crds", "add", f"{server.url}/latest", "-q").err == ""


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/none", "Not Found"),
        ("/away", "plain HTTP is not safe"),
        ("/file", "is not allowed"),
        ("/large", "it is larger than 1,000 bytes"),
    ],
)
def test_what_a_server_can_do_wrong(
    path: str, message: str, shell: Shell, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "LARGEST", 1000)
    server.files = {"/large": b"#" * 1001}
    server.moved = {"/away": "http://crds.example.com/x.yaml", "/file": "file:///etc/passwd"}
    before = snapshot(shell.folder)
    done = shell.run("crds", "add", server.url + path)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert snapshot(shell.folder) == before


def test_an_answer_that_is_cut_off_is_refused(shell: Shell, server: Server) -> None:
    """Its beginning is a valid file."""
    server.files, server.missing = {"/crd.yaml": crd().encode()}, 7
    before = snapshot(shell.folder)
    done = shell.run("crds", "add", f"{server.url}/crd.yaml")
    assert (done.status, done.out) == (2, "")
    assert "the answer ends 7 bytes too early" in done.err
    assert snapshot(shell.folder) == before


@pytest.mark.parametrize("first", [b"", b"HTTP/1.0 200 OK\r\n", b"HTTP/1.0 200 OK\r\n\r\n"])
def test_a_server_that_sends_a_byte_now_and_then(
    first: bytes, shell: Shell, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its headers nor its answer ever end, and no time limit of a socket is reached."""
    monkeypatch.setattr(fetching, "LONGEST_SECONDS", 0.3)
    server.slow = {"/slow": first}
    done = shell.run("crds", "add", f"{server.url}/slow")
    assert (done.status, done.out) == (2, "")
    assert "the answer is not complete after 0.3 seconds" in done.err


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://crds.example.com/x.yaml", "plain HTTP is not safe"),
        ("http://127.0.0.1.example.com/x", "plain HTTP is not safe"),
        ("ftp://127.0.0.1/x", "only https:// URLs are fetched"),
        ("file:///etc/passwd", "only https:// URLs are fetched"),
        ("https://", "only https:// URLs are fetched"),
        ("https://[::1/x", "it is not a URL"),
        ("http://127.0.0.1:1/x", "it can't be fetched"),
    ],
)
def test_what_is_not_fetched(url: str, message: str, shell: Shell) -> None:
    done = shell.run("crds", "add", url)
    assert (done.status, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://me:hunter2@127.0.0.1/x", "https://127.0.0.1/x"),
        ("https://hunter2@127.0.0.1:1/a@b", "https://127.0.0.1:1/a@b"),
        ("https://127.0.0.1:1/x?sig=hunter2", "https://127.0.0.1:1/x?…"),
        ("ftp://me:hunter2@a/x?hunter2", "ftp://a/x?…"),
    ],
)
def test_what_proves_who_asks_is_not_told(url: str, told: str, shell: Shell) -> None:
    done = shell.run("crds", "add", url)
    assert done.status == 2
    assert "hunter2" not in done.err
    assert f"fetching {told}\nspokerender: {told}: " in done.err


def test_nobody_else_uses_the_network() -> None:
    package = Path(fetching.__file__).parents[1]
    networked = re.compile(
        r"^\s*(import|from) (urllib\.request|http\.client|socket|ssl|requests|oras|urllib3)\b",
        re.MULTILINE,
    )
    users = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if networked.search(path.read_text())
    }
    doors = {"edge/comments.py", "edge/fetching.py"}
    assert {user for user in users if not user.startswith("edge/registry/")} == doors
    assert users > doors


def test_what_kubectl_prints(empty: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that `check` shows ends in this one."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(crd().encode())))
    done = empty.run("crds", "add", "-")
    assert (done.status, done.err) == (0, "")
    assert (empty.folder / "crds" / "authpolicies.kuadrant.io.yaml").is_file()
