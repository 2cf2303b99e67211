"""Which object goes into which file of a spoke's folder.

One object per file, `<namespace>/<kind>.<group>_<name>.yaml`, or one file per spoke; and
always a kustomization.yaml that lists them, so that Argo CD and Flux read the folder alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from render.formats.yamlio import scalar
from render.model import Ref
from render.model.ownership import HEADER

KUSTOMIZATION = "kustomization.yaml"
ALL_IN_ONE = "manifests.yaml"
CLUSTER_SCOPED = "_cluster"
_API = "kustomize.config.k8s.io/v1beta1"


def path_of(ref: Ref) -> str:
    """The object's path in its spoke's folder; two identities never share one."""
    kind = f"{ref.kind.lower()}.{ref.group}" if ref.group else ref.kind.lower()
    return f"{ref.namespace or CLUSTER_SCOPED}/{kind}_{ref.name}.yaml"


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
