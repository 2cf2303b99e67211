"""ManifestWorks: the objects of a spoke, in one work or in several.

A tree that is too large for one work is halved by a hash of the objects' paths, and a half that is
too large is halved again. So the work of an object does not depend on its neighbours. When a tree
grows, half of a work moves at most, and the other half keeps the name of its work.

Sources: OCM 00f84c3, pkg/work (webhook/common/validator.go: the size that counts is that of the
manifests as JSON, 500 KiB by default; spoke/statusfeedback/reader.go: one plain value per path).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.statuses import Reported, find_reported
from spokerender.model import GATEWAY, NAMESPACE, Ref
from spokerender.model.shapes import JsonObject, as_list, as_mapping
from spokerender.rendering.values.trees import Shipped
from spokerender.wings.delivery.engine import Delivered, DeliveryProblem

if TYPE_CHECKING:
    from spokerender.wings.delivery.config import OCM


# Keeps defaults of other managers, and undoes people's changes of our fields, as Flux does.
_SERVER_SIDE = {"type": "ServerSideApply", "serverSideApply": {"force": True}}
_PLAIN_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
# Go's encoding/json writes each of these characters as \uXXXX.
_ESCAPED = re.compile("[<>&\u2028\u2029]")
_UNICODE_ESCAPE = 6
_OVERHEAD = 16
"""The bytes that protobuf and JSON add to a manifest, at most."""


_WORK = "work.open-cluster-management.io/v1"
_SET = "work.open-cluster-management.io/v1alpha1"
_VERBS = ["get", "list", "watch", "create", "update", "patch", "delete"]
_BUILT_IN = (".k8s.io", ".kubernetes.io")

Emit = Callable[[str, str], str]
"""Returns the text of an object, given the suffix of its name and the text of the `spec`."""


class Piece(Struct, frozen=True, eq=False):
    """An object in a work: the hash of its path, its size in bytes, and its configuration."""

    bits: int
    size: int
    shipped: Shipped
    config: str


class WorkPart(Struct, frozen=True, eq=False):
    """The objects of one work; `suffix` ends the work's name, and is empty for the first work."""

    suffix: str
    pieces: tuple[Piece, ...]


class Works:
    """Divides a spoke's objects among ManifestWorks; an object of many spokes is measured once."""

    def __init__(self, catalogue: Catalogue, limit: int) -> None:
        self._catalogue = catalogue
        self._limit = limit
        self._constant: dict[object, Piece] = {}
        self._configs: dict[tuple[object, ...], str] = {}
        self._items: dict[object, str] = {}
        self._proven: set[object] = set()

    def parts(self, objects: Sequence[Shipped]) -> tuple[WorkPart, ...]:
        """Return the works of a spoke, given its objects in the order of their paths."""
        return tuple(self._split(tuple(map(self.piece, objects)), "")) if objects else ()

    def piece(self, shipped: Shipped) -> Piece:
        """Return an object with its size and configuration."""
        piece = self._constant.get(shipped.key)
        if piece is not None:
            return piece
        value = shipped.object()
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        size = len(text.encode()) + _UNICODE_ESCAPE * len(_ESCAPED.findall(text)) + _OVERHEAD
        bits = int.from_bytes(hashlib.sha256(shipped.path.encode()).digest())
        piece = Piece(bits, size, shipped, self._config(shipped.ref, value))
        # Data with slots in it is another object for each spoke.
        if value is shipped.data:
            self._constant[shipped.key] = piece
        return piece

    def spec(self, part: WorkPart, deletion: JsonObject) -> str:
        """Return the text of a work's `spec`; `deletion` is the value of `deleteOption`."""
        return "".join(
            (
                yamlio.emit({"deleteOption": deletion}),
                "manifestConfigs:\n",
                *(piece.config for piece in part.pieces),
                "workload:\n  manifests:\n",
                *(self._item(piece.shipped) for piece in part.pieces),
            )
        )

    def _item(self, shipped: Shipped) -> str:
        """Return the text of an object as a list item; a comment at its top stays at the top."""
        text = self._items.get(shipped.key)
        if text is None:
            body = indent_lines(shipped.text().decode(), "    ")
            text = f"  -\n{body}" if body.lstrip().startswith("#") else f"  - {body[4:]}"
            if shipped.key in self._constant:
                self._items[shipped.key] = text
            # Proven by reading it with the values of the first spoke that gets it: values of other
            # spokes can't change the structure.
            if shipped.key not in self._proven:
                yamlio.prove(f"manifests:\n{text}", {"manifests": [shipped.object()]})
                self._proven.add(shipped.key)
        return text

    def _split(self, pieces: tuple[Piece, ...], prefix: str) -> Iterator[WorkPart]:
        if not pieces:
            return
        if len(pieces) == 1 or sum(piece.size for piece in pieces) <= self._limit:
            # Without trailing zeros, the first half of a part keeps the part's name.
            bits = prefix.rstrip("0")
            yield WorkPart(f"-{bits}" if bits else "", pieces)
            return
        bit = 1 << (255 - len(prefix))
        yield from self._split(tuple(p for p in pieces if not p.bits & bit), f"{prefix}0")
        yield from self._split(tuple(p for p in pieces if p.bits & bit), f"{prefix}1")

    def _config(self, ref: Ref, value: JsonObject) -> str:
        kind = self._catalogue.kind(ref.group, ref.kind)
        feedback = tuple(_feedback(find_reported(kind), ref, value))
        text = self._configs.get((ref, feedback))
        if text is None:
            identifier = {
                "group": ref.group,
                "resource": kind.plural,
                **({"namespace": ref.namespace} if ref.namespace else {}),
                "name": ref.name,
            }
            entry: JsonObject = {"resourceIdentifier": identifier, "updateStrategy": _SERVER_SIDE}
            if feedback:
                paths = [{"name": name, "path": path} for name, path in feedback]
                entry["feedbackRules"] = [{"type": "JSONPaths", "jsonPaths": paths}]
            text = self._configs[(ref, feedback)] = yamlio.proven([entry])
        return text


def _feedback(status: Reported | None, ref: Ref, value: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield a name and a path for each status field that the agent shall report of an object."""
    if status is None:
        return
    place = ".status.ancestors[*].conditions" if status.in_ancestors else ".status.conditions"
    # If a path leads to several values, the agent reports the first. `[*]` and not `[0]`: in an
    # empty list `[0]` is an error (client-go, util/jsonpath), which would hide that all is well.
    for name in status.conditions:
        for field in ("status", "reason"):
            yield f"{name}-{field}", f'{place}[?(@.type=="{name}")].{field}'
    if (ref.group, ref.kind) == GATEWAY:
        yield "address", ".status.addresses[*].value"
        for name in _listeners(value):
            path = f'.status.listeners[?(@.name=="{name}")].attachedRoutes'
            yield f"attachedRoutes-{name}", path


def _listeners(gateway: JsonObject) -> Iterator[str]:
    seen = set()
    for listener in as_list(as_mapping(gateway.get("spec")).get("listeners")):
        name = as_mapping(listener).get("name")
        # The name stands in the quotes of a JSONPath filter.
        if isinstance(name, str) and name not in seen and _PLAIN_NAME.fullmatch(name):
            seen.add(name)
            yield name


def indent_lines(text: str, by: str) -> str:
    """Return the text with `by` put before every line that is not empty."""
    # In a block scalar, spaces on an empty line would be content.
    if "\n\n" in text or not text.endswith("\n"):
        return "\n".join(by + line if line else line for line in text.split("\n"))
    return by + text[:-1].replace("\n", f"\n{by}") + "\n"


def refuse_unfit_objects(settings: OCM, fleet: Delivered, works: Works) -> None:
    """Raise `DeliveryProblem` if an object does not fit into any work.

    Such an object is larger than `manifestLimit`, or the resource of its kind is not known.
    """
    seen: set[object] = set()
    for spoke in fleet.spokes:
        for shipped in fleet.objects(spoke.name):
            if shipped.key in seen:
                continue
            seen.add(shipped.key)
            ref, catalogue = shipped.ref, fleet.catalogue
            # Kubernetes' own kinds have no CRD in the hub's files.
            is_built_in = "." not in ref.group or ref.group.endswith(_BUILT_IN)
            if not is_built_in and not catalogue.known(ref.group, ref.kind):
                message = f"the resource of kind {ref.kind} ({ref.group}) is not known"
                raise DeliveryProblem(message, "add its CRD to the hub's files")
            if works.piece(shipped).size > settings.manifest_limit:
                message = f"{ref} alone is larger than manifestLimit"
                raise DeliveryProblem(message, "raise it here and on the hub, or cut the object")


class WorkFiles:
    """Makes the texts of files with ManifestWorks or ReplicaSets."""

    def __init__(self, settings: OCM, fleet: Delivered, works: Works) -> None:
        self._settings = settings
        self._fleet = fleet
        self._works = works
        self._roles: dict[frozenset[tuple[str, str]], str] = {}

    def of_spoke(self, spoke: str) -> Callable[[], str]:
        """Return a function that makes the text of a spoke's works."""

        def emit(suffix: str, spec: str) -> str:
            head = self._head(_WORK, "ManifestWork", suffix, spoke)
            return f"{head}spec:\n{indent_lines(spec, '  ')}"

        return lambda: self._text(spoke, emit)

    def of_set(self, namespace: str, placement: str, spoke: str) -> Callable[[], str]:
        """Return a function that makes the text of a Placement's ReplicaSets.

        `spoke` is any spoke of the Placement: all have equal objects.
        """

        def emit(suffix: str, spec: str) -> str:
            head = self._head(_SET, "ManifestWorkReplicaSet", f"-{placement}{suffix}", namespace)
            references = [{"name": placement}]
            placed = {"cascadeDeletionPolicy": "Background", "placementRefs": references}
            return (
                f"{head}spec:\n{indent_lines(yamlio.emit(placed), '  ')}"
                f"  manifestWorkTemplate:\n{indent_lines(spec, '    ')}"
            )

        return lambda: self._text(spoke, emit)

    # An engine on the hub must not delete a work because the work's file is gone: the agent deletes
    # with a work all objects that the work owns (OCM 00f84c3, pkg/work/helper/helpers.go).
    def _head(self, version: str, kind: str, suffix: str, namespace: str) -> str:
        metadata = {
            "name": f"{self._settings.name}{suffix}",
            "namespace": namespace,
            "annotations": dict(self._fleet.catalogue.marks.protect({})),
        }
        return yamlio.emit({"apiVersion": version, "kind": kind, "metadata": metadata})

    def _text(self, spoke: str, emit: Emit) -> str:
        objects, texts = self._fleet.objects(spoke), list[str]()
        if self._settings.permissions:
            # A work with the agent's ClusterRole (manifests/klusterlet/managed). The role stays
            # when the work goes: the agent needs it to delete the objects of other works.
            kinds = {(item.ref.group, item.ref.kind) for item in objects}
            find = self._fleet.catalogue.kind
            plurals = frozenset((group, find(group, kind).plural) for group, kind in kinds)
            texts.append(emit("-permissions", self._role(plurals)))
        texts += (
            emit(part.suffix, self._works.spec(part, self._deletion(part)))
            for part in self._works.parts(objects)
        )
        return "---\n".join(texts)

    def _deletion(self, part: WorkPart) -> JsonObject:
        if self._settings.deletion == "orphan":
            return {"propagationPolicy": "Orphan"}
        # A work never owns a Namespace: with a Namespace goes all that others have in it.
        namespaces = [
            {"group": "", "resource": "namespaces", "name": piece.shipped.ref.name}
            for piece in part.pieces
            if (piece.shipped.ref.group, piece.shipped.ref.kind) == NAMESPACE
        ]
        if not namespaces:
            return {"propagationPolicy": "Foreground"}
        return {
            "propagationPolicy": "SelectivelyOrphan",
            "selectivelyOrphans": {"orphaningRules": namespaces},
        }

    def _role(self, resources: frozenset[tuple[str, str]]) -> str:
        text = self._roles.get(resources)
        if text is None:
            rules = [
                {
                    "apiGroups": [group],
                    "resources": sorted(name for other, name in resources if other == group),
                    "verbs": _VERBS,
                }
                for group in sorted({group for group, _ in resources})
            ]
            role = {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRole",
                "metadata": {
                    "name": f"spokerender-{self._settings.name}",
                    "labels": {"open-cluster-management.io/aggregate-to-work": "true"},
                },
                "rules": rules,
            }
            option = {"propagationPolicy": "Orphan"}
            spec = {"deleteOption": option, "workload": {"manifests": [role]}}
            text = self._roles[resources] = yamlio.proven(spec)
        return text
