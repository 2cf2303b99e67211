"""What is in force on each path, rule by rule, each with the line that it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.explain.about import Told, about, by_object
from spokerender.explain.answers import InForce, Question, RuleInForce, RuleNotInForce
from spokerender.explain.lookup import is_route_named
from spokerender.formats.comparing import located
from spokerender.judging.effective import EffectivePolicy, EffectiveRule
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.kinds.credentials import Redactor, credentials
from spokerender.model import FieldPath, Manifest, Origin, Ref
from spokerender.rendering.values.bundles import Bundle, How, Variant, is_shared
from spokerender.rendering.values.provenance import History, hub_line
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology import RequestPath, intersects


def in_force(rendered: Rendered, fleet: JudgedFleet, question: Question) -> tuple[InForce, ...]:
    """Answer for every path asked about; equal answers of several spokes are one."""
    asked = _Asked(rendered, question, by_object((*rendered.results, *fleet.results)))
    for name, judged in fleet.judged.items():
        if question.spoke in ("", name):
            asked.add(name, judged, fleet.bundles[name])
    return tuple(sorted(asked.answers(), key=_order))


def left_out(fleet: JudgedFleet, question: Question) -> tuple[Ref, ...]:
    """The policies that their controller or an API server would not take, as the hub calls them.

    Only `spoke` and `kind` of the question count: where a policy would attach is not known.
    """
    asked = {id(each): each for name, each in fleet.judged.items() if question.spoke in ("", name)}
    left = {
        each.variants[ref].manifest.ref
        for each in asked.values()
        for ref, attachment in each.attachments.items()
        if question.kind in ("", ref.kind) and not attachment.is_accepted
    }
    return tuple(sorted(left))


def _order(answer: InForce) -> tuple[Any, ...]:
    return answer.path.levels[1:], answer.group, answer.kind, answer.spokes


_Key = tuple[str, tuple[tuple[Origin, ...], ...]]


class _Group(Struct, eq=False):
    """An answer, and the spokes that share it."""

    judged: JudgedBlueprint
    bundle: Bundle
    effective: EffectivePolicy
    spokes: list[str] = field(default_factory=list)
    hostnames: dict[str, None] = field(default_factory=dict)


class _Asked:
    """Collects equal answers. An answer without slots is made once for all spokes of its case."""

    def __init__(self, rendered: Rendered, question: Question, results_of: Told) -> None:
        self._told = results_of
        self._rendered = rendered
        self._question = question
        self._groups: dict[_Key, _Group] = {}
        self._keys: dict[int, _Key] = {}
        self._shared: dict[int, tuple[EffectivePolicy, bool]] = {}
        self._lines: dict[tuple[int, FieldPath], Origin] = {}
        self._changes: dict[int, Mapping[FieldPath, Origin]] = {}
        self._redactor = Redactor()
        self._secrets: dict[int, frozenset[str]] = {}

    def add(self, spoke: str, judged: JudgedBlueprint, bundle: Bundle) -> None:
        """Take the answers of one spoke."""
        for effective in judged.effective:
            hostnames = _hostnames(judged, effective.path, bundle)
            shared, is_same = self._without_hostnames(effective)
            own = shared if is_same else bundle.filled(shared)
            if not _is_asked(own, hostnames, self._question):
                continue
            found = _Group(judged, bundle, own)
            group = self._groups.setdefault(self._key(found, is_shared=own is shared), found)
            group.spokes.append(spoke)
            group.hostnames.update(dict.fromkeys(hostnames))

    def answers(self) -> Iterator[InForce]:
        """What was collected."""
        for group in self._groups.values():
            yield InForce(
                path=group.effective.path,
                group=group.effective.group,
                kind=group.effective.kind,
                rules=self._rules(group, group.effective.likely.rules),
                overruled=tuple(
                    RuleNotInForce(
                        item,
                        self._place(group, item.policy, item.field),
                        self._place(group, item.by, item.by_field),
                    )
                    for item in group.effective.likely.overruled
                ),
                others=tuple(self._rules(group, other.rules) for other in group.effective.others),
                hostnames=tuple(group.hostnames),
                spokes=tuple(group.spokes),
                unknown=group.effective.likely.unknown,
                failing=group.effective.likely.failing,
                candidates=self._rules(group, group.effective.likely.candidates),
                results=about(self._told, self._hub_refs(group), group.spokes),
            )

    def _hub_refs(self, group: _Group) -> Iterator[Ref]:
        """The hub's objects that an answer is about."""
        for policy in group.effective.stack:
            yield self._variant(group, policy).manifest.ref
        route = group.effective.path.route
        if route is not None and route in group.judged.variants:
            yield group.judged.variants[route].manifest.ref

    def _without_hostnames(self, effective: EffectivePolicy) -> tuple[EffectivePolicy, bool]:
        """Return the answer without a spoke's own hostnames, and whether all spokes share it."""
        if id(effective) not in self._shared:
            shared = replace(effective, path=replace(effective.path, hostnames=(), beyond=()))
            self._shared[id(effective)] = shared, is_shared(shared)
        return self._shared[id(effective)]

    def _key(self, group: _Group, *, is_shared: bool) -> _Key:
        """What is equal for equal answers: what is in force, and what changed it."""
        known = self._keys.get(id(group.effective)) if is_shared else None
        if known is None:
            outcome = group.effective.likely
            rules = (*outcome.rules, *outcome.candidates)
            changed = tuple(self._changed_by(group, rule) for rule in rules)
            known = repr(group.effective), changed
            if is_shared:
                self._keys[id(group.effective)] = known
        return known

    def _rules(self, group: _Group, rules: Iterable[EffectiveRule]) -> tuple[RuleInForce, ...]:
        return tuple(
            RuleInForce(
                replace(rule, value=self._told_value(group, rule)),
                self._line(self._variant(group, rule.policy).manifest, rule.field),
                self._changed_by(group, rule),
            )
            for rule in rules
        )

    def _told_value(self, group: _Group, rule: EffectiveRule) -> Any:  # noqa: ANN401  (JSON)
        """A rule's value, without the credentials of its policy."""
        variant = self._variant(group, rule.policy)
        if id(variant) not in self._secrets:
            kind = self._rendered.hub.catalogue.kind(rule.policy.group, rule.policy.kind)
            self._secrets[id(variant)] = credentials(kind, variant.object)
        own = frozenset(map(group.bundle.text, self._secrets[id(variant)]))
        return self._redactor.data(rule.value, own)

    def _place(self, group: _Group, policy: Ref, path: FieldPath) -> Origin:
        """Where a policy has a field; where it begins, if no field is meant."""
        manifest = self._variant(group, policy).manifest
        return self._line(manifest, path) if path else manifest.origin

    def _variant(self, group: _Group, policy: Ref) -> Variant:
        """The object of a policy, which may be called by a slot in its case."""
        variants = group.judged.variants
        if policy in variants:
            return variants[policy]
        called = ((group.bundle.ref(ref), variant) for ref, variant in variants.items())
        return next(variant for ref, variant in called if ref == policy)

    def _line(self, manifest: Manifest, path: FieldPath) -> Origin:
        key = (id(manifest), path)
        if key not in self._lines:
            self._lines[key] = hub_line(manifest, path)
        return self._lines[key]

    def _changed_by(self, group: _Group, rule: EffectiveRule) -> tuple[Origin, ...]:
        """The overrides that wrote something in the rule, or the whole of it."""
        variant = self._variant(group, rule.policy)
        if not variant.overrides:
            return ()
        changed = self._changes.get(id(variant))
        if changed is None:
            traced = History(self._rendered, group.bundle, variant).changed()
            data = group.bundle.object_of(variant)
            changed = self._changes[id(variant)] = {
                located(item.path, data): item.source.origin
                for item in traced
                if item.source.how is How.OVERRIDE
            }
        return tuple(sorted({by for path, by in changed.items() if _meets(path, rule.field)}))


def _meets(path: FieldPath, other: FieldPath) -> bool:
    """Whether one of two paths leads to the other."""
    return all(a == b for a, b in zip(path, other, strict=False))


def _hostnames(judged: JudgedBlueprint, path: RequestPath, bundle: Bundle) -> tuple[str, ...]:
    """The hostnames that a path serves on a spoke; none where it takes every one."""
    names = path.hostnames
    if not names:
        declared = judged.topology.nodes.get(path.listener_set or path.gateway)
        names = tuple(
            listener.hostname
            for listener in (declared.listeners if declared is not None else ())
            if listener.name == path.listener and listener.hostname
        )
    return tuple(bundle.text(name) for name in names)


def _is_asked(effective: EffectivePolicy, hostnames: tuple[str, ...], question: Question) -> bool:
    if question.kind.casefold() not in ("", effective.kind.casefold()):
        return False
    route = effective.path.route
    if question.route and (route is None or not is_route_named(route, question.route)):
        return False
    return (
        not question.hostname
        or not hostnames
        or any(intersects(name, question.hostname) for name in hostnames)
    )
