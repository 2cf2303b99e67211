"""Where artifacts go, as users write it."""

from __future__ import annotations

import pytest

from spokerender.edge.registry.references import RegistryError, RegistryRepository, refuse_bad_tags


@pytest.mark.parametrize(
    ("url", "host", "path", "is_here"),
    [
        ("oci://ghcr.io/acme/fleet", "ghcr.io", "acme/fleet", False),
        ("oci://ghcr.io/acme/fleet/", "ghcr.io", "acme/fleet", False),
        ("oci://registry:5000/fleet", "registry:5000", "fleet", False),
        ("oci://docker.io/acme/fleet", "registry-1.docker.io", "acme/fleet", False),
        ("oci://localhost/fleet", "localhost", "fleet", True),
        (
            "oci://localhost:5000/my.fleet_a-b/x--y/z__1",
            "localhost:5000",
            "my.fleet_a-b/x--y/z__1",
            True,
        ),
        ("oci://127.0.0.9:1/fleet", "127.0.0.9:1", "fleet", True),
        ("oci://[::1]:5000/fleet", "[::1]:5000", "fleet", True),
        ("oci://localhost.example.com/fleet", "localhost.example.com", "fleet", False),
        ("oci://127.0.0.1.example.com/fleet", "127.0.0.1.example.com", "fleet", False),
    ],
)
def test_a_registry(url: str, host: str, path: str, is_here: bool) -> None:
    found = RegistryRepository.read(url)
    assert (found, found.is_here) == (RegistryRepository(host, path), is_here)
    assert found.below("eu") == RegistryRepository(host, f"{path}/eu")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("oci://ghcr.io", "'' is not a path in a registry"),
        ("oci:///fleet", "a registry is written oci://registry/path"),
        ("oci://ghcr.io/Acme", "'Acme' is not a path in a registry"),
        ("oci://ghcr.io/acme//fleet", "is not a path in a registry"),
        ("oci://ghcr.io/acme/../fleet", "is not a path in a registry"),
        ("oci://ghcr.io/acme/fleet:v1", "a tag is for --tag"),
        ("oci://ghcr.io/acme/fleet@sha256:0", "a tag is for --tag"),
        ("oci://ghcr.io/acme?x=1", "a registry is written oci://registry/path"),
        ("oci://ghcr.io/acme#x", "a registry is written oci://registry/path"),
        ("oci://ghcr.io:port/acme", "it is not a URL"),
        ("oci://[::1/acme", "it is not a URL"),
        (f"oci://ghcr.io/{'a' * 256}", "is not a path in a registry"),
    ],
)
def test_what_is_no_registry(url: str, message: str) -> None:
    with pytest.raises(RegistryError, match=message):
        RegistryRepository.read(url)


def test_a_password_is_not_told() -> None:
    with pytest.raises(RegistryError) as caught:
        RegistryRepository.read("oci://me:hunter2@ghcr.io/acme")
    assert "hunter2" not in str(caught.value)
    assert "log in instead" in str(caught.value)


def test_a_path_has_an_end() -> None:
    with pytest.raises(RegistryError, match="at most 255 characters"):
        RegistryRepository("ghcr.io", "a" * 253).below("eu")


@pytest.mark.parametrize("tag", ["", ".x", "-x", "a/b", "a:b", "é", "x" * 129, "x\n"])
def test_what_is_no_tag(tag: str) -> None:
    with pytest.raises(RegistryError, match="is not a tag"):
        refuse_bad_tags(("latest", tag))


def test_what_is_a_tag() -> None:
    refuse_bad_tags(("latest", "v1.2.3-rc_1", "_", "x" * 128))
