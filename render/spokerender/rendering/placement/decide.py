"""Decides which gateways and spokes the rules and overrides select."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeVar

from msgspec.structs import replace

from spokerender.findings.causes import UNREADABLE_HUB, missing
from spokerender.findings.codes import placement as codes
from spokerender.findings.errors import InputBudget
from spokerender.findings.phrasing import did_you_mean, listed
from spokerender.findings.results import Result
from spokerender.model import SERVICE, Origin, Ref, Spoke, grouped
from spokerender.model.selectors import EVERYTHING, SpokeSelector
from spokerender.rendering.values.placement import (
    NO_SELECTION,
    Decision,
    Declarations,
    Override,
    PlacedSelector,
    Rule,
)
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node

_Item = TypeVar("_Item")


def decide(declared: Declarations, hub: Topology) -> Decision:
    """Return the gateways of each rule and the rules and overrides of each spoke, with findings."""
    results = list(declared.hub.results) if declared.hub is not None else []
    gateways = tuple(_gateways(rule, hub, results) for rule in declared.rules)
    for rule, refs in zip(declared.rules, gateways, strict=True):
        results += _made_twice(rule, refs, hub)
    index = SpokeIndex(declared.spokes)
    for rule, refs in zip(declared.rules, gateways, strict=True):
        # Only here is known which Gateways a selector means.
        results += _unknown_listeners(rule, refs, hub)
    rule_spokes = [_spokes(rule, index, results) for rule in declared.rules]
    _spend_places(len(declared.spokes), gateways, rule_spokes)
    override_spokes = [_spokes(override, index, results) for override in declared.overrides]
    return Decision(
        declared.spokes,
        declared.rules,
        declared.overrides,
        declared.hub,
        gateways_of_rule=gateways,
        rules_of_spoke=_by_spoke(declared.rules, rule_spokes),
        overrides_of_spoke=_by_spoke(declared.overrides, override_spokes),
        results=tuple(results),
    )


def _spend_places(
    spokes: int, gateways: Sequence[Sequence[Ref]], rule_spokes: Sequence[Sequence[str]]
) -> None:
    """Raise `InputError` if rules place too many gateways, or place gateways twice on many spokes.

    A placed gateway costs about 1 KB and 50 µs; 5,000 spokes with 100 gateways are half a million.
    """
    distinct = len({gateway for gateways_of_rule in gateways for gateway in gateways_of_rule})
    once = distinct * spokes
    limit = min(once + 10_000, 500_000 + 50 * (distinct + spokes))
    places = sum(len(refs) * len(names) for refs, names in zip(gateways, rule_spokes, strict=True))
    cure = "place each gateway on a spoke by one rule, or split the placement"
    work = f"placing {distinct:,} gateways on {spokes:,} spokes {places:,} times"
    InputBudget(limit, codes.TOO_MUCH_PLACED, cure).spend(places, work)


def _by_spoke(
    items: Iterable[_Item], spokes: Iterable[tuple[str, ...]]
) -> dict[str, tuple[_Item, ...]]:
    """Return items by spoke name; `spokes` has the names for each item. Equal tuples are shared."""
    pairs = zip(items, spokes, strict=True)
    items_of = grouped([(name, item) for item, names in pairs for name in names])
    shared: dict[tuple[_Item, ...], tuple[_Item, ...]] = {}
    return {
        # `bundler` shares its results by the identity of these tuples.
        name: shared.setdefault(chosen, chosen)
        for name, chosen in ((name, tuple(items)) for name, items in items_of.items())
    }


def place_services(nodes: Iterable[Node], rules: Iterable[Rule]) -> tuple[Node, ...]:
    """Return the nodes of a hub; the Services that rules place are marked (`is_placed`).

    A Service that only a reference names gets a node, too: applications bring their own Services.
    """
    by_ref = {node.ref: node for node in nodes}
    chosen = [rule.services for rule in rules if rule.services != NO_SELECTION]
    if chosen:
        links = (link for node in tuple(by_ref.values()) for link in node.attachments)
        named = {link.ref.whole for link in links if link.selector is None}
        for ref in sorted((*by_ref, *named)):
            node = by_ref.get(ref, Node(ref))
            if (ref.group, ref.kind) == SERVICE and any(_selects(item, node) for item in chosen):
                by_ref[ref] = replace(node, is_placed=True)
    return tuple(by_ref.values())


def _selects(selection: PlacedSelector, node: Node) -> bool:
    selector = selection.selector
    return node.ref in selection.names if selector is None else selector.matches(dict(node.labels))


def _gateways(rule: Rule, hub: Topology, results: list[Result]) -> tuple[Ref, ...]:
    """Return the Gateways and Services that a rule places."""
    placed: list[Ref] = []
    for noun, selection in (("Gateway", rule.gateways), ("Service", rule.services)):
        refs = [ref for ref in hub.roots if ref.kind == noun]
        selected = [ref for ref in refs if _selects(selection, hub.nodes[ref])]
        if selection.selector is not None and not selected and not rule.optional:
            message = f"the selector matches no {noun} of the hub"
            results.append(_no_gateway(rule, message, refs, noun))
        for ref in selection.names:
            if ref not in selected and not rule.optional:
                message = f'no {noun} "{ref.full_name}" in the hub'
                message += ", and nothing there is attached to it" if noun == "Service" else ""
                results.append(_no_gateway(rule, message, refs, noun, ref))
        # Names in the rule's order, as findings follow it.
        placed += [ref for ref in selection.names if ref in selected] or selected
    return tuple(dict.fromkeys(placed))


def _made_twice(rule: Rule, gateways: Sequence[Ref], hub: Topology) -> Iterator[Result]:
    """Yield a finding for each Gateway that a rule creates although `spec.external` declares it."""
    for ref in gateways:
        is_made = hub.nodes[ref].is_gateway and not rule.existing
        if is_made and not hub.nodes[ref].gateway_class and ref in hub.external:
            message = f"{ref} is declared under spec.external of fleet.yaml: the spokes have it"
            yield rule.result(codes.BAD_VALUE, message, "write mode: existing", ("mode",))


def _unknown_listeners(rule: Rule, gateways: Sequence[Ref], hub: Topology) -> Iterator[Result]:
    """Yield a finding for each hub listener in a rule's `for` that none of its `gateways` has."""
    names = [item.name for ref in gateways for item in hub.nodes[ref].listeners]
    for index, hub_names in enumerate(rule.placed_as.hub_listeners):
        for name in hub_names:
            if gateways and name not in names:
                message = f'no Gateway of the rule has a listener "{name}" on the hub'
                cure = did_you_mean(name, names, "they have") or "name a listener of the hub"
                yield rule.result(codes.BAD_VALUE, message, cure, ("as", "listeners", index, "for"))


def _no_gateway(
    rule: Rule, message: str, placeable: Sequence[Ref], noun: str, ref: Ref | None = None
) -> Result:
    name = ref.full_name if ref is not None else ""
    names = [each.full_name for each in placeable]
    cure = did_you_mean(name, names, "the hub has") or "set `optional: true` if that is intended"
    if rule.existing and ref is not None and names:
        cure += (
            "\nname the hub's gateway that the spoke's own one stands for, and the latter below:\n"
            f"  gateways: {{names: [{names[0]}]}}\n  mode: existing\n"
            f"  as: {{namespace: {ref.namespace}, name: {ref.name}}}"
        )
    return rule.result(
        codes.NO_GATEWAY,
        message,
        cure,
        (f"{noun.lower()}s",),
        causes=(*([missing(ref)] if ref is not None else ()), UNREADABLE_HUB),
    )


def _spokes(owner: Rule | Override, index: "SpokeIndex", results: list[Result]) -> tuple[str, ...]:
    selection = owner.spokes
    key = "names" if selection.names is not None else "except"
    results += [
        owner.result(
            codes.NO_SPOKE,
            f'no spoke "{name}" is declared',
            did_you_mean(name, sorted(index.names), "declared are"),
            ("spokes", key),
            causes=(f"spoke {name} is not declared",),
        )
        # A selection has one of the two: `except` beside `names` is refused in the file.
        for name in selection.names or selection.but
        if name not in index.names and not owner.optional
    ]
    spokes = index.select(selection)
    # Each undeclared name has its own finding, and without any spokes all selections are empty.
    may_be_empty = selection.names is not None or owner.optional or selection.selector == EVERYTHING
    if not spokes and not may_be_empty:
        hints = (_hint(key, value, index.labels) for key, value in selection.selector.labels)
        cure = next(filter(None, hints), "correct the selector")
        cure += "; set `optional: true` if that is intended"
        message = "the selector selects no spoke today"
        results.append(owner.result(codes.EMPTY_SELECTION, message, cure, ("spokes", "selector")))
    return spokes


def _hint(key: str, value: str, labels: Mapping[str, Collection[str]]) -> str:
    """Return why no spoke has the label `key: value`; empty if one has it."""
    values = labels.get(key, ())
    if value in values:
        return ""
    if values:
        labels_there = listed(f"{key}={value}" for value in sorted(values))
        return f"no spoke has {key}={value}; they have {labels_there}"
    have = f"they have {listed(sorted(labels))}" if labels else "none has any"
    return f"no spoke has the label {key}; {have}"


def unplaced(decision: Decision, hub: Topology, origins: dict[Ref, Origin]) -> list[Result]:
    """Return a warning for each Gateway of the hub that is on no spoke."""
    placed = {
        gateway for spoke in decision.spokes for gateway, _ in decision.gateways_on(spoke.name)
    }
    return [
        codes.UNPLACED_GATEWAY.result(
            "the Gateway is placed on no spoke",
            cure="name it in a rule of the placement, or take it out of the hub",
            resource=gateway,
            origin=origins.get(gateway),
        )
        for gateway in hub.gateways
        if gateway not in placed
    ]


class SpokeIndex:
    """All spokes by their labels; equal selections are evaluated once."""

    def __init__(self, spokes: Iterable[Spoke]) -> None:
        self._spokes = tuple(spokes)
        self.names = frozenset(spoke.name for spoke in self._spokes)
        self._having: dict[tuple[str, str], list[Spoke]] = {}
        labels: dict[str, set[str]] = {}
        for spoke in self._spokes:
            for key, value in spoke.labels.items():
                self._having.setdefault((key, value), []).append(spoke)
                labels.setdefault(key, set()).add(value)
        self.labels: Mapping[str, frozenset[str]] = {
            key: frozenset(values) for key, values in labels.items()
        }
        self.select = cache(self._select)

    def _select(self, selection: SpokeSelector) -> tuple[str, ...]:
        """Return the selected spokes, in the order of `selection.names`, otherwise of the fleet."""
        if selection.names is not None:
            return tuple(dict.fromkeys(name for name in selection.names if name in self.names))
        but = frozenset(selection.but)
        # The label that the fewest spokes have: only these are tested for the other labels.
        candidates = min(
            (self._having.get(label, []) for label in selection.selector.labels),
            key=len,
            default=self._spokes,
        )
        return tuple(
            spoke.name
            for spoke in candidates
            if spoke.name not in but and selection.selector.matches(spoke.labels)
        )
