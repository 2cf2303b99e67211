"""Credentials as `docker login` leaves them: in Docker's configuration, or in its helpers."""

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
"""The key of Docker Hub's credentials."""
_AROUND = re.compile(r"^https?://|(?:/v[12])?/?$")

_LONGEST = 4_096
"""The longest challenge, in characters; oras searches the rest of it for each name."""
_Sent = tuple[dict[str, str], bool]


class Credentials(TokenAuth):  # type: ignore[misc]  # oras has no types
    """Credentials for a registry that takes tokens, or a name and a password."""

    def __init__(self, session: Session, prefix: str) -> None:
        """Read Docker's configuration. Raises `RegistryError` if it can't be read."""
        super().__init__()
        self.session, self.prefix, self._tls_verify = session, prefix, True
        self._auth_config = _configuration()
        self._is_basic = False
        self._problems: list[str] = []

    @property
    def tried(self) -> str:
        """The credentials that a registry gets, and those that could not be read, as text."""
        has_any = getattr(self, "_basic_auth", None)
        source = "its credentials are those" if has_any else "there are no credentials for it"
        return "; ".join([f"{source} in {_path()}", *self._problems])

    def get_auth_header(self) -> dict[str, str]:
        """Return the header that the registry has accepted last."""
        if self._is_basic:
            return {"Authorization": f"Basic {self._basic_auth}"}
        header: dict[str, str] = super().get_auth_header()
        return header

    def authenticate_request(
        self, original: Response, headers: dict[str, str], refresh: bool = False
    ) -> _Sent:
        """Return the headers that answer a challenge, and whether there is an answer."""
        challenge = original.headers.get("Www-Authenticate", "")
        if challenge.lower().startswith("basic"):
            self._is_basic = getattr(self, "_basic_auth", None) is not None
            return headers | self.get_auth_header(), self._is_basic
        if len(challenge) > _LONGEST or not parse_auth_header(challenge).realm:
            return headers, False
        # Redirects of a token service are refused: requests would send the next host what ~/.netrc
        # has for it.
        redirects, self.session.max_redirects = self.session.max_redirects, 0
        try:
            answer: _Sent = super().authenticate_request(original, headers, refresh)
        except (AttributeError, TypeError, LookupError) as error:  # oras expects a JSON object
            message = f"{original.url}: its token service answers something else than a token"
            raise RegistryError(message) from error
        finally:
            self.session.max_redirects = redirects
        return answer

    def _get_auth_from_creds_store(self, suffix: str, hostname: str) -> str | None:
        """Run a helper; if it fails, that is reported where a registry refuses."""
        key = _HUB_KEY if hostname == HUB else hostname
        credentials: str | None = None
        with suppress(OSError, ValueError, LookupError):  # its output is not that of a helper
            credentials = super()._get_auth_from_creds_store(suffix, key)
        if credentials is None:
            self._problems.append(f"docker-credential-{suffix} has none for {key}")
        return credentials


def _path() -> Path:
    """Return the path of Docker's configuration: https://docs.docker.com/reference/cli/docker/."""
    folder = os.environ.get("DOCKER_CONFIG")
    return (Path(folder) if folder else Path("~/.docker").expanduser()) / "config.json"


def _configuration() -> dict[str, Any]:
    """Read the credentials in it, by the hosts of registries. Raises `RegistryError`."""
    path = _path()
    try:
        data = json.loads(path.read_bytes()) if path.exists() else {}
        return {
            "auths": {_host(name): dict(entry) for name, entry in _entries(data, "auths")},
            "credHelpers": {
                _host(name): str(helper) for name, helper in _entries(data, "credHelpers")
            },
            "credsStore": data.get("credsStore"),
        }
    except (OSError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        message = f"{path}: Docker's configuration can't be read: {error}; correct it"
        raise RegistryError(message) from error


def _entries(data: dict[str, Any], key: str) -> list[tuple[str, Any]]:
    return list((data.get(key) or {}).items())


def _host(name: str) -> str:
    host = _AROUND.sub("", name)
    return HUB if host in {"docker.io", "index.docker.io"} else host
