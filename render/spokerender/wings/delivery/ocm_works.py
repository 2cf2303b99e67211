"""Works: a spoke's objects in as many of OCM's ManifestWorks as they need.

A tree that is too large for one work is halved by a hash of the objects' paths, and its halves
again. So which work an object is in does not depend on its neighbours, and a tree that grows moves
half of a work at most; what stays keeps the work's name.

Sources: OCM 00f84c3, pkg/work (webhook/common/validator.go: the size that counts is that of the
manifests as JSON, 500 KiB by default; spoke/statusfeedback/reader.go: one plain value a path).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.statuses import Reported, find_reported
from spokerender.model import GATEWAY_API, Ref
from spokerender.rendering.values.trees import Shipped

Json = dict[str, Any]

_SERVER_SIDE = {"type": "ServerSideApply", "serverSideApply": {"force": True}}
"""Other managers' defaults stay, and what people change of ours is changed back, as Flux does."""
_PLAIN_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_ESCAPED = re.compile("[<>&\u2028\u2029]")
_UNICODE_ESCAPE = 6
_OVERHEAD = 16
"""What protobuf and JSON add to a manifest, at most."""


class Piece(Struct, frozen=True, eq=False):
    """An object as it is in a work: its text and configuration, and how many bytes it counts."""

    bits: int
    size: int
    shipped: Shipped
    config: str


class Part(Struct, frozen=True, eq=False):
    """What goes into one work; the `suffix` of its name is empty for the first."""

    suffix: str
    pieces: tuple[Piece, ...]


class Works:
    """Makes pieces and parts; what many spokes share is made once."""

    def __init__(self, catalogue: Catalogue, limit: int) -> None:
        """Begin."""
        self._catalogue = catalogue
        self._limit = limit
        self._constant: dict[object, Piece] = {}
        self._configs: dict[tuple[object, ...], str] = {}
        self._items: dict[object, str] = {}
        self._proven: set[object] = set()

    def parts(self, objects: Sequence[Shipped]) -> tuple[Part, ...]:
        """The works of a spoke; in each, objects are in the order of their paths."""
        return tuple(self._split(tuple(map(self.piece, objects)), "")) if objects else ()

    def piece(self, shipped: Shipped) -> Piece:
        """An object's part of a work."""
        known = self._constant.get(shipped.key)
        if known is not None:
            return known
        value = shipped.object()
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        size = len(text.encode()) + _UNICODE_ESCAPE * len(_ESCAPED.findall(text)) + _OVERHEAD
        bits = int.from_bytes(hashlib.sha256(shipped.path.encode()).digest())
        made = Piece(bits, size, shipped, self._config(shipped.ref, value))
        if value is shipped.data:
            self._constant[shipped.key] = made
        return made

    def spec(self, part: Part, deletion: Json) -> str:
        """The text of a work's `spec`."""
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
        """An object as an item of the list of manifests; a comment at its beginning stays there.

        It is read back with the values of the first spoke that gets it.
        """
        known = self._items.get(shipped.key)
        if known is None:
            body = indented(shipped.text().decode(), "    ")
            known = f"  -\n{body}" if body.lstrip().startswith("#") else f"  - {body[4:]}"
            if shipped.key in self._constant:
                self._items[shipped.key] = known
            if shipped.key not in self._proven:
                yamlio.prove(f"manifests:\n{known}", {"manifests": [shipped.object()]})
                self._proven.add(shipped.key)
        return known

    def _split(self, pieces: tuple[Piece, ...], prefix: str) -> Iterator[Part]:
        if not pieces:
            return
        if len(pieces) == 1 or sum(piece.size for piece in pieces) <= self._limit:
            bits = prefix.rstrip("0")
            yield Part(f"-{bits}" if bits else "", pieces)
            return
        bit = 1 << (255 - len(prefix))
        yield from self._split(tuple(p for p in pieces if not p.bits & bit), f"{prefix}0")
        yield from self._split(tuple(p for p in pieces if p.bits & bit), f"{prefix}1")

    def _config(self, ref: Ref, value: Json) -> str:
        """An entry of `manifestConfigs`, as text in the list."""
        feedback = tuple(
            _feedback(find_reported(self._catalogue.kind(ref.group, ref.kind)), ref, value)
        )
        known = self._configs.get((ref, feedback))
        if known is None:
            identifier = {
                "group": ref.group,
                "resource": self._catalogue.kind(ref.group, ref.kind).plural,
                **({"namespace": ref.namespace} if ref.namespace else {}),
                "name": ref.name,
            }
            entry: Json = {"resourceIdentifier": identifier, "updateStrategy": _SERVER_SIDE}
            if feedback:
                paths = [{"name": name, "path": path} for name, path in feedback]
                entry["feedbackRules"] = [{"type": "JSONPaths", "jsonPaths": paths}]
            known = self._configs[(ref, feedback)] = yamlio.proven([entry])
        return known


def _feedback(known: Reported | None, ref: Ref, value: Json) -> Iterator[tuple[str, str]]:
    """What the agent tells of an object's status, each a name and a path to a plain value.

    Of several values that a path finds the agent tells the first. `[0]` is an error in a list that
    is empty (client-go, util/jsonpath), which would hide that all is well; `[*]` is not.
    """
    if known is None:
        return
    place = ".status.ancestors[*].conditions" if known.in_ancestors else ".status.conditions"
    for name in known.conditions:
        for field in ("status", "reason"):
            yield f"{name}-{field}", f'{place}[?(@.type=="{name}")].{field}'
    if (ref.group, ref.kind) == (GATEWAY_API, "Gateway"):
        yield "address", ".status.addresses[*].value"
        for name in _listeners(value):
            path = f'.status.listeners[?(@.name=="{name}")].attachedRoutes'
            yield f"attachedRoutes-{name}", path


def _listeners(gateway: Json) -> Iterator[str]:
    spec = gateway.get("spec")
    listeners = spec.get("listeners") if isinstance(spec, Mapping) else None
    seen = set()
    for listener in listeners if isinstance(listeners, list) else ():
        name = listener.get("name") if isinstance(listener, Mapping) else None
        if isinstance(name, str) and name not in seen and _PLAIN_NAME.fullmatch(name):
            seen.add(name)
            yield name


def indented(text: str, by: str) -> str:
    """The lines further in: all that have something, for in a block spaces may be content."""
    if "\n\n" in text or not text.endswith("\n"):
        return "\n".join(by + line if line else line for line in text.split("\n"))
    return by + text[:-1].replace("\n", f"\n{by}") + "\n"
