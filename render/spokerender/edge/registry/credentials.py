"""Credentials as `docker login` leaves them: in Docker's configuration, or in its helpers."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from oras.auth.token import TokenAuth
from oras.auth.utils import parse_auth_header
from requests import Response, Session

from spokerender.edge.registry.references import HUB, RegistryError

_HUB_KEY = "https://index.docker.io/v1/"
"""What Docker Hub's credentials are kept under."""
_AROUND = re.compile(r"^https?://|(?:/v[12])?/?$")

_LONGEST = 4_096
"""Characters of a challenge; oras looks for each name in all that is left of it."""
_Sent = tuple[dict[str, str], bool]


class Credentials(TokenAuth):  # type: ignore[misc]  # oras has no types
    """Who we are, for a registry that takes tokens, or a name and a password themselves."""

    def __init__(self, session: Session, prefix: str) -> None:
        """Read Docker's configuration.

        Raises:
            RegistryError: it can't be read.

        """
        super().__init__()
        self.session, self.prefix, self._tls_verify = session, prefix, True
        self._auth_config = _configuration()
        self._is_basic = False
        self._problems: list[str] = []

    @property
    def tried(self) -> str:
        """Which credentials a registry is given, and which could not be had."""
        has_any = getattr(self, "_basic_auth", None)
        found = "its credentials are those" if has_any else "there are no credentials for it"
        return "; ".join([f"{found} in {_path()}", *self._problems])

    def get_auth_header(self) -> dict[str, str]:
        """What to send: what the registry has taken last."""
        if self._is_basic:
            return {"Authorization": f"Basic {self._basic_auth}"}
        header: dict[str, str] = super().get_auth_header()
        return header

    def authenticate_request(
        self, original: Response, headers: dict[str, str], refresh: bool = False
    ) -> _Sent:
        """Answer a registry that wants to know who we are; whether there is an answer.

        Raises:
            RegistryError: it does not say how to tell it.

        """
        challenge = original.headers.get("Www-Authenticate", "")
        if challenge.lower().startswith("basic"):
            self._is_basic = getattr(self, "_basic_auth", None) is not None
            return headers | self.get_auth_header(), self._is_basic
        if len(challenge) > _LONGEST or not parse_auth_header(challenge).realm:
            return headers, False
        answer: _Sent = super().authenticate_request(original, headers, refresh)
        return answer

    def _get_auth_from_creds_store(self, suffix: str, hostname: str) -> str | None:
        """Ask a helper; one that is not there or gives nothing is told where a registry refuses."""
        asked = _HUB_KEY if hostname == HUB else hostname
        found: str | None = None
        with suppress(OSError, ValueError, LookupError):  # what it says is not what helpers say
            found = super()._get_auth_from_creds_store(suffix, asked)
        if found is None:
            self._problems.append(f"docker-credential-{suffix} gives none for {asked}")
        return found


def _path() -> Path:
    """Where Docker's configuration is: https://docs.docker.com/reference/cli/docker/."""
    folder = os.environ.get("DOCKER_CONFIG")
    return (Path(folder) if folder else Path("~/.docker").expanduser()) / "config.json"


def _configuration() -> dict[str, Any]:
    """What it says of credentials; the registries by their hosts.

    Raises:
        RegistryError: it can't be read.

    """
    path = _path()
    try:
        found = json.loads(path.read_bytes()) if path.exists() else {}
        return {
            "auths": {_host(name): dict(entry) for name, entry in _of(found, "auths")},
            "credHelpers": {_host(name): str(helper) for name, helper in _of(found, "credHelpers")},
            "credsStore": found.get("credsStore"),
        }
    except (OSError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        message = f"{path}: Docker's configuration can't be read: {error}; mend it"
        raise RegistryError(message) from error


def _of(found: dict[str, Any], key: str) -> list[tuple[str, Any]]:
    return list((found.get(key) or {}).items())


def _host(name: str) -> str:
    host = _AROUND.sub("", name)
    return HUB if host in {"docker.io", "index.docker.io"} else host
