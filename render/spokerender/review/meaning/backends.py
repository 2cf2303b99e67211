"""The backends of rules, their shares of the requests, and the filters of rules."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from math import gcd
from typing import Any

from spokerender.findings.codes import review as codes
from spokerender.formats.comparing import ABSENT, fingerprint
from spokerender.kinds.fields import apply_edits, find_values
from spokerender.kinds.kind import Role
from spokerender.model import Ref
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json, as_list, as_mapping, as_mappings
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SpokeView, Way, recall_needs
from spokerender.review.meaning.drafts import Cause, Draft
from spokerender.review.values import Topic
from spokerender.topology.paths import Levels

_OF_RULES = (Role.BACKEND, Role.FILTER)
_OF_SHARE = ("group", "kind", "namespace", "name", "weight")
RuleFilters = tuple[SpokeView, Way, Json]
"""The filters of a rule in one state, with a path to it."""


class FailingRules:
    """The parts of rules (backends, or the route) that surely fail in one state, with reasons."""

    def __init__(self, view: SpokeView, name: Callable[[Ref], Ref]) -> None:
        """Index the parts; `name` returns the name of an object after the change."""
        self._view, self._name = view, name
        self._parts: dict[tuple[Ref, Ref], dict[Ref, str]] = {}
        # Parts that no controller reads can't fail.
        for item in filter(lambda one: one.is_read, view.fill(view.judgement.faults.parts)):
            key = name(item.gateway), name(item.rule)
            self._parts.setdefault(key, {}).setdefault(name(item.part), item.why)

    def of(self, levels: Levels) -> Mapping[Ref, str]:
        """Return the failing parts of the rule on a path; `levels` have the new names."""
        return self._parts.get((levels[0], levels[-1]), {}) if levels else {}

    def fails(self, way: Way) -> bool:
        """Return whether all requests of a path fail, because of its policies or of its rule."""
        return self.fails_wholly(way) or any(
            not below and all(outcome.failing for outcome in (item.likely, *item.others))
            for policy_kind in self._view.in_force
            for below, item in self._view.below(policy_kind, way)
        )

    def fails_wholly(self, way: Way) -> bool:
        """Return whether all requests of a rule get status 500 (HTTPRouteRule, `backendRefs`).

        Its route fails, or every backend with a share of the requests does, and no filter may
        answer.
        """
        failing = self.of(tuple(map(self._name, way.levels)))
        rule = read_rule(self._view, way, {})
        filters = as_mappings(rule.get("filters"))
        named = (as_mapping(item.get("extensionRef")) for item in filters)
        is_read = all(_find_object(item, way) in self._view.nodes for item in named if item)
        used = map(self._name, _list_used(rule, way))
        # A redirect answers before any backend is asked.
        is_redirected = any(item.get("type") == "RequestRedirect" for item in filters)
        is_forwarded = is_read and not (is_redirected or way.is_answered)
        return self._name(way.levels[-2]) in failing or (
            is_forwarded and all(ref in failing or ref.whole in failing for ref in used)
        )


def find_failing(successors: Successors) -> tuple[FailingRules, FailingRules]:
    """Return the failing parts of rules before the change, and those after it."""
    old, new, name = successors.old, successors.new, successors.name
    about = FailingRules, old.judgement, new.judgement
    return successors.once(
        about, lambda: (FailingRules(old, name), FailingRules(new, lambda ref: ref))
    )


def fail_alike(successors: Successors, old: Way | None, new: Way | None) -> bool:
    """Return whether all requests of `old` fail before, and all of `new` after a change."""
    before, after = find_failing(successors)
    return old is not None and new is not None and after.fails(new) and before.fails(old)


def list_named(
    view: SpokeView, objects: Collection[Ref], roles: Collection[Role] = _OF_RULES
) -> Mapping[Ref, tuple[Ref, ...]]:
    """Return the references from rules to any of `objects`, by rule (a section of its route)."""
    named: dict[Ref, tuple[Ref, ...]] = {}
    for node in view.nodes.values() if objects else ():
        for link in node.references if node.is_route else ():
            if link.ref.whole in objects and link.row.role in roles and not link.is_idle:
                section = node.rule_of(link)
                named[section] = (*named.get(section, ()), link.ref.whole)
    return named


def identify(view: SpokeView, ref: Ref) -> str:
    """Return a text that identifies an object: for a controller's own kind, the content.

    The content includes the namespace if the object needs other objects there.
    """
    kind = view.kind((ref.group, ref.kind))
    # Objects of other controllers' kinds are compared by themselves.
    data = view.object_of(ref) if kind.controller.id else {}
    if "spec" not in data:
        return f"{ref.group}/{ref}"
    place = ref.namespace if recall_needs(kind.needs, data, ref.namespace) else ""
    return f"{ref.group}/{ref.kind} {place} {fingerprint(data['spec'])}"


def read_filters(filters: Json, way: Way, write: Callable[[Ref], str]) -> Json:
    """Return the filters with a text of `write` for each object that they refer to."""
    if filters is ABSENT:
        return filters
    named = ((item, as_mapping(item.get("extensionRef"))) for item in as_mappings(filters))
    return [
        {**item, "extensionRef": write(_find_object(to, way))} if to else item for item, to in named
    ]


def read_shares(backends: Json, way: Way, write: Callable[[Ref], str]) -> list[str]:
    """Return each backend's share of a rule's requests, sorted, with default values filled in.

    `write` returns a text for a backend; an empty text if all of its requests fail.
    """
    items = [as_mapping(item) for item in as_list(backends)]
    # The API's default.
    weights = [item.get("weight", 1) for item in items]
    texts: list[str] = []
    for item in items:
        text = write(_find_object(item, way))
        rest = {key: value for key, value in item.items() if key not in _OF_SHARE}
        texts.append(f"{text} {fingerprint(rest)}" if text else "")
    numbers = [weight for weight in weights if isinstance(weight, int)]
    # A weight with a slot has no sum.
    if len(numbers) < len(weights):
        return sorted(f"{text} {weight}" for text, weight in zip(texts, weights, strict=True))
    shares = Counter[str]()
    for text, number in zip(texts, numbers, strict=True):
        shares[text] += number
    # If all weights are 0, requests are not answered; otherwise backends without weight get none.
    # Only the ratio of weights counts.
    whole = gcd(*shares.values())
    return sorted(
        f"{text} {share // whole if whole else 0}"
        for text, share in shares.items()
        if share or not whole
    )


def list_unused(view: SpokeView, way: Way) -> frozenset[Ref]:
    """Return the backends, mirrors and filters of a rule that get none of its requests.

    Their weight is 0, or a filter answers instead of them.
    """
    node = view.nodes[way.levels[-2]]
    every = (link for link in node.references if link.row.role is Role.BACKEND)
    links = [link for link in every if node.rule_of(link) == way.levels[-1]]
    used = {link.ref.whole for link in links if not (way.is_answered or link.is_idle)}
    filters = as_mappings(read_rule(view, way, {}).get("filters"))
    named, read = (
        {_find_object(as_mapping(item.get("extensionRef")), way) for item in items}
        for items in (filters, map(as_mapping, _list_read(view, way, filters)))
    )
    return frozenset({link.ref.whole for link in links} - used | named - read)


def list_unverified(view: SpokeView, way: Way) -> frozenset[Ref]:
    """Return the backends of a rule whose own settings turn off verification of certificates."""
    return frozenset(
        ref.whole
        for ref in _list_used(read_rule(view, way, {}), way)
        for scale in view.kind((ref.group, ref.kind)).traits.scales
        if scale.about == "encryption"
        and [value for _, value in find_values(view.object_of(ref.whole).get("spec"), scale.field)]
        == [*scale.order[:1]]
    )


def _list_used(rule: Mapping[str, Any], way: Way) -> Iterator[Ref]:
    items = as_mappings(rule.get("backendRefs"))
    return (_find_object(item, way) for item in items if item.get("weight") != 0)


def _find_object(item: Mapping[str, Any], way: Way) -> Ref:
    """Return the object that a backend or filter refers to, with the port as its section."""
    parts = (item.get("group") or "", item.get("kind") or "Service")
    namespace = item.get("namespace") or way.levels[-2].namespace
    return Ref(*map(str, (*parts, namespace, item.get("name"), item.get("port", ""))))


def with_namespaces(backends: Json, way: Way) -> list[Json]:
    """Return backends with explicit namespaces; the default is the namespace of their route."""
    namespace = way.levels[-2].namespace
    return [{"namespace": namespace, **as_mapping(item)} for item in as_list(backends)]


_NOT_ROUTING = ("name", "matches")
"""The fields of a route's rule that other code compares."""


def read_rule(view: SpokeView, way: Way, edits: Mapping[FieldPath, str]) -> Mapping[str, Any]:
    """Return the fields of a rule that decide how its requests are routed; `edits` are applied."""
    route = way.levels[-2]
    names = [*view.matches(route)]
    rules = as_list(as_mapping(apply_edits(view.object_of(route), edits).get("spec")).get("rules"))
    index = names.index(way.levels[-1].section_name) if way.levels[-1].section_name in names else -1
    rule = as_mapping(rules[index]) if 0 <= index < len(rules) else {}
    return {key: value for key, value in rule.items() if key not in _NOT_ROUTING}


def _list_read(view: SpokeView, way: Way, filters: Json) -> Iterator[Json]:
    """Yield filters up to the first that answers requests: later filters have no effect."""
    for item in as_list(filters):
        yield item
        to = as_mapping(as_mapping(item).get("extensionRef"))
        node = view.nodes.get(_find_object(to, way)) if to else None
        if node is not None and node.answers:
            return


def leave_out_compared(
    before: RuleFilters, after: RuleFilters, earlier: Mapping[Ref, Ref]
) -> tuple[Json, Json]:
    """Return the filters before and after, without changed filters that are reported elsewhere.

    Filters on both sides remain, as their order may matter. On both sides, filters use names after
    the change; `earlier` has the earlier names.
    """
    sides = tuple(
        [(it, view.is_compared_filter(it, way, earlier)) for it in _list_read(view, way, filters)]
        for view, way, filters in (before, after)
    )
    names = [{fingerprint(item) for item, is_compared in side if is_compared} for side in sides]
    only = names[0] ^ names[1]
    if before[1].asks_service is not after[1].asks_service:
        asking = (item for side in sides for item, _ in side if "externalAuth" in item)
        only |= set(map(fingerprint, asking))
    rest = [[item for item, _ in side if fingerprint(item) not in only] for side in sides]
    return rest[0] or ABSENT, rest[1] or ABSENT


def draft_asking(way: Way, cause: Cause) -> Draft:
    """Return a draft for a rule that begins or ceases to ask a service who may call."""
    if way.asks_service:
        message = f"{way.levels[-2]}: a filter asks a service who calls"
        return Draft.on(way, codes.ASKS_MORE, Topic.ACCESS, message, cause)
    message = f"{way.levels[-2]}: no filter asks a service who calls any more"
    cure = "attach what guards the rule"
    return Draft.on(way, codes.ACCESS_REMOVED, Topic.ACCESS, message, cause, cure=cure)
