"""`spokerender push`: a registry over a real socket, and all that it may do wrong."""

from __future__ import annotations

import gzip
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.project import OVERRIDES, PLACEMENT, Shell
from tests.edge.registry.test_artifacts import unpacked
from tests.support import registries
from tests.support.registries import Answer, Registry, basic, problem


@pytest.fixture
def registry(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Registry]:
    """A registry, and nobody's credentials."""
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path_factory.mktemp("docker")))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setattr("spokerender.edge.registry.transport.AGAIN.backoff_factor", 0)
    with registries.running() as found:
        yield found


@pytest.fixture
def built(shell: Shell) -> Shell:
    """A project whose tree is true, and whose two spokes differ."""
    shell.write({"placement.yaml": PLACEMENT + OVERRIDES})
    assert shell.run("build").status == 0
    return shell


def url(registry: Registry) -> str:
    return f"oci://{registry.host}/team/fleet"


def digests(registry: Registry, tag: str = "latest") -> dict[str, str]:
    return {
        repository.rpartition("/")[2]: registries.digest(manifest)
        for (repository, name), manifest in registry.manifests.items()
        if name == tag
    }


def log_in(user: str, registry: Registry, **more: object) -> None:
    config = Path(os.environ["DOCKER_CONFIG"]) / "config.json"
    auth = basic(user).removeprefix("Basic ")
    config.write_text(json.dumps({"auths": {registry.host: {"auth": auth}}, **more}))


def test_each_spoke_is_an_artifact(built: Shell, registry: Registry) -> None:
    done = built.run("push", url(registry))
    found = digests(registry)
    assert (done.status, "error" in done.err) == (0, False)
    assert done.out == (
        f"pushed  {url(registry)}/eu:latest@{found['eu']}\n"
        f"pushed  {url(registry)}/us:latest@{found['us']}\n"
        "2 artifacts: 2 pushed\n"
    )
    for spoke in ("eu", "us"):
        _, layer = registry.pulled(f"team/fleet/{spoke}", "latest")
        folder = built.folder / "clusters" / spoke
        on_disk = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.yaml")}
        pulled = {path: data for path, (data, *_) in unpacked(layer).items() if data is not None}
        assert pulled == on_disk


def test_a_second_push_changes_nothing(built: Shell, registry: Registry) -> None:
    built.run("push", url(registry))
    before = dict(registry.manifests)
    registry.asked.clear()
    done = built.run("push", url(registry))
    assert (done.status, done.out.splitlines()[-1]) == (0, "2 artifacts: 2 unchanged")
    assert registry.manifests == before
    assert {method for method, _ in registry.asked} == {"GET", "HEAD"}


def test_only_a_spoke_that_changed_gets_another_digest(built: Shell, registry: Registry) -> None:
    built.run("push", url(registry), "--revision", "main@sha1:1")
    before = digests(registry)
    built.write({"placement.yaml": (PLACEMENT + OVERRIDES).replace("europe", "eire")})
    assert built.run("build").status == 0
    done = built.run("push", url(registry), "--revision", "main@sha1:2", "--format", "json")
    after = digests(registry)
    assert [(each["spoke"], each["state"]) for each in json.loads(done.out)["artifacts"]] == [
        ("eu", "pushed"),
        ("us", "unchanged"),
    ]
    assert after["us"] == before["us"]
    assert after["eu"] != before["eu"]
    told = {spoke: registry.pulled(f"team/fleet/{spoke}", "latest")[0] for spoke in after}
    revisions = {
        spoke: manifest["annotations"]["org.opencontainers.image.revision"]  # type: ignore[index]
        for spoke, manifest in told.items()
    }
    assert revisions == {"eu": "main@sha1:2", "us": "main@sha1:1"}


def test_tags_stand_for_one_artifact(built: Shell, registry: Registry) -> None:
    built.run("push", url(registry))
    done = built.run("push", url(registry), "--tag", "latest", "--tag", "v1", "--source", "git://x")
    assert done.status == 0
    assert digests(registry, "v1") == digests(registry, "latest")


def test_a_dry_run_asks_nobody(built: Shell, registry: Registry) -> None:
    done = built.run("push", url(registry), "--dry-run", "--format", "json")
    assert (done.status, registry.asked) == (0, [])
    told = {each["spoke"]: each["digest"] for each in json.loads(done.out)["artifacts"]}
    built.run("push", url(registry))
    assert told == digests(registry)


def test_one_spoke_alone(built: Shell, registry: Registry) -> None:
    assert built.run("push", url(registry), "--spoke", "us").status == 0
    assert list(digests(registry)) == ["us"]
    done = built.run("push", url(registry), "--spoke", "mars")
    assert done.status == 2
    assert 'no spoke "mars"' in done.err


def test_what_is_not_committed_is_not_pushed(built: Shell, registry: Registry) -> None:
    built.write({"placement.yaml": PLACEMENT})
    done = built.run("push", url(registry))
    assert (done.status, done.out, registry.asked) == (1, "nothing was pushed\n", [])
    assert "error SR1209: clusters: stale, 1 file would change" in done.err
    assert "run spokerender build" in done.err


def test_what_check_refuses_is_not_pushed(wrong: Shell, registry: Registry) -> None:
    assert wrong.run("build").status == 0
    done = wrong.run("push", url(registry))
    assert (done.status, done.out, registry.asked) == (1, "nothing was pushed\n", [])
    assert "error SR23" in done.err


def test_wrong_input_is_not_pushed(built: Shell, registry: Registry) -> None:
    built.write({"placement.yaml": "kind: Placement\n"})
    assert built.run("push", url(registry)).status == 2
    assert registry.asked == []


@pytest.mark.parametrize("has_tokens", [True, False])
def test_credentials_are_dockers(has_tokens: bool, built: Shell, registry: Registry) -> None:
    registry.user, registry.has_tokens = "robot:hunter2", has_tokens
    log_in("robot:hunter2", registry)
    done = built.run("push", url(registry))
    assert (done.status, "error" in done.err) == (0, False)
    assert len(digests(registry)) == 2


def test_a_helper_has_the_credentials(
    built: Shell, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.user = "robot:hunter2"
    helper = tmp_path / "docker-credential-vault"
    helper.write_text('#!/bin/sh\nread host\necho \'{"Username": "robot", "Secret": "hunter2"}\'\n')
    helper.chmod(helper.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    config = Path(os.environ["DOCKER_CONFIG"]) / "config.json"
    config.write_text(json.dumps({"credHelpers": {registry.host: "vault"}}))
    assert built.run("push", url(registry)).status == 0


@pytest.mark.parametrize("has_tokens", [True, False])
@pytest.mark.parametrize("user", [None, "robot:wrong"])
def test_who_one_is_not(
    user: str | None, has_tokens: bool, built: Shell, registry: Registry
) -> None:
    registry.user, registry.has_tokens = "robot:hunter2", has_tokens
    if user is not None:
        log_in(user, registry)
    done = built.run("push", url(registry))
    assert (done.status, done.out, registry.manifests) == (2, "", {})
    assert "it answers 401 Unauthorized: it requires credentials; log in" in done.err
    whose = "its credentials are those in" if user else "there are no credentials for it in"
    assert f"{whose} {os.environ['DOCKER_CONFIG']}/config.json" in done.err
    assert "wrong" not in done.err
    assert "0 of 2 spokes are pushed; run push again for the others" in done.err


def test_a_helper_that_is_not_there_is_told(built: Shell, registry: Registry) -> None:
    registry.user = "robot:hunter2"
    config = Path(os.environ["DOCKER_CONFIG"]) / "config.json"
    config.write_text(json.dumps({"credsStore": "nowhere"}))
    done = built.run("push", url(registry))
    assert done.status == 2
    assert f"docker-credential-nowhere has none for {registry.host}" in done.err


def test_a_configuration_that_is_none(built: Shell, registry: Registry) -> None:
    (Path(os.environ["DOCKER_CONFIG"]) / "config.json").write_text("{")
    done = built.run("push", url(registry))
    assert (done.status, registry.asked) == (2, [])
    assert "config.json: Docker's configuration can't be read" in done.err


def elsewhere(status: int, location: str) -> Answer:
    return status, {"Location": location}, b""


TROUBLES: dict[str, tuple[str, Answer, str]] = {
    "no such repository": (
        "POST",
        problem(404, "NAME_UNKNOWN", "repository name not known to registry"),
        "404 Not Found: there is no such repository; does it have to be created first?: NAME",
    ),
    "forbidden": (
        "POST",
        problem(403, "DENIED", "requested access to the resource is denied"),
        "403 Forbidden: you have no permission to push there; ask the owner of the registry: ",
    ),
    "read only": ("POST", problem(405, "UNSUPPORTED", ""), "405 Method Not Allowed: it does not"),
    "busy": ("GET", problem(503, "UNAVAILABLE", "\x1b[31mred"), "503 Service Unavailable: UNAV"),
    "full": ("PUT", problem(507, "", "disk full"), "507 Insufficient Storage: disk full"),
    "no HTTP status": ("PUT", problem(599, "A" * 5000, ""), "it answers 599"),
    "no JSON": ("PUT", (500, {}, b"<html>"), "it answers 500 Internal Server Error\n"),
    "odd JSON": ("PUT", (500, {}, b'{"errors": {"a": 1}}'), "it answers 500 Internal Server"),
    "moved": ("GET", elsewhere(301, "https://evil.example/v2/"), "it redirects to https://evil"),
    "moved while writing": ("POST", elsewhere(307, "https://evil.example/"), "it redirects to htt"),
    "uploads elsewhere": ("POST", elsewhere(202, "https://evil.example/x"), "is not the registry"),
    "uploads nowhere": ("POST", (202, {}, b""), "does not say where to upload to"),
    "never ends": ("GET", (200, {}, b" " * ((4 << 20) + 1)), "its answer is larger than 4,194,304"),
    "never ends to nest": ("PUT", (500, {}, b"[" * 1_000_000), "it answers 500 Internal Server"),
    "asks at length": (
        "GET",
        (401, {"Www-Authenticate": "Bearer " + "a" * 60_000}, b""),
        "401 Unauthorized",
    ),
    "packs what it says": (
        "PUT",
        (500, {"Content-Encoding": "gzip"}, gzip.compress(b'{"errors": []}' * 1_000_000)),
        "it answers 500 Internal Server Error\n",
    ),
    "gone": ("PUT", (0, {}, b""), "it can't be reached"),
    "asks oddly": ("GET", (401, {"Www-Authenticate": "Bearer"}, b""), "401 Unauthorized"),
    "asks over there": (
        "GET",
        (401, {"Www-Authenticate": 'Bearer realm="http://evil.example/token",service="x"'}, b""),
        "plain HTTP is allowed for the named registry only",
    ),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_what_a_registry_can_do_wrong(name: str, built: Shell, registry: Registry) -> None:
    method, answer, message = TROUBLES[name]
    log_in("robot:hunter2", registry)
    registry.trouble = lambda asked, _: answer if asked == method else None
    done = built.run("push", url(registry))
    assert (done.status, done.out) == (2, "")
    assert message.replace("there are no", "its credentials") in done.err
    assert "of 2 spokes are pushed; run push again for the others" in done.err
    assert "\x1b" not in done.err
    assert max(map(len, done.err.splitlines())) < 1000
    assert registry.manifests == {}


@pytest.mark.parametrize("body", [b"[]", b'"token"', b"5", b"null", b'{"token": ["a"]}'])
@pytest.mark.parametrize("user", ["robot:hunter2", ""])
def test_a_token_service_without_a_token(
    user: str, body: bytes, built: Shell, registry: Registry
) -> None:
    if user:
        log_in(user, registry)
    registry.user, registry.has_tokens = "robot:hunter2", True
    registry.trouble = lambda _, path: (200, {}, body) if path == "/token" else None
    done = built.run("push", url(registry))
    assert (done.status, done.out, registry.manifests) == (2, "", {})
    assert "Traceback" not in done.err
    assert "internal error" not in done.err


@pytest.mark.parametrize("user", ["robot:hunter2", ""])
def test_a_token_service_that_redirects(
    user: str, built: Shell, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other host would get what ~/.netrc has for it, or a name and a password."""
    with registries.running() as other:
        netrc = Path(built.folder).parent / "netrc"
        netrc.write_text(f"machine {other.host.partition(':')[0]} login me password secret\n")
        monkeypatch.setenv("NETRC", str(netrc))
        if user:
            log_in(user, registry)
        registry.user, registry.has_tokens = "robot:hunter2", True
        elsewhere_token = 307, {"Location": f"http://{other.host}/token"}, b""
        registry.trouble = lambda _, path: elsewhere_token if path == "/token" else None
        done = built.run("push", url(registry))
        assert (done.status, other.asked) == (2, [])
        assert "its token service redirects" in done.err


def test_a_registry_that_says_no_more(
    built: Shell, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It promises more than it sends."""
    monkeypatch.setattr("spokerender.edge.registry.transport.SECONDS", (1, 1))
    registry.trouble = lambda *_: (200, {"Content-Length": "9"}, b"{")
    done = built.run("push", url(registry))
    assert (done.status, done.out) == (2, "")
    assert "it can't be reached: timed out" in done.err


def test_a_registry_that_is_slow(
    built: Shell, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lets us wait, and sends a byte before each wait is over."""
    monkeypatch.setattr("spokerender.edge.registry.transport.LONGEST_SECONDS", 0.3)
    registry.is_slow = True
    done = built.run("push", url(registry))
    assert (done.status, done.out) == (2, "")
    assert "the answer is not complete after 0.3 seconds" in done.err


def test_a_registry_that_lies(built: Shell, registry: Registry) -> None:
    """It takes a manifest and gives back another one."""
    other = b'{"schemaVersion": 2}'
    registry.trouble = lambda method, path: (
        (200, {}, other) if method == "GET" and "manifests" in path else None
    )
    done = built.run("push", url(registry))
    assert done.status == 2
    assert "the registry accepted it, and returns something else" in done.err


def test_what_is_pushed_half_is_mended(built: Shell, registry: Registry) -> None:
    """The registry goes while the second spoke's layer is on its way."""
    registry.trouble = lambda method, path: (
        (0, {}, b"") if method == "PUT" and path.startswith("/v2/team/fleet/us/") else None
    )
    done = built.run("push", url(registry))
    assert done.status == 2
    assert "1 of 2 spokes are pushed; run push again for the others" in done.err
    assert list(digests(registry)) == ["eu"]
    registry.trouble = None
    done = built.run("push", url(registry))
    assert (done.status, done.out.splitlines()[-1]) == (0, "2 artifacts: 1 pushed, 1 unchanged")
    for spoke in ("eu", "us"):
        registry.pulled(f"team/fleet/{spoke}", "latest")


def test_a_blob_that_went_comes_back(built: Shell, registry: Registry) -> None:
    built.run("push", url(registry))
    registry.blobs.clear()
    assert built.run("push", url(registry)).status == 0
    registry.pulled("team/fleet/eu", "latest")


def test_nobody_is_there(built: Shell) -> None:
    done = built.run("push", "oci://127.0.0.1:1/fleet")
    assert (done.status, done.out) == (2, "")
    assert "http://127.0.0.1:1/: it can't be reached: Connection refused" in done.err


def test_plain_http_is_for_this_machine(
    built: Shell, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere it is asked for: here by a name that only we take for this machine."""
    import socket  # noqa: PLC0415

    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *rest: resolve("127.0.0.1" if host == "registry.test" else host, *rest),
    )
    monkeypatch.delenv("HTTP_PROXY")
    port = registry.host.rpartition(":")[2]
    place = f"oci://registry.test:{port}/team/fleet"
    done = built.run("push", place)
    assert (done.status, registry.manifests) == (2, {})
    assert f"https://registry.test:{port}/: it can't be reached" in done.err
    assert built.run("push", place, "--plain-http").status == 0
    assert len(digests(registry)) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give one registry"),
        (["."], "give one registry, as oci://registry/path, and at most one folder"),
        (["oci://a.b/c", "oci://a.b/c"], "give one registry"),
        (["nowhere", "oci://a.b/c"], "nowhere is not a folder"),
        (["ghcr.io/acme"], "give one registry"),
        (["oci://a.b/c", "--tag", "a b"], "'a b' is not a tag"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, built: Shell) -> None:
    done = built.run("push", *arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err


def test_quiet_says_nothing_where_all_is_right(built: Shell, registry: Registry) -> None:
    done = built.run("push", "-q", url(registry))
    assert (done.status, done.out, done.err) == (0, "", "")
