"""Which object goes into which file of a spoke's folder.

One object per file, `<namespace>/<kind>.<group>_<name>.yaml`, or one file per spoke; and
always a kustomization.yaml that lists them, so that Argo CD and Flux read the folder alike.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from spokerender.formats.yamlio import scalar
from spokerender.model import Ref, slots
from spokerender.model.ownership import HEADER

ALL_IN_ONE = "manifests.yaml"
CLUSTER_SCOPED = "_cluster"
_API = "kustomize.config.k8s.io/v1beta1"
_LONGEST = 255
"""How many bytes a file's name has at most (NAME_MAX of all common file systems)."""
_HASHED = 32
_SUFFIX = ".yaml"


def path_of(ref: Ref) -> str:
    """The object's path in its spoke's folder; one with a slot is still to be filled and `fitted`.

    Two identities share one only where their kinds differ in nothing but case: there is no dot in a
    kind, and no `_` in it, in a group or in a namespace (`spokerender.model.names`).
    """
    kind = f"{ref.kind.lower()}.{ref.group}" if ref.group else ref.kind.lower()
    path = f"{ref.namespace or CLUSTER_SCOPED}/{kind}_{ref.name}{_SUFFIX}"
    return path if slots.has_slot(path) else fitted(path)


def fitted(path: str) -> str:
    """The path with a file name that file systems take: the end of a longer one is its hash."""
    folder, name = posixpath.split(path)
    if len(name.encode()) <= _LONGEST:
        return path
    import hashlib  # noqa: PLC0415  (start-up counts, and this is rare)

    digest = hashlib.sha256(path.encode()).hexdigest()[:_HASHED]
    room = _LONGEST - len(f"_{digest}{_SUFFIX}")
    start = name.encode()[:room].decode(errors="ignore")
    return posixpath.join(folder, f"{start}_{digest}{_SUFFIX}")


def one_place(path: str) -> str:
    """What is equal for paths that are one file where case, or how an accent is made, is naught."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def kustomization(paths: Iterable[str]) -> bytes:
    """The file that lists a spoke's files; an empty list is a spoke that gets nothing."""
    lines = [f"- {scalar(path)}\n" for path in sorted(paths)]
    listed = "resources:\n" + "".join(lines) if lines else "resources: []\n"
    return HEADER + f"apiVersion: {_API}\nkind: Kustomization\n{listed}".encode()


def kustomization_object(paths: Iterable[str]) -> dict[str, Any]:
    """What that file means."""
    return {"apiVersion": _API, "kind": "Kustomization", "resources": sorted(paths)}


def one_file(documents: Sequence[tuple[str, bytes]]) -> bytes:
    """All documents of a spoke in one file, in the order of the paths they would have had."""
    return HEADER + b"".join(b"---\n" + text.removeprefix(HEADER) for _, text in sorted(documents))
