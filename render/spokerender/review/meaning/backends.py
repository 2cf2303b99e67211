"""The backends of rules: what each gets of the requests, and which ones get none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from math import gcd
from typing import Any

from spokerender.formats.comparing import fingerprint
from spokerender.kinds.fields import apply_edits
from spokerender.kinds.kind import Role
from spokerender.model import Ref, shown
from spokerender.model.memo import memoised
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json, as_list, as_mapping
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.topology.graph import Topology
from spokerender.topology.node import name_rules
from spokerender.topology.requests import find_rule_paths, is_answered

_OF_RULES = (Role.BACKEND, Role.FILTER)
_OF_CONNECTIONS = ("TCPRoute", "TLSRoute", "UDPRoute")
_OF_SHARE = ("group", "kind", "namespace", "name", "weight")

_BACKEND = re.compile(r"spec\.rules\[(\d+)\]\.backendRefs")


@memoised
def list_refused(topology: Topology) -> tuple[tuple[Ref, tuple[Ref, ...]], ...]:
    """Return rules, as sections of their routes, with the backends that no ReferenceGrant opens."""
    refused: dict[Ref, tuple[Ref, ...]] = {}
    for node in topology.nodes.values():
        crossing = node.crossing if node.is_route else ()
        idle = {shown(link.path) for link in node.references if crossing and link.is_idle}
        for referent, field in crossing:
            place = _BACKEND.match(field)
            if place and field not in idle and not topology.permits(node.ref, referent):
                section = node.ref.section(name_rules(node.rules)[int(place[1])])
                refused[section] = (*refused.get(section, ()), referent)
    return tuple(refused.items())


@memoised
def list_unread(topology: Topology) -> tuple[tuple[Ref, tuple[Ref, ...]], ...]:
    """Return rules, as sections of their routes, with the backends that their controllers skip."""
    unread: dict[Ref, tuple[Ref, ...]] = {}
    for node in topology.nodes.values():
        for link in node.references if node.is_route else ():
            if link.row.role is Role.BACKEND and not link.is_idle:
                backend = topology.find(link.ref.whole)
                if backend is None or not backend.is_off:
                    continue
                if topology.permits(node.ref, backend.ref):
                    section = node.rule_of(link)
                    unread[section] = (*unread.get(section, ()), backend.ref)
    return tuple(unread.items())


def list_failing(view: SpokeView) -> Mapping[Ref, list[Ref]]:
    """Return the backends that fail for certain, by the rules as sections of their routes."""
    failing: dict[Ref, list[Ref]] = {}
    for section, ref in view.fill(view.judgement.failing):
        failing.setdefault(section, []).append(ref)
    return failing


def list_named(view: SpokeView, objects: Collection[Ref]) -> Mapping[Ref, tuple[Ref, ...]]:
    """Return which of some objects rules refer to, by the rules as sections of their routes."""
    named: dict[Ref, tuple[Ref, ...]] = {}
    for node in view.nodes.values() if objects else ():
        for link in node.references if node.is_route else ():
            if link.ref.whole in objects and link.row.role in _OF_RULES and not link.is_idle:
                section = node.rule_of(link)
                named[section] = (*named.get(section, ()), link.ref.whole)
    return named


def read_shares(backends: Json, way: Way, name: Callable[[Ref], Ref]) -> list[str]:
    """Return what each backend gets of a rule's requests, in any order, with defaults filled in.

    `name` is what an object is called after the change.
    """
    items = [as_mapping(item) for item in as_list(backends)]
    weights = [item.get("weight", 1) for item in items]
    texts: list[str] = []
    for item in items:
        ref = name(_find_backend(item, way))
        rest = {key: value for key, value in item.items() if key not in _OF_SHARE}
        texts.append(f"{ref.group}/{ref} {fingerprint(rest)}")
    numbers = [weight for weight in weights if isinstance(weight, int)]
    if len(numbers) < len(weights):
        return sorted(f"{text} {weight}" for text, weight in zip(texts, weights, strict=True))
    shares = Counter[str]()
    for text, number in zip(texts, numbers, strict=True):
        shares[text] += number
    # Without any weight no request is answered; else those without get none, and others do.
    whole = gcd(*shares.values())
    return sorted(
        f"{text} {share // whole if whole else 0}"
        for text, share in shares.items()
        if share or not whole
    )


def list_unused(view: SpokeView, way: Way) -> frozenset[Ref]:
    """Return the backends of a rule that get none of its requests, as their weight is 0."""
    used: dict[bool, set[Ref]] = {True: set(), False: set()}
    for item in map(as_mapping, as_list(read_rule(view, way, {}).get("backendRefs"))):
        used[item.get("weight") != 0].add(_find_backend(item, way))
    return frozenset(used[False] - used[True])


def _find_backend(item: Mapping[str, Any], way: Way) -> Ref:
    parts = (item.get("group") or "", item.get("kind") or "Service")
    namespace = item.get("namespace") or way.levels[-2].namespace
    return Ref(*map(str, (*parts, namespace, item.get("name"))))


def with_namespaces(backends: Json, way: Way) -> list[Json]:
    """Return backends with the namespaces that they have for want of others: their route's."""
    namespace = way.levels[-2].namespace
    return [{"namespace": namespace, **as_mapping(item)} for item in as_list(backends)]


def describe_failing(way: Way, backend: Ref) -> str:
    """Say what becomes of a rule's requests for a backend that is not to be had."""
    if way.levels[-2].kind in _OF_CONNECTIONS:
        return f"connections for {backend} are refused"
    return f"requests for {backend} are answered with 500"


@memoised
def list_answered(topology: Topology) -> frozenset[Ref]:
    """Return rules, as sections of their routes, of which a filter answers in place of backends."""
    paths = (path for path in find_rule_paths(topology) if path.route is not None)
    return frozenset(path.levels[-1] for path in paths if is_answered(topology, path))


_NOT_ROUTING = ("name", "matches")
"""The fields of a route's rule that are compared otherwise."""


def read_rule(view: SpokeView, way: Way, edits: Mapping[FieldPath, str]) -> Mapping[str, Any]:
    """Return what says what becomes of a rule's requests, after edits of its route."""
    route = way.levels[-2]
    names = [*view.matches(route)]
    rules = as_list(as_mapping(apply_edits(view.object_of(route), edits).get("spec")).get("rules"))
    index = names.index(way.levels[-1].section_name) if way.levels[-1].section_name in names else -1
    rule = as_mapping(rules[index]) if 0 <= index < len(rules) else {}
    return {key: value for key, value in rule.items() if key not in _NOT_ROUTING}
