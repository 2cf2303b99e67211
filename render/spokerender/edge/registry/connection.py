"""A session with a registry, which adds limits to the client of oras.

By itself oras waits two minutes before it reports that a registry is not there, waits without end
for one that does not answer, sends credentials to wherever an upload is redirected, and follows a
registry anywhere (oras 0.2.43, provider.py and decorator.py). Here an answer is limited in time
and size, and everything goes to the registry alone; a token is requested from the service that
the registry names, over TLS.
"""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from tempfile import NamedTemporaryFile

from msgspec import Struct
from oras.container import Container
from oras.logger import logger
from oras.provider import Registry
from requests import Response
from requests.exceptions import RequestException
from urllib3.exceptions import HTTPError

from spokerender import __version__
from spokerender.edge.registry.artifacts import MANIFEST_TYPE, Artifact, Blob, compute_digest
from spokerender.edge.registry.credentials import Credentials
from spokerender.edge.registry.references import RegistryError, RegistryRepository
from spokerender.edge.registry.transport import LimitedAdapter, describe_error, describe_refusal


class Pushed(Struct, frozen=True):
    """The outcome of a push: the digest in the registry, and whether the registry changed."""

    digest: str
    is_new: bool


class Pusher(Registry):  # type: ignore[misc]  # oras has no types
    """A session with a registry to push artifacts to; all its errors are `RegistryError`."""

    def __init__(self, repository: RegistryRepository, *, plain: bool) -> None:
        """Read the credentials; nothing is sent yet. Raises `RegistryError` if they are wrong."""
        super().__init__(hostname=repository.host, insecure=plain)
        logger.set_level(logging.CRITICAL)  # its messages are in what is raised
        self._root = f"{self.prefix}://{repository.host}/"
        self.session.auth = lambda request: request  # requests would use those of ~/.netrc
        self.session.trust_env = not repository.is_here  # proxies, say
        self.session.headers["User-Agent"] = f"spokerender/{__version__}"
        self.session.adapters.clear()
        for place in {"https://", self._root}:
            self.session.mount(place, LimitedAdapter())
        self.auth = Credentials(self.session, self.prefix)
        self.auth.load_configs(_container(repository))

    def push(
        self, artifact: Artifact, repository: RegistryRepository, tags: Sequence[str]
    ) -> Pushed:
        """Push an artifact, and set the tags to it. Raises `RegistryError`.

        If the first tag has the same content already, its manifest stays with its annotations:
        they say where the content came from. Tags are set last, so that a push that is killed
        leaves each tag old or new.
        """
        first = self.manifest(repository, tags[0])
        is_there = first is not None and artifact.has_content_of(first)
        manifest = first if first is not None and is_there else artifact.manifest
        for blob in artifact.blobs:
            self.upload(repository, blob)
        changed = False
        for tag in tags:
            if self.manifest(repository, tag) != manifest:
                self.tag(repository, tag, manifest)
                changed = True
        return Pushed(compute_digest(manifest), changed)

    def manifest(self, repository: RegistryRepository, tag: str) -> bytes | None:
        """Return the manifest of a tag; None without such a tag. Raises `RegistryError`."""
        url = f"{self.prefix}://{_container(repository).manifest_url(tag)}"
        answer = self.do_request(url, "GET", headers={"Accept": MANIFEST_TYPE})
        content: bytes = answer.content
        return content if answer.status_code == HTTPStatus.OK else None

    def upload(self, repository: RegistryRepository, blob: Blob) -> None:
        """Upload a blob, unless it is there. Raises `RegistryError`."""
        container = _container(repository)
        if self.blob_exists(blob.described(), container):
            return
        with NamedTemporaryFile() as file:  # oras uploads files
            file.write(blob.data)
            file.flush()
            try:
                self.put_upload(file.name, container, blob.described())
            except ValueError as error:  # there was no Location
                message = f"{repository}: the registry does not say where to upload to"
                raise RegistryError(message) from error

    def tag(self, repository: RegistryRepository, tag: str, manifest: bytes) -> None:
        """Set a tag to a manifest whose blobs are there. Raises `RegistryError`."""
        url = f"{self.prefix}://{_container(repository).manifest_url(tag)}"
        self.do_request(url, "PUT", data=manifest, headers={"Content-Type": MANIFEST_TYPE})
        if self.manifest(repository, tag) != manifest:
            message = f"{repository}:{tag}: the registry accepted it, and returns something else"
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
        """Send a request, again with credentials if the registry asks for them.

        For GET and HEAD, 404 is an answer. Raises `RegistryError` for others, and for redirects.
        """
        if not url.startswith(self._root):
            message = f"{self._root}: it redirects to {url}, which is not the registry"
            raise RegistryError(message)
        sent = dict(headers or {})
        send = partial(self.session.request, method, url, data=data, allow_redirects=False)
        try:
            answer: Response = send(headers=sent | self.auth.get_auth_header())
            if answer.status_code == HTTPStatus.UNAUTHORIZED:
                sent, has_answer = self.auth.authenticate_request(answer, sent, refresh=True)
                if has_answer:
                    answer = send(headers=sent)
        except (RequestException, HTTPError, ValueError, RecursionError) as error:
            message = f"{self._root}: {describe_error(error)}"
            raise RegistryError(message) from error
        is_answer = answer.status_code == HTTPStatus.NOT_FOUND and method in {"GET", "HEAD"}
        if not is_answer and (not answer.ok or answer.is_redirect):
            message = f"{url}: {describe_refusal(answer, self.auth.tried)}"
            raise RegistryError(message)
        return answer


def _container(repository: RegistryRepository) -> Container:
    """Return the repository for oras, which would guess the host if it had to parse a text."""
    container = Container("repository")
    container.registry, container.repository = repository.host, repository.path
    container.namespace = None
    return container
