"""A session with a registry: oras knows the protocol, and is kept from what it must not do.

By itself oras waits two minutes before it reports that a registry is not there, waits without end
for one that does not answer, sends credentials to wherever an upload is redirected, and follows a
registry anywhere (oras 0.2.43, provider.py and decorator.py). Here an answer is limited in time
and size, and everything goes to the registry alone; a token is requested from the service that
the registry names, over TLS.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from tempfile import NamedTemporaryFile

from msgspec import Struct
from oras.container import Container
from oras.logger import logger
from oras.provider import Registry
from requests import PreparedRequest, Response
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from spokerender import __version__
from spokerender.edge.registry.artifacts import MANIFEST_TYPE, Artifact, Blob, digest_of
from spokerender.edge.registry.credentials import Credentials
from spokerender.edge.registry.references import RegistryError, Repository
from spokerender.edge.registry.transport import Bounded, reason, refusal


class Connection(Registry):  # type: ignore[misc]  # oras has no types
    """A session with a registry; whatever goes wrong in it is a `RegistryError`."""

    def __init__(self, repository: Repository, *, plain: bool) -> None:
        """Know the credentials; nothing is sent yet.

        Raises:
            RegistryError: Docker's configuration can't be read.

        """
        super().__init__(hostname=repository.host, insecure=plain)
        logger.set_level(logging.CRITICAL)  # what it would tell is told by what is raised
        self._root = f"{self.prefix}://{repository.host}/"
        self.session.auth = _as_it_is
        self.session.trust_env = not repository.is_here  # proxies, say
        self.session.headers["User-Agent"] = f"spokerender/{__version__}"
        self.session.adapters.clear()
        for place in {"https://", self._root}:
            self.session.mount(place, Bounded())
        self.auth = Credentials(self.session, self.prefix)
        self.auth.load_configs(_container(repository))

    def manifest(self, repository: Repository, tag: str) -> bytes | None:
        """What a tag stands for; None where there is no such tag.

        Raises:
            RegistryError: the registry does not say.

        """
        url = f"{self.prefix}://{_container(repository).manifest_url(tag)}"
        answer = self.do_request(url, "GET", headers={"Accept": MANIFEST_TYPE})
        found: bytes = answer.content
        return found if answer.status_code == HTTPStatus.OK else None

    def keep(self, repository: Repository, blob: Blob) -> None:
        """Upload a blob that is not there.

        Raises:
            RegistryError: the registry does not take it.

        """
        container = _container(repository)
        if self.blob_exists(blob.described(), container):
            return
        with NamedTemporaryFile() as file:  # oras uploads files
            file.write(blob.data)
            file.flush()
            try:
                self.put_upload(file.name, container, blob.described())
            except ValueError as error:  # it was told no Location
                message = f"{repository}: the registry does not say where to upload to"
                raise RegistryError(message) from error

    def tag(self, repository: Repository, tag: str, manifest: bytes) -> None:
        """Let a tag stand for a manifest, whose blobs are there.

        Raises:
            RegistryError: the registry does not take it, or gives back another one.

        """
        url = f"{self.prefix}://{_container(repository).manifest_url(tag)}"
        self.do_request(url, "PUT", data=manifest, headers={"Content-Type": MANIFEST_TYPE})
        if self.manifest(repository, tag) != manifest:
            message = f"{repository}:{tag}: the registry took it, and gives back something else"
            raise RegistryError(message)

    def do_request(  # noqa: PLR0913, PLR0917  (oras's signature)
        self,
        url: str,
        method: str = "GET",
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        json: object = None,  # noqa: ARG002  (what is sent are bytes)
        stream: bool = False,  # noqa: ARG002  (what comes has a bound)
    ) -> Response:
        """Send a request; once more, where the registry wants to know who we are.

        That something is not there is an answer to a question.

        Raises:
            RegistryError: the registry can't be reached, or refuses, or sends us elsewhere.

        """
        if not url.startswith(self._root):
            message = f"{self._root}: it sends us to {url}, which is not the registry"
            raise RegistryError(message)
        given = dict(headers or {})
        try:
            answer = self._send(url, method, data, given | self.auth.get_auth_header())
            if answer.status_code == HTTPStatus.UNAUTHORIZED:
                given, is_known = self.auth.authenticate_request(answer, given, refresh=True)
                if is_known:
                    answer = self._send(url, method, data, given)
        except (RequestException, HTTPError, ValueError, RecursionError) as error:
            message = f"{self._root}: {reason(error)}"
            raise RegistryError(message) from error
        is_answer = answer.status_code == HTTPStatus.NOT_FOUND and method in {"GET", "HEAD"}
        if not is_answer and (not answer.ok or answer.is_redirect):
            message = f"{url}: {refusal(answer, self.auth.tried)}"
            raise RegistryError(message)
        return answer

    def _send(
        self, url: str, method: str, data: bytes | None, headers: Mapping[str, str]
    ) -> Response:
        answer: Response = self.session.request(
            method, url, data=data, headers=headers, allow_redirects=False
        )
        return answer


def _container(repository: Repository) -> Container:
    """The repository as oras knows it, which would guess from a text which part is the host."""
    found = Container("repository")
    found.registry, found.repository, found.namespace = repository.host, repository.path, None
    return found


def _as_it_is(request: PreparedRequest) -> PreparedRequest:
    """Keep the credentials that a request has: requests would put those of ~/.netrc there."""
    return request


class Pushed(Struct, frozen=True):
    """What became of an artifact: its digest in the registry, and whether that had to change."""

    digest: str
    is_new: bool


class Pusher:
    """Pushes artifacts to one registry, one after the other."""

    def __init__(self, repository: Repository, *, plain: bool) -> None:
        """Know the registry, and the credentials for it.

        Raises:
            RegistryError: Docker's configuration can't be read.

        """
        self._connection = Connection(repository, plain=plain)

    def push(self, artifact: Artifact, repository: Repository, tags: Sequence[str]) -> Pushed:
        """Push an artifact, and let the tags stand for it.

        Where the first tag stands for the same content already, its manifest stays, whatever
        annotations it has: they tell where that content came from. What a tag stands for comes
        last, so a push that is killed leaves each tag as it was or as it shall be.

        Raises:
            RegistryError: the registry can't be reached, or does not take it.

        """
        first = self._connection.manifest(repository, tags[0])
        is_there = first is not None and artifact.has_content_of(first)
        manifest = first if first is not None and is_there else artifact.manifest
        for blob in artifact.blobs:
            self._connection.keep(repository, blob)
        changed = False
        for tag in tags:
            if self._connection.manifest(repository, tag) != manifest:
                self._connection.tag(repository, tag, manifest)
                changed = True
        return Pushed(digest_of(manifest), changed)
