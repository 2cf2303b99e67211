"""The layout of the output: the file of each object in a spoke's folder.

One object per file, `<namespace>/<kind>.<group>_<name>.yaml`, or one file per spoke; and always a
kustomization.yaml that lists them, so that Argo CD and Flux read the folder equally.
"""

import posixpath
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from spokerender.formats.yamlio import scalar
from spokerender.model import Ref, slots
from spokerender.model.plan import HEADER

FLEET_FOLDER = "_fleet"
"""The folder of the output with files about the fleet, which is applied to no spoke."""
ALL_IN_ONE = "manifests.yaml"
CLUSTER_SCOPED = "_cluster"
_API = "kustomize.config.k8s.io/v1beta1"
_LONGEST = 255
"""The limit for a file name in bytes (NAME_MAX of all common file systems)."""
_HASHED = 32
_SUFFIX = ".yaml"


def path_of(ref: Ref) -> str:
    """Return the path of an object's file; if it has slots, call `fitted` after filling them.

    Two identities share a path only if their kinds differ only in case: a kind has no dot, and
    neither a kind nor a group nor a namespace has a `_` (`spokerender.model.names`).
    """
    kind = f"{ref.kind.lower()}.{ref.group}" if ref.group else ref.kind.lower()
    path = f"{ref.namespace or CLUSTER_SCOPED}/{kind}_{ref.name}{_SUFFIX}"
    return path if slots.has_slot(path) else fitted(path)


def fitted(path: str) -> str:
    """Return the path with a file name that is not too long: a hash replaces the end."""
    folder, name = posixpath.split(path)
    if len(name.encode()) <= _LONGEST:
        return path
    import hashlib  # noqa: PLC0415  (start-up counts, and this is rare)

    # Of the whole path: names that are cut may begin equally.
    digest = hashlib.sha256(path.encode()).hexdigest()[:_HASHED]
    room = _LONGEST - len(f"_{digest}{_SUFFIX}")
    start = name.encode()[:room].decode(errors="ignore")
    return posixpath.join(folder, f"{start}_{digest}{_SUFFIX}")


def one_place(path: str) -> str:
    """Return a text that is equal for paths that some file system treats as equal.

    Such file systems ignore case, or the encoding of accents.
    """
    # Twice, as folding may leave a text that is not normalized (Unicode, D145).
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def kustomization(paths: Iterable[str]) -> bytes:
    """Return the file that lists a spoke's files; the list is empty if the spoke gets nothing."""
    lines = [f"- {scalar(path)}\n" for path in sorted(paths)]
    # Argo CD and Flux accept an empty list; only `kubectl apply -k` refuses it (SR1408).
    listed = "resources:\n" + "".join(lines) if lines else "resources: []\n"
    return HEADER + f"apiVersion: {_API}\nkind: Kustomization\n{listed}".encode()


def kustomization_object(paths: Iterable[str]) -> dict[str, Any]:
    """Return the object that `kustomization` writes."""
    return {"apiVersion": _API, "kind": "Kustomization", "resources": sorted(paths)}


def one_file(documents: Sequence[tuple[str, bytes]]) -> bytes:
    """Return all documents of a spoke in one file, sorted by the paths of their own files."""
    return HEADER + b"".join(b"---\n" + text.removeprefix(HEADER) for _, text in sorted(documents))
