"""The place of artifacts: `oci://registry/path`."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from msgspec import Struct

from spokerender.edge.hosts import is_loopback
from spokerender.findings.errors import RenderError

SCHEME = "oci://"
_PATH = re.compile(
    r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*"
)
_TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
"""The distribution specification 1.1, "Pulling manifests"."""
_LONGEST = 255
_HUB = frozenset({"docker.io", "index.docker.io"})
HUB = "registry-1.docker.io"
"""Docker Hub has another host than its name."""


class RegistryError(RenderError):
    """A registry can't be reached, or refuses a request."""


class RegistryRepository(Struct, frozen=True):
    """A registry and a path in it; each spoke has a repository below that."""

    host: str
    path: str

    @classmethod
    def read(cls, url: str) -> RegistryRepository:
        """Read `oci://registry/path`. Raises `RegistryError` for another form."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            message = f"{url}: it is not a URL: {error}"
            raise RegistryError(message) from error
        path = parts.path.strip("/")
        if parts.scheme != "oci" or not parts.hostname or parts.query or parts.fragment:
            message = f"{url}: a registry is written oci://registry/path"
            raise RegistryError(message)
        if parts.username is not None or parts.password is not None:
            message = "oci://…: it has a user name in it; log in instead, as with docker login"
            raise RegistryError(message)
        if len(path) > _LONGEST or not _PATH.fullmatch(path):
            message = f"{url}: {path!r} is not a path in a registry; write it as team/fleet"
            raise RegistryError(message + "; a tag is for --tag" * (":" in path or "@" in path))
        host = HUB if parts.hostname in _HUB else parts.hostname
        bracketed = f"[{host}]" if ":" in host else host
        return cls(bracketed if port is None else f"{bracketed}:{port}", path)

    @property
    def is_here(self) -> bool:
        """Return whether the registry is on this machine, so that plain HTTP is safe."""
        return is_loopback(urlsplit(f"//{self.host}").hostname or "")

    def below(self, name: str) -> RegistryRepository:
        """Return the repository of a spoke. Raises `RegistryError` if its path is too long."""
        path = f"{self.path}/{name}"
        if len(path) > _LONGEST:
            message = f"{SCHEME}{self.host}/{path}: a path has at most {_LONGEST} characters"
            raise RegistryError(message)
        return RegistryRepository(self.host, path)

    def __str__(self) -> str:
        return f"{SCHEME}{self.host}/{self.path}"


def refuse_bad_tags(tags: tuple[str, ...]) -> None:
    """Raise `RegistryError` for a tag that no registry accepts."""
    for tag in tags:
        if not _TAG.fullmatch(tag):
            message = f"{tag!r} is not a tag: letters, digits, _, . and -, at most 128"
            raise RegistryError(message)
