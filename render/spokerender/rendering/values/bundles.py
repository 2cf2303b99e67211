"""Bundles of spokes, the blueprints that spokes share, variants of objects, and their findings."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.occurrences import Occurrence
from spokerender.findings.results import Result, Severity
from spokerender.model import Manifest, PlacedGateway, Ref, Spoke, grouped, slots
from spokerender.model.memo import memoised, remembered
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import Json, match_words, scalars_in, texts_in
from spokerender.rendering.values.placement import Override
from spokerender.topology.node import Node

if TYPE_CHECKING:  # start-up counts: a build has nothing to compare
    from spokerender.rendering.values.own_texts import OwnTexts

_Value = TypeVar("_Value")
_MOST = 4096
"""The number of filled values to keep: those of one spoke are needed one after the other."""
find_slots = remembered(slots.slots_in)
"""Returns the slots in JSON or in a frozen value."""
_shared: dict[tuple[int, tuple[Any, ...]], tuple[object, Any]] = {}
"""Filled values by the id of the unfilled value, which is kept too, and the slots' values."""


class How(StrEnum):
    """The cause of a field's value; stages of wings add further causes (`Edit.how`)."""

    HUB = "hub"
    RULE = "placement rule"
    OVERRIDE = "override"
    DROPPED = "its gateway is not placed here"
    DOWNSTREAM_CLASS = "downstreamClass"
    SYNCED = "set on every synced copy"
    CLUSTER_OWNED = "a cluster's own, never copied"
    DEFAULT_NAMESPACE = "the default namespace"
    MUTATED = "mutation"
    AGENT = "the agent that copies it"
    PUBLISHED = "the agent that publishes it"


class Outcome(Struct, frozen=True):
    """A hub object as it is on a spoke; `object` is None if it does not ship.

    `reason` is then a short explanation; if `is_meant`, nobody expects the object to ship. If
    `is_removed`, a stage of a wing or an override removed it.
    """

    ref: Ref
    object: dict[str, Any] | None
    results: tuple[Result, ...] = ()
    reason: str = ""
    is_meant: bool = False
    is_removed: bool = False


Outcomes = tuple[Outcome, ...]
"""One outcome per hub manifest, in the hub's order."""


class Evaluated(Struct, frozen=True):
    """An override's patch for one object of one spoke, with its expressions evaluated.

    Equal keys mean equal patches of the override; texts and numbers may be slots.
    """

    override: Override
    patch: Any
    key: str
    results: tuple[Result, ...] = ()


class Variant(Struct, frozen=True, eq=False, dict=True):
    """One object in the form that one or more spokes get; texts may have slots.

    `manifest` is the object on the hub, or as a stage created it; findings name this one. `shipped`
    is the object on the spokes, with all edits.
    """

    manifest: Manifest
    shipped: Manifest
    node: Node
    results: tuple[Result, ...] = ()
    overrides: tuple[Evaluated, ...] = ()

    @property
    def ref(self) -> Ref:
        """Return the identity on the spoke."""
        return self.shipped.ref

    @property
    def object(self) -> dict[str, Any]:
        """Return the object as the spoke gets it."""
        return self.shipped.object

    @memoised
    def node_texts(self) -> frozenset[str]:
        """Return every text in the node, as comparisons of nodes compare these texts."""
        return frozenset(texts_in(self.node))

    @memoised
    def texts(self) -> frozenset[str]:
        """Return every text in the object and in its node."""
        texts = (item for item in scalars_in(self.object) if isinstance(item, str))
        return self.node_texts().union(texts)

    @memoised
    def has_slot_in_name(self) -> bool:
        """Return whether the identity differs between spokes that share this variant."""
        return slots.holds_slots(self.ref)

    @memoised
    def slots(self) -> tuple[str, ...]:
        """Return the slots in the object, for which a spoke that gets it must have values."""
        return slots.slots_in(self.object)


class Blueprint(Struct, frozen=True, eq=False, dict=True):
    """The common part of spokes with equal placements and overrides, with slots for values."""

    placed: tuple[PlacedGateway, ...]
    outcomes: Outcomes
    variants: tuple[Variant, ...]
    results: tuple[Result, ...]

    @memoised
    def by_name(self) -> tuple[Mapping[Ref, Variant], Mapping[GroupKind, list[Variant]]]:
        """Return the objects by identity, and those with slots in their identity by kind."""
        slotted = grouped(
            ((variant.ref.group, variant.ref.kind), variant)
            for variant in self.variants
            if variant.has_slot_in_name()
        )
        return {variant.ref: variant for variant in self.variants}, slotted

    @memoised
    def texts(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the texts of the objects and their nodes: texts with slots, and texts without."""
        texts = frozenset[str]().union(*(variant.texts() for variant in self.variants))
        slotted = frozenset(filter(slots.has_slot, texts))
        return slotted, texts - slotted


class Bundle(Struct, frozen=True, eq=False, dict=True):
    """The objects of one spoke: a blueprint, its slots' values, and findings about the values."""

    spoke: Spoke
    blueprint: Blueprint
    values: Mapping[str, Any]
    results: tuple[Result, ...]

    def find(self, ref: Ref) -> Variant | None:
        """Return the object with the identity `ref` on this spoke, or None."""
        named, slotted = self.blueprint.by_name()
        alike = (
            item for item in slotted.get((ref.group, ref.kind), ()) if self.ref(item.ref) == ref
        )
        # Most identities have no slot: those with slots are filled only if the look-up finds none.
        return named.get(ref) or next(alike, None)

    def object_of(self, variant: Variant) -> dict[str, Any]:
        """Return a variant's object with this spoke's values."""
        return self.filled(variant.object)

    def ref(self, ref: Ref) -> Ref:
        """Return an identity with this spoke's values."""
        return slots.fill_ref(ref, self.values)

    def text(self, text: str) -> str:
        """Return a text with this spoke's values."""
        return slots.fill_text(text, self.values)

    def filled(self, value: _Value) -> _Value:
        """Return JSON or a frozen value, filled with this spoke's values."""
        return slots.fill(value, self.values)

    def share(self, value: _Value) -> _Value:
        """Return `filled(value)`, the same object for bundles with equal values of its slots.

        A value without slots is returned itself. Functions of the result can be remembered by its
        identity (`memo.remembered`).
        """
        slots_of = find_slots(value) if self.values else ()
        if not slots_of:
            return value
        key = id(value), tuple(map(self.values.get, slots_of))
        if key not in _shared:
            if len(_shared) >= _MOST:
                _shared.clear()
            _shared[key] = value, self.filled(value)
        filled: _Value = _shared[key][1]
        return filled

    def with_name(self) -> "Bundle":
        """Return this bundle with the spoke's name as the value of the slot `slots.NAME`."""
        return replace(self, values={**self.values, slots.NAME: self.spoke.name})

    @memoised
    def own_texts(self) -> "OwnTexts":
        """Return this spoke's values that are texts, with their slots."""
        from spokerender.rendering.values.own_texts import OwnTexts  # noqa: PLC0415  (start-up counts)

        return OwnTexts({**self.values, slots.NAME: self.spoke.name})

    def unfilled(self, old: Json, new: Json) -> Json:
        """Return `old`, with slots of `new` in place of parts that are equal for this spoke."""
        return slots.unfilled(old, new, self.values)


def sharing(bundles: Iterable[Bundle]) -> tuple[tuple[Blueprint, tuple[Bundle, ...]], ...]:
    """Return the distinct blueprints, each with its bundles."""
    bundles_of = grouped((bundle.blueprint, bundle) for bundle in bundles)
    return tuple((blueprint, tuple(alike)) for blueprint, alike in bundles_of.items())


def in_blueprints(results_of: Iterable[tuple[Bundle, Iterable[Result]]]) -> Iterator[Occurrence]:
    """Yield the findings about blueprints, once for each spoke; texts may have slots."""
    for bundle, results in results_of:
        is_refused = any(r.severity is Severity.ERROR for r in bundle.blueprint.results)
        # A spoke without slots was bundled with its real values (`bundle_fleet`), which are in
        # messages: findings that differ only in these are joined.
        if is_refused and not bundle.values:
            yield from with_values((bundle, result) for result in results)
        else:
            where = (bundle.spoke.name,)
            yield from (Occurrence(result, where, values=bundle.values) for result in results)


def with_values(results_of: Iterable[tuple[Bundle, Result]]) -> Iterator[Occurrence]:
    """Yield the findings with their spokes.

    A finding that contains none of its spokes' own values is yielded once for all of these spokes;
    otherwise once for each spoke, with a `key` that is equal for findings that differ only in such
    values.
    """
    # By identity: spokes that share a blueprint share its findings, and texts are long.
    bundles_of: dict[int, tuple[Result, list[Bundle]]] = {}
    for bundle, result in results_of:
        bundles_of.setdefault(id(result), (result, []))[1].append(bundle)
    own_values = cache(_list_own_values)
    for result, bundles in bundles_of.values():
        without: list[Bundle] = []
        for bundle in bundles:
            own = own_values(bundle.spoke)
            if not any(value in result.message or value in result.cure for value in own):
                without.append(bundle)
                continue
            # With blanks for the spoke's name and values, to compare findings.
            blank = partial(match_words(own).sub, "\0")
            key = replace(result, message=blank(result.message), cure=blank(result.cure))
            yield Occurrence(result, (bundle.spoke.name,), key, bundle.values)
        if without:
            names = tuple(bundle.spoke.name for bundle in without)
            yield Occurrence(result, names, None, without[0].values)


def _list_own_values(spoke: Spoke) -> frozenset[str]:
    return frozenset({*map(str, scalars_in(dict(spoke.values))), spoke.name} - {""})
