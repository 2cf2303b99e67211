"""A spoke's folder as an OCI artifact: the same bytes on every machine, at any time.

One artifact serves both engines. Flux takes the first layer whatever its type, and knows an
artifact of its own by the type of the config (source-controller 1.9,
internal/controller/ocirepository_controller.go; fluxcd/pkg/oci, oci.CanonicalConfigMediaType).
Argo CD takes exactly one layer, whose type must be among those that its repo-server allows, and
by default these are OCI's own (argo-cd 3.5, util/oci/client.go, cmd/argocd-repo-server).
"""

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
"""The same as of `flux push artifact --reproducible`: time is no input."""


class Blob(Struct, frozen=True):
    """Bytes in a registry, with their media type."""

    type: str
    data: bytes

    @property
    def digest(self) -> str:
        """Their digest."""
        return compute_digest(self.data)

    def described(self) -> dict[str, object]:
        """Return their descriptor in a manifest."""
        return {"mediaType": self.type, "digest": self.digest, "size": len(self.data)}


class Artifact(Struct, frozen=True):
    """A manifest and the blobs that it names."""

    manifest: bytes
    blobs: tuple[Blob, ...]

    @property
    def digest(self) -> str:
        """The digest by which engines know the artifact."""
        return compute_digest(self.manifest)

    def has_content_of(self, manifest: bytes) -> bool:
        """Return whether another manifest has the same content, whatever its annotations."""
        return _content(self.manifest) == _content(manifest)


def make_artifact(files: Mapping[str, bytes], annotations: Mapping[str, str]) -> Artifact:
    """Return the artifact of a folder, of its files by path.

    Annotations such as `SOURCE` and `REVISION` say where it is from; they are part of the digest.
    """
    archive = _archive(files)
    layer = Blob(LAYER_TYPE, _packed(archive))
    rootfs = {"type": "layers", "diff_ids": [compute_digest(archive)]}
    config = Blob(CONFIG_TYPE, _json({"rootfs": rootfs}))
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "config": config.described(),
        "layers": [layer.described()],
        "annotations": {CREATED: _EPOCH, **annotations},
    }
    return Artifact(_json(manifest), (layer, config))


def compute_digest(data: bytes) -> str:
    """Return the digest of bytes, as registries write it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _archive(files: Mapping[str, bytes]) -> bytes:
    """Return the files and their folders as a tar: sorted, without owner and time."""
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
    """Compress without name and time; `gzip.compress` differs between versions of Python."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(archive)
    return buffer.getvalue()


def _content(manifest: bytes) -> object:
    try:
        content = json.loads(manifest)
    except (ValueError, RecursionError):
        return None
    if isinstance(content, dict):
        content.pop("annotations", None)
    return content


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
