"""The source of each field of a rendered object: the hub, a placement rule, or an override.

Sources are not written into the trees. They are computed when needed, from the edits of the object
(`Manifest.edits`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.comparing import ABSENT, Change, Steps, changes, located
from spokerender.kinds.fields import is_written
from spokerender.kinds.table import list_maps
from spokerender.model import Edit, FieldPath, Origin, PlacedGateway, Ref
from spokerender.rendering.values.bundles import Bundle, How, Variant
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.places import hub_line


class FieldSource(Struct, frozen=True):
    """The cause of a field's value, and its file and line.

    `hub` is the field's own line in the hub, or that of its nearest parent there; it is equal to
    `origin` if the value is from the hub.
    """

    how: str
    origin: Origin
    hub: Origin


class Traced(Struct, frozen=True):
    """A field that differs from the hub; `old` is the hub's value. Either value may be `ABSENT`."""

    path: Steps
    old: Any
    new: Any
    source: FieldSource


_ANNOTATIONS = ("metadata", "annotations")
_CLASS = ("spec", "gatewayClassName")
_NAMESPACE = ("metadata", "namespace")


def _leaves(change: Change) -> Iterator[Change]:
    """Yield one change per field if `change` adds a mapping at a key; otherwise `change` itself."""
    # A new item of a list was added as a whole.
    is_field = bool(change.path) and type(change.path[-1]) is str
    if is_field and change.old is ABSENT and isinstance(change.new, Mapping) and change.new:
        for key, value in sorted(change.new.items()):
            yield from _leaves(Change((*change.path, key), ABSENT, value))
    else:
        yield change


class _Done(Struct, frozen=True):
    """One edit of an object, the changes that it made (`done`), and the object after the edit."""

    edit: Edit
    done: tuple[Change, ...]
    result: Mapping[str, Any]

    def wrote(self, path: Steps) -> bool:
        """Return whether the edit wrote the field, even if the value is unchanged."""
        # Either path may be inside the other: a new mapping is one change, and so is one field of
        # it.
        if any(_begins(change.path, path) for change in self.done):
            return True
        if self.edit.patch is None:
            return False
        if isinstance(self.edit.patch, Mapping):
            return is_written(self.edit.patch, path)
        return any(_begins(pointer, self._steps(path)) for pointer in _pointers(self.edit.patch))

    def _steps(self, path: Steps) -> list[str]:
        return [str(step) for step in located(path, self.result)]

    def origin(self, path: Steps) -> Origin | None:
        """Return where the edit is configured; for an override, the line of the field."""
        place, patch = self.edit.place, self.edit.patch
        if place is None or self.edit.how != How.OVERRIDE:
            return place() if place is not None else None
        if isinstance(patch, Mapping):
            return place("merge", *_written(patch, path))
        pointers = enumerate(_pointers(patch)) if patch else ()
        steps = self._steps(path)
        number = next((index for index, own in pointers if _begins(own, steps)), None)
        return place("patch", number) if number is not None else place()


class History:
    """The edits of one object of one spoke."""

    def __init__(self, rendered: Rendered, bundle: Bundle, variant: Variant) -> None:
        self._rendered = rendered
        self._manifest = variant.manifest
        placed = bundle.blueprint.placed
        gateways = rendered.topology.ships_with(variant.manifest.ref)
        # A ReferenceGrant follows all objects to which its entries give access.
        self._placed = tuple(p for p in placed if p.hub in gateways) if gateways else placed
        self._object = bundle.object_of(variant)
        edits = variant.shipped.edits
        befores = [bundle.filled(edit.before) for edit in edits]
        # An edit has the object before it; the object after it is the one before the next edit.
        afters = [*befores, self._object][1:]
        self._done = [
            _Done(
                replace(edit, how=bundle.text(edit.how), patch=bundle.filled(edit.patch)),
                changes(before, after, list_maps(after)),
                after,
            )
            for edit, before, after in zip(edits, befores, afters, strict=True)
        ]

    def source(self, path: Steps) -> FieldSource:
        """Return the source of a field, with the nearest line that is known.

        `path` is a path from `spokerender.formats.comparing`, or the beginning of one. The source
        of the whole object is its file and line in the hub.
        """
        hub = hub_line(self._manifest, path)
        # Of several edits of a field, the last one determined its value.
        for done in reversed(self._done) if path else ():
            if done.wrote(path):
                how, origin = done.edit.how, done.origin(path)
                if how == How.RULE:
                    how, origin = self._retargeting(path)
                return FieldSource(how, origin or hub, hub)
        return FieldSource(How.HUB, hub, hub)

    def changed(self) -> tuple[Traced, ...]:
        """Return the source of every field that differs from the hub, ordered by path.

        A new mapping is split into its fields, as they may have different sources.
        """
        written = self._manifest.written
        return tuple(
            Traced(change.path, change.old, change.new, self.source(change.path))
            for whole in changes(
                written.object if written is not None else {}, self._object, list_maps(self._object)
            )
            for change in _leaves(whole)
        )

    def _retargeting(self, path: Steps) -> tuple[How, Origin | None]:
        """Return why retargeting changed the field, and where the cause is configured."""
        ref = self._manifest.ref
        kind = self._rendered.hub.catalogue.kind(ref.group, ref.kind)
        if path[:2] == _ANNOTATIONS and path[2:] in {(key,) for key, _ in kind.annotations}:
            return How.SYNCED, None
        if path == _NAMESPACE and self._object["metadata"].get("namespace") == ref.namespace:
            return How.DEFAULT_NAMESPACE, None
        # A class that no rule sets comes from the parameters of the hub's class.
        if path == _CLASS and not any(place.gateway_class for place in self._placed):
            return How.DOWNSTREAM_CLASS, self._class_parameters()
        places = self._named_at(located(path, self._manifest.object))
        # A placement that can change this field explains it better than another one.
        by_effect = sorted(places, key=lambda place: (not _explains(place, path), place.rule))
        rules = [self._rendered.decision.rules[place.rule] for place in by_effect]
        return (How.RULE, rules[0].origin) if rules else (How.DROPPED, None)

    def _named_at(self, path: FieldPath) -> tuple[PlacedGateway, ...]:
        """Return the placed gateways that a reference at `path` leads to; else all gateways."""
        topology = self._rendered.topology
        # A policy with two targets may have each of its references from another rule.
        for link in topology.nodes[self._manifest.ref].references:
            if link.row.role.ships and path[: len(link.path)] == link.path:
                reached = topology.reached(link)
                return tuple(place for place in self._placed if place.hub in reached)
        return self._placed

    def _class_parameters(self) -> Origin | None:
        name = self._rendered.topology.nodes[self._manifest.ref].gateway_class
        parameters = self._rendered.sync.classes.get(name)
        config_map = parameters.config_map if parameters is not None else None
        return hub_line(config_map, ("data", "params")) if config_map is not None else None


def _explains(place: PlacedGateway, path: Steps) -> bool:
    """Return whether the placement of a gateway can change the field."""
    match path:
        case ("metadata", "namespace"):
            return place.hub.namespace != place.ref.namespace
        case ("spec", "hostnames", *_) | ("spec", "listeners", _, "hostname"):
            return bool(place.hostnames)
    return place.moved


def _begins(one: Sequence[object], other: Sequence[object]) -> bool:
    """Return whether one of two paths is a prefix of the other."""
    return all(a == b for a, b in zip(one, other, strict=False))


def _written(patch: Mapping[str, Any], path: Steps) -> Iterator[str]:
    """Yield the first steps of `path`, as long as the merge patch has them."""
    inside: Any = patch
    for step in path:
        if not isinstance(inside, Mapping) or step not in inside:
            return
        yield str(step)
        inside = inside[step]


def _pointers(operations: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Yield the paths that the operations of a JSON Patch write to (RFC 6901 pointers)."""
    for operation in operations:
        if operation["op"] != "test":
            for key in ("path", "from") if operation["op"] == "move" else ("path",):
                pointer = operation[key].split("/")[1:]
                yield [step.replace("~1", "/").replace("~0", "~") for step in pointer]


class Tracer:
    """Finds the source of a field by folder, identity and path."""

    def __init__(self, rendered: Rendered) -> None:
        self._rendered = rendered
        self._last: tuple[str, Ref, History | None] | None = None

    def source(self, folder: str, ref: Ref, path: Steps = ()) -> FieldSource | None:
        """Return the source of a field; None if the object is not from the hub."""
        # The fields of one object are asked for one after the other, so one history is kept.
        if self._last is None or self._last[:2] != (folder, ref):
            bundle, history = self._rendered.bundles.get(folder), None
            if bundle is not None and (variant := bundle.find(ref.whole)) is not None:
                history = History(self._rendered, bundle, variant)
            self._last = (folder, ref, history)
        history = self._last[2]
        return history.source(path) if history is not None else None
