"""Where artifacts go: `oci://registry/path`, and how a registry's host is reached."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from msgspec import Struct

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
"""Docker Hub is called by one name and reached by another."""


class RegistryError(RenderError):
    """The registry, or the way to it, has not what was asked for."""


class Repository(Struct, frozen=True):
    """A registry and a path in it, below which each spoke has a repository."""

    host: str
    path: str

    @classmethod
    def read(cls, url: str) -> Repository:
        """Read `oci://registry/path`.

        Raises:
            RegistryError: it is not of that form.

        """
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            message = f"{url}: it is no URL: {error}"
            raise RegistryError(message) from error
        path = parts.path.strip("/")
        if parts.scheme != "oci" or not parts.hostname or parts.query or parts.fragment:
            message = f"{url}: a registry is written oci://registry/path"
            raise RegistryError(message)
        if parts.username is not None or parts.password is not None:
            message = "oci://…: it has a user's name in it; log in instead, as with docker login"
            raise RegistryError(message)
        if len(path) > _LONGEST or not _PATH.fullmatch(path):
            message = f"{url}: {path!r} is no path in a registry, as team/fleet is"
            raise RegistryError(message + "; a tag is for --tag" * (":" in path or "@" in path))
        host = HUB if parts.hostname in _HUB else parts.hostname
        bracketed = f"[{host}]" if ":" in host else host
        return cls(bracketed if port is None else f"{bracketed}:{port}", path)

    @property
    def is_here(self) -> bool:
        """Whether it is this very machine, which plain HTTP can be spoken with."""
        host = urlsplit(f"//{self.host}").hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def below(self, name: str) -> Repository:
        """The repository of a spoke.

        Raises:
            RegistryError: its path is longer than a registry takes.

        """
        path = f"{self.path}/{name}"
        if len(path) > _LONGEST:
            message = f"{SCHEME}{self.host}/{path}: a path has at most {_LONGEST} characters"
            raise RegistryError(message)
        return Repository(self.host, path)

    def __str__(self) -> str:
        """Write it as users do."""
        return f"{SCHEME}{self.host}/{self.path}"


def refuse_bad_tags(tags: tuple[str, ...]) -> None:
    """Refuse what no registry takes for a tag.

    Raises:
        RegistryError: one is none.

    """
    for tag in tags:
        if not _TAG.fullmatch(tag):
            message = f"{tag!r} is no tag: letters, digits, _, . and -, at most 128"
            raise RegistryError(message)
