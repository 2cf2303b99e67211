"""Compares exported spokes with the expected state, as findings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.observed import values
from spokerender.explain.observed.snapshots import LiveObject, Snapshot
from spokerender.explain.observed.statuses import (
    find_unexpected,
    judge_marks,
    observe_policy,
    reduce_status,
)
from spokerender.explain.values import PolicyStatus
from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import count, describe
from spokerender.findings.results import Result
from spokerender.formats.comparing import ABSENT, fingerprint, is_same_json
from spokerender.judging.attachment.statuses import Truth
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import Schemas, Server
from spokerender.judging.validation.structure import SchemaNode, complete
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind
from spokerender.kinds.owned import without_owned
from spokerender.model import FieldPath, Ref, shown
from spokerender.model.memo import memoised, remembered
from spokerender.model.quantities import parse_quantity
from spokerender.model.shapes import Json, as_mapping
from spokerender.model.times import read_duration
from spokerender.rendering.values.alike import Alike
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant

_EMPTY: Sequence[Json] = (None, "", [], {})
_OF_THE_SERVER = ("status",)
_COMPARED_METADATA = ("labels", "annotations")
FindSchema = Callable[[], SchemaNode | None]
"""Returns the schema of a kind, or None if it is unknown."""


class Drifted(Struct, frozen=True, eq=False):
    """A field with its value in the tree and on the cluster; either may be ABSENT."""

    path: FieldPath
    expected: Json
    live: Json


def find_drift(
    expected: Mapping[str, Json], live: Mapping[str, Json], schema: FindSchema, *, full: bool
) -> Iterator[Drifted]:
    """Yield the fields that differ, in the order of the tree's object.

    `live` must not have the fields that clusters and engines own. `schema` returns the schema of
    the kind. With `full`, fields that only the cluster has are drift as well.
    """
    comparison = _DriftComparison(schema, full)
    # The tree's fields first, in its order, which readers know.
    for key in (*expected, *(key for key in live if key not in expected)):
        if key in _OF_THE_SERVER:
            continue
        ours, theirs = expected.get(key, ABSENT), live.get(key, ABSENT)
        # All other metadata belongs to the server and its controllers.
        if key == "metadata":
            ours, theirs = (
                {name: data[name] for name in _COMPARED_METADATA if name in data}
                for data in (ours, theirs)
            )
        yield from comparison.compare(ours, theirs, (key,))


class _DriftComparison(Struct, frozen=True):
    """The comparison of one object."""

    schema: FindSchema
    is_full: bool

    def compare(self, ours: Json, theirs: Json, path: FieldPath) -> Iterator[Drifted]:
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            for key in ours:
                yield from self.compare(ours[key], theirs.get(key, ABSENT), (*path, key))
            # Controllers and API servers add fields, which are no drift of the tree.
            if self.is_full and not theirs.keys() <= ours.keys():
                yield from self._compare_others(ours, theirs, path)
        elif isinstance(ours, list) and isinstance(theirs, list) and not is_same_json(ours, theirs):
            yield from self._compare_lists(ours, theirs, path)
        elif ours is ABSENT:
            if self.is_full and theirs not in _EMPTY:
                yield Drifted(path, ours, theirs)
        elif not self._is_same(ours, theirs, path):
            yield Drifted(path, ours, theirs)

    def _compare_others(self, ours: Json, theirs: Json, path: FieldPath) -> Iterator[Drifted]:
        """Yield the fields that only the cluster has and that are no defaults of the CRD."""
        node = self._find_node(path)
        # Defaults of the CRD are filled in by the server, so they are no drift.
        defaults = complete(node, dict(ours), []) if node is not None else ours
        for key in theirs:
            if key in ours:
                continue
            drift = tuple(self.compare(defaults.get(key, ABSENT), theirs[key], (*path, key)))
            if drift and key in defaults and not isinstance(theirs[key], (Mapping, list)):
                yield Drifted((*path, key), ABSENT, theirs[key])
            else:
                yield from drift

    def _compare_lists(
        self, ours: list[Json], theirs: list[Json], path: FieldPath
    ) -> Iterator[Drifted]:
        node = self._find_node(path)
        list_type = node.list_type if node is not None else ""
        # As server-side apply merges lists: items belong together by their keys, whatever the
        # order.
        if node is not None and list_type == "map":
            left, right = _by_keys(node, ours), _by_keys(node, theirs)
            if left is not None and right is not None:
                for key, (index, item) in left.items():
                    yield from self.compare(item, right.get(key, (0, ABSENT))[1], (*path, index))
                for key in right.keys() - left.keys():
                    yield Drifted((*path, right[key][0]), ABSENT, right[key][1])
                return
        if list_type == "set":
            if sorted(map(fingerprint, ours)) != sorted(map(fingerprint, theirs)):
                yield Drifted(path, ours, theirs)
            return
        # Without keys nobody knows which item is the additional one.
        if len(ours) != len(theirs):
            yield Drifted(path, ours, theirs)
            return
        for index, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from self.compare(*pair, (*path, index))

    def _is_same(self, ours: Json, theirs: Json, path: FieldPath) -> bool:
        if theirs is ABSENT or theirs in _EMPTY:
            # Go's `omitempty` drops empty values, so an empty field is as good as none.
            return ours in _EMPTY and not isinstance(ours, bool)
        if (isinstance(ours, str) and ours == theirs) or is_same_json(ours, theirs):
            return True
        both = (ours, theirs)
        if path[0] == "metadata" or any(
            isinstance(value, bool) or not isinstance(value, str | int | float) for value in both
        ):
            return False
        texts = (str(ours), str(theirs))
        # Go writes durations and quantities in one form: `1h0m0s` for `60m`, `1` for `1000m`.
        return _is_equal_by(read_duration, *texts) or (
            # A field of the type string holds no quantity: `1.0` is not `1` there.
            _is_equal_by(parse_quantity, *texts)
            and ((node := self._find_node(path)) is None or node.is_either or node.type != "string")
        )

    def _find_node(self, path: FieldPath) -> SchemaNode | None:
        node = self.schema()
        for step in path:
            # Without a schema the comparison is by value alone.
            if node is None:
                break
            if isinstance(step, int):
                node = node.items
            else:
                node = node.properties.get(str(step), node.others)
        return node


def _by_keys(node: SchemaNode, items: list[Json]) -> dict[str, tuple[int, Json]] | None:
    """Return the items with their indexes by the keys of the CRD; None if keys are not unique."""
    by_keys: dict[str, tuple[int, Json]] = {}
    for index, item in enumerate(items):
        if not isinstance(item, dict) or node.items is None:
            return None
        # A key that an item leaves out has its default.
        defaults = dict(node.items.defaults)
        key = fingerprint([item.get(name, defaults.get(name)) for name in node.list_keys])
        if key in by_keys:
            return None
        by_keys[key] = index, item
    return by_keys


def _is_equal_by(parse: Callable[[str], object], one: str, other: str) -> bool:
    try:
        return parse(one) == parse(other)
    except ValueError:
        return False


_FLUX = "kustomize.toolkit.fluxcd.io/name"
_ARGO = "argocd.argoproj.io/tracking-id"
_SHOWN = 60
_SEE = "see why on the cluster; spokerender status --spoke says what is expected"


class Observer:
    """Compares the export of each spoke with its tree, one spoke after another."""

    def __init__(
        self,
        expected: Iterable[Alike[PolicyStatus]],
        catalogue: Catalogue,
        schemas: Callable[[], Schemas],
        *,
        full: bool,
    ) -> None:
        """Start to compare; `schemas` returns the CRDs.

        With `full`, fields that only a cluster has are drift as well.
        """
        self._expected: dict[str, tuple[Bundle, list[PolicyStatus]]] = {}
        for alike in expected:
            # Messages are not compared, and statuses without them are shared by more spokes.
            status = reduce_status(alike.value)
            for bundle in alike.spokes.bundles:
                self._expected.setdefault(bundle.spoke.name, (bundle, []))[1].append(status)
        self._catalogue = catalogue
        self._schemas = cache(schemas)
        self._full = full

    def observe(self, bundle: Bundle, snapshot: Snapshot | None) -> values.ObservedSpoke:
        """Return the comparison of a spoke's present `bundle` with its export, if there is one."""
        blueprint = bundle.blueprint
        identities = bundle.share(_list_identities(blueprint))
        # The identities of the Gateways follow those of the objects.
        variants = dict(zip(identities, blueprint.variants, strict=False))
        placed = zip(identities[len(blueprint.variants) :], blueprint.placed, strict=True)
        # Statuses name objects of the spoke; findings are about those of the hub.
        on_hub = {ref: item.manifest.ref for ref, item in variants.items()}
        on_hub |= {ref: item.hub for ref, item in placed}
        own, statuses = self._expected.get(bundle.spoke.name, (bundle, []))
        conditions: list[values.ConditionsOfPolicy] = []
        unexpected: list[Result] = []
        for shared in statuses:
            status = own.share(shared)
            live, reason = self._find_live(snapshot, status.policy)
            conditions += observe_policy(status, live, reason, self._kind(status.policy), on_hub)
            for ancestor in find_unexpected(status, live, on_hub):
                message = f"Accepted is True for {ancestor}, and it was not expected to hold there"
                result = codes.OTHER_CONDITION.result(message, cure=_SEE)
                unexpected.append(replace(result, resource=status.hub, origin=status.origin))
        results = [*_condition_findings(conditions), *unexpected]
        if snapshot is not None:
            results += self._object_findings(bundle, snapshot, variants)
        exported = snapshot.kinds if snapshot is not None else frozenset()
        return values.ObservedSpoke(
            bundle.spoke.name,
            tuple(conditions),
            tuple(results),
            is_whole={(ref.group, ref.kind) for ref in variants} <= exported,
        )

    def _find_live(self, snapshot: Snapshot | None, policy: Ref) -> tuple[LiveObject | None, str]:
        """Return a policy on the cluster, or the reason why there is none."""
        if snapshot is None:
            return None, "NoReport"
        live = snapshot.find(policy)
        if live is None:
            is_exported = (policy.group, policy.kind) in snapshot.kinds
            return None, "Missing" if is_exported else "NotExported"
        return live, ""

    def _object_findings(
        self, bundle: Bundle, snapshot: Snapshot, variants: Mapping[Ref, Variant]
    ) -> Iterator[Result]:
        for ref, variant in variants.items():
            for result in self._compare_object(bundle, snapshot, ref, variant):
                place = variant.manifest
                yield replace(result, resource=place.ref, origin=place.origin)
        for ref, result in judge_marks(snapshot, variants, self._kind):
            place = variants[ref].manifest
            yield replace(result, resource=place.ref, origin=place.origin)
        for ref, live in snapshot.objects.items():
            if ref in variants:
                continue
            metadata = as_mapping(live.get("metadata"))
            sign = _sign(metadata, self._kind(ref).annotations, bundle.spoke.name)
            if sign:
                message = f"it is on the cluster, with {sign}, and not in the tree"
                cure = "delete it there, if the engine does not; until then it is in force"
                yield codes.LEFTOVER_OBJECT.result(message, cure=cure, resource=ref)

    def _compare_object(
        self, bundle: Bundle, snapshot: Snapshot, ref: Ref, variant: Variant
    ) -> Iterator[Result]:
        live = snapshot.objects.get(ref)
        # An object with finalizers stays on the cluster for a while after its deletion.
        going = as_mapping(live.get("metadata")).get("deletionTimestamp") if live else None
        if going:
            message = f"{ref} is in the tree, and the cluster has been deleting it since {going}"
            cure = "see what its finalizers wait for; the engine applies the tree once it is gone"
            yield codes.MISSING_OBJECT.result(message, cure=cure)
        elif live is not None:
            version = str(variant.object.get("apiVersion"))
            server = Server(bundle.spoke.bundle, bundle.spoke.channel)
            kind = Ref(ref.group, ref.kind, "", "")
            # The schema is read only if something differs: reading all CRDs takes a second.
            schema = partial(self._find_schema, version, kind, server)
            portable = without_owned(dict(live), self._kind(ref).owned, self._catalogue.marks)
            expected = bundle.share(variant.object)
            for item in find_drift(expected, portable, schema, full=self._full):
                yield codes.DRIFT.result(_describe(item), cure=_CURE, field=shown(item.path))
        # An export without the kind says nothing about it.
        elif (ref.group, ref.kind) not in snapshot.kinds:
            message = f"{ref} is in the tree, and no object of its kind is in the export"
            yield codes.NOT_OBSERVED.result(message, cure="export its kind as well")
        elif ref not in snapshot.reported:
            message = f"{ref} is in the tree, and not in the export"
            yield codes.MISSING_OBJECT.result(
                message, cure="see whether the engine has applied the tree"
            )

    @memoised
    def _find_schema(self, version: str, kind: Ref, server: Server) -> SchemaNode | None:
        schema = choose_schema(version, kind, self._schemas(), server).schema
        return schema.node if schema is not None else None

    def _kind(self, ref: Ref) -> Kind:
        return self._catalogue.kind(ref.group, ref.kind)


@remembered
def _list_identities(blueprint: Blueprint) -> tuple[Ref, ...]:
    """Return the identities of a blueprint's objects, followed by those of its Gateways."""
    objects = (variant.ref for variant in blueprint.variants)
    return (*objects, *(gateway.ref for gateway in blueprint.placed))


def _condition_findings(
    statuses: Iterable[values.ConditionsOfPolicy],
) -> Iterator[Result]:
    for policy, conditions in statuses:
        for condition in conditions:
            result = _judge(policy, condition)
            if result is not None:
                yield replace(result, resource=policy.hub, origin=policy.origin)


def _judge(policy: values.PolicyAncestor, condition: values.ObservedCondition) -> Result | None:
    if condition.differs:
        return codes.OTHER_CONDITION.result(
            f"{condition.type} is {condition.observed} ({condition.reason}) for "
            f"{policy.ancestor}, and {condition.expected} was expected",
            cure=_SEE,
        )
    if condition.observed is Truth.UNKNOWN and condition.reason not in _OF_OBJECTS:
        message = f"{condition.type} for {policy.ancestor} is not known: "
        message += _UNKNOWN.get(condition.reason, "the cluster does not know it")
        return codes.NOT_OBSERVED.result(message, cure="export the spoke anew")
    return None


_OF_OBJECTS = frozenset({"Missing", "NotExported"})
"""Reasons that findings about objects report."""
_UNKNOWN = {
    "NoReport": "no export of the spoke",
    "NotReported": "its controller has not reported it",
    "Stale": "the report is of an earlier generation of the policy",
}
_CURE = "change the hub or the placement if it shall be so; otherwise the engine will set it back"


def _describe(item: Drifted) -> str:
    if item.live is ABSENT:
        return f"the tree sets it to {_short(item.expected)}, and the cluster has none"
    if item.expected is ABSENT:
        return f"the cluster has {_short(item.live)}, and the tree sets none"
    return f"the cluster has {_short(item.live)}, and the tree sets {_short(item.expected)}"


def _short(value: Any) -> str:  # noqa: ANN401  (JSON of any shape)
    if isinstance(value, list):
        return count(len(value), "item")
    text = describe(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _sign(metadata: Mapping[str, Any], annotations: Sequence[tuple[str, str]], spoke: str) -> str:
    """Return the label or annotation that shows that an object is from this spoke's tree, or "".

    Synced copies have an annotation; Flux and Argo CD add labels or annotations when they apply.
    """
    labels, notes = as_mapping(metadata.get("labels")), as_mapping(metadata.get("annotations"))
    for name, value in annotations:
        if notes.get(name) == value:
            return f"the annotation {name}"
    if labels.get(_FLUX) == spoke:
        return f"the label {_FLUX}"
    # Argo CD's tracking id begins with the Application's name, which may have a prefix.
    tracked = str(notes.get(_ARGO) or "").partition(":")[0]
    if tracked == spoke or tracked.endswith(f"-{spoke}"):
        return f"the annotation {_ARGO}"
    return ""
