"""A spoke's folder as an OCI artifact, the same bytes whoever makes it and whenever.

One artifact serves both engines. Flux takes the first layer whatever its type, and knows an
artifact of its own by the type of the config (source-controller 1.9,
internal/controller/ocirepository_controller.go; fluxcd/pkg/oci, oci.CanonicalConfigMediaType).
Argo CD takes exactly one layer, whose type must be among those that its repo-server allows, and
by default these are OCI's own (argo-cd 3.5, util/oci/client.go, cmd/argocd-repo-server).
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import PurePosixPath

from msgspec import Struct

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
CONFIG_TYPE = "application/vnd.cncf.flux.config.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar+gzip"

CREATED = "org.opencontainers.image.created"
SOURCE = "org.opencontainers.image.source"
REVISION = "org.opencontainers.image.revision"
_EPOCH = "1970-01-01T00:00:00Z"
"""What `flux push artifact --reproducible` says too: time is no input."""


class Blob(Struct, frozen=True):
    """Bytes that a registry keeps, and of which type they are."""

    type: str
    data: bytes

    @property
    def digest(self) -> str:
        """What they are known by."""
        return digest_of(self.data)

    def described(self) -> dict[str, object]:
        """How a manifest names them."""
        return {"mediaType": self.type, "digest": self.digest, "size": len(self.data)}


class Artifact(Struct, frozen=True):
    """A manifest, and the blobs that it names."""

    manifest: bytes
    blobs: tuple[Blob, ...]

    @property
    def digest(self) -> str:
        """What engines know the artifact by."""
        return digest_of(self.manifest)

    def has_content_of(self, manifest: bytes) -> bool:
        """Whether another manifest tells of the same content, whatever its annotations say."""
        return _content(self.manifest) == _content(manifest)


def artifact(files: Mapping[str, bytes], annotations: Mapping[str, str]) -> Artifact:
    """Make the artifact of a folder: its files by their paths below it.

    Annotations say more of where it comes from, `SOURCE` and `REVISION` say; they are part of the
    digest.
    """
    archive = _archive(files)
    layer = Blob(LAYER_TYPE, _packed(archive))
    told = {"rootfs": {"type": "layers", "diff_ids": [digest_of(archive)]}}
    config = Blob(CONFIG_TYPE, _json(told))
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "config": config.described(),
        "layers": [layer.described()],
        "annotations": {CREATED: _EPOCH, **annotations},
    }
    return Artifact(_json(manifest), (layer, config))


def digest_of(data: bytes) -> str:
    """The digest of bytes, as registries write it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _archive(files: Mapping[str, bytes]) -> bytes:
    """The files and the folders they are in as a tar: sorted, nobody's, of no time."""
    folders = {
        parent.as_posix() for path in files for parent in PurePosixPath(path).parents if parent.name
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted({*files, *folders}):
            member = tarfile.TarInfo(path)
            if path in folders:
                member.type, member.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(member)
            else:
                member.size = len(files[path])
                tar.addfile(member, io.BytesIO(files[path]))
    return buffer.getvalue()


def _packed(archive: bytes) -> bytes:
    """The tar as a gzip without name and time; `gzip.compress` differs between Pythons."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(archive)
    return buffer.getvalue()


def _content(manifest: bytes) -> object:
    try:
        told = json.loads(manifest)
    except (ValueError, RecursionError):
        return None
    if isinstance(told, dict):
        told.pop("annotations", None)
    return told


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
