"""Answer which policy is in force on each path, rule by rule, each with its line in the hub."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.explain.lookup import (
    ResultsByObject,
    group_by_object,
    matches_route,
    select_results,
)
from spokerender.explain.serving import HostnameServing
from spokerender.explain.values import EffectiveAnswer, PathQuestion, RuleInForce, RuleNotInForce
from spokerender.formats.comparing import located
from spokerender.judging.effective.outcomes import EffectivePolicy, EffectiveRule
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.kinds.credentials import Redactor, find_credentials
from spokerender.model import FieldPath, Origin, Ref
from spokerender.model.shapes import Json
from spokerender.rendering.values.bundles import Bundle, How, Variant
from spokerender.rendering.values.provenance import History, hub_line
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hostnames import intersects
from spokerender.topology.paths import RequestPath


def in_force(
    rendered: Rendered, fleet: JudgedFleet, question: PathQuestion
) -> tuple[EffectiveAnswer, ...]:
    """Answer for every path that a user asks about; equal answers for several spokes are one."""
    results_of = group_by_object((*rendered.results, *fleet.results))
    answers = _Answers(rendered, question, results_of)
    for name, judged in fleet.judged.items():
        if question.spoke in ("", name):
            answers.add(name, judged, fleet.bundles[name])
    merged = answers.merged()
    return tuple(sorted(merged, key=lambda a: (a.path.levels[1:], a.group, a.kind, a.spokes)))


def left_out(fleet: JudgedFleet, question: PathQuestion) -> tuple[Ref, ...]:
    """Return the policies that their controller or an API server would refuse, by their hub names.

    Only `spoke` and `kind` of the question count: such a policy is on no known path.
    """
    selected = {id(j): j for name, j in fleet.judged.items() if question.spoke in ("", name)}
    refs = {
        judged.variants[ref].manifest.ref
        for judged in selected.values()
        for ref, attachment in judged.judgement.attachments.items()
        if question.kind in ("", ref.kind) and not attachment.is_accepted
    }
    return tuple(sorted(refs))


_Key = tuple[str, tuple[tuple[Origin, ...], ...]]


class _Group(Struct, eq=False):
    """An answer, and the spokes that share it."""

    judged: JudgedBlueprint
    bundle: Bundle
    effective: EffectivePolicy
    spokes: list[str] = field(default_factory=list)
    hostnames: dict[str, None] = field(default_factory=dict)


class _Answers:
    """Answers for one spoke after another; equal ones are merged.

    Spokes that share a blueprint share its judgement. What does not depend on a spoke's own values
    is computed once for all of them: a fleet may have a hundred spokes on each of a hundred paths.
    """

    def __init__(
        self, rendered: Rendered, question: PathQuestion, results_of: ResultsByObject
    ) -> None:
        self._results_of = results_of
        self._rendered = rendered
        self._question = question
        self._groups: dict[_Key, _Group] = {}
        self._keys: dict[int, _Key] = {}
        self._shared: dict[int, tuple[EffectivePolicy, bool]] = {}
        self._line = cache(hub_line)
        self._overrides: dict[int, Mapping[FieldPath, Origin]] = {}
        self._redactor = Redactor()
        self._secrets: dict[int, frozenset[str]] = {}

    def add(self, spoke: str, judged: JudgedBlueprint, bundle: Bundle) -> None:
        """Add the answers of one spoke."""
        hostname = self._question.hostname
        serving = (
            HostnameServing(judged.judgement.topology, hostname, bundle.text)
            if hostname and not hostname.startswith("*")
            else None
        )
        for effective in judged.judgement.effective:
            if serving is not None and not serving.serves(effective.path):
                continue
            hostnames = find_hostnames(judged, effective.path, bundle)
            policy, is_shared = self._with_values(effective, bundle)
            if not _is_selected(policy, hostnames, self._question):
                continue
            answer = _Group(judged, bundle, policy)
            group = self._groups.setdefault(self._key(answer, is_shared=is_shared), answer)
            group.spokes.append(spoke)
            group.hostnames.update(dict.fromkeys(hostnames))

    def merged(self) -> Iterator[EffectiveAnswer]:
        """Yield the answers, each with all spokes that share it."""
        for group in self._groups.values():
            likely = group.effective.likely
            yield EffectiveAnswer(
                path=group.effective.path,
                group=group.effective.group,
                kind=group.effective.kind,
                rules=self._rules(group, likely.rules),
                overruled=tuple(
                    RuleNotInForce(
                        item,
                        self._find_line(group, item.policy, item.field),
                        self._find_line(group, item.by, item.by_field),
                    )
                    for item in likely.overruled
                ),
                others=tuple(self._rules(group, other.rules) for other in group.effective.others),
                hostnames=tuple(group.hostnames),
                spokes=tuple(group.spokes),
                unknown=likely.unknown,
                failing=likely.failing,
                candidates=self._rules(group, likely.candidates),
                results=select_results(self._results_of, self._hub_refs(group), group.spokes),
            )

    def _hub_refs(self, group: _Group) -> Iterator[Ref]:
        """Yield the hub objects that an answer is about."""
        for policy in group.effective.stack:
            yield self._variant(group, policy).manifest.ref
        route = group.effective.path.route
        if route is not None and route in group.judged.variants:
            yield group.judged.variants[route].manifest.ref

    def _with_values(
        self, effective: EffectivePolicy, bundle: Bundle
    ) -> tuple[EffectivePolicy, bool]:
        """Return an answer with a spoke's values, and whether all its spokes have the same.

        The path's hostnames are removed: they differ from spoke to spoke, and are merged.
        """
        if id(effective) not in self._shared:
            shared = replace(effective, path=replace(effective.path, hostnames=(), beyond=()))
            self._shared[id(effective)] = shared, bundle.filled(shared) is shared
        shared, is_shared = self._shared[id(effective)]
        return (shared, True) if is_shared else (bundle.filled(shared), False)

    def _key(self, group: _Group, *, is_shared: bool) -> _Key:
        """Return a key that equal answers share: the rules in force, and what changed them."""
        if is_shared and id(group.effective) in self._keys:
            return self._keys[id(group.effective)]
        outcome = group.effective.likely
        rules = (*outcome.rules, *outcome.candidates)
        key = repr(group.effective), tuple(self._changed_by(group, rule) for rule in rules)
        if is_shared:
            self._keys[id(group.effective)] = key
        return key

    def _rules(self, group: _Group, rules: Iterable[EffectiveRule]) -> tuple[RuleInForce, ...]:
        return tuple(
            RuleInForce(
                replace(rule, value=self._redacted_value(group, rule)),
                self._line(self._variant(group, rule.policy).manifest, rule.field),
                self._changed_by(group, rule),
            )
            for rule in rules
        )

    def _redacted_value(self, group: _Group, rule: EffectiveRule) -> Json:
        """Return a rule's value without the credentials of its policy."""
        variant = self._variant(group, rule.policy)
        if id(variant) not in self._secrets:
            kind = self._rendered.hub.catalogue.kind(rule.policy.group, rule.policy.kind)
            self._secrets[id(variant)] = find_credentials(kind, variant.object)
        secrets = frozenset(map(group.bundle.text, self._secrets[id(variant)]))
        return self._redactor.data(rule.value, secrets)

    def _find_line(self, group: _Group, policy: Ref, path: FieldPath) -> Origin:
        """Return where a policy has a field; its first line without a field."""
        manifest = self._variant(group, policy).manifest
        return self._line(manifest, path) if path else manifest.origin

    def _variant(self, group: _Group, policy: Ref) -> Variant:
        """Return the object of a policy, whose name may depend on the spoke."""
        variants = group.judged.variants
        if policy in variants:
            return variants[policy]
        filled = ((group.bundle.ref(ref), variant) for ref, variant in variants.items())
        return next(variant for ref, variant in filled if ref == policy)

    def _changed_by(self, group: _Group, rule: EffectiveRule) -> tuple[Origin, ...]:
        """Return the overrides that wrote something in the rule, or the whole of it."""
        variant = self._variant(group, rule.policy)
        if not variant.overrides:
            return ()
        overrides = self._overrides.get(id(variant))
        if overrides is None:
            traced = History(self._rendered, group.bundle, variant).changed()
            data = group.bundle.object_of(variant)
            overrides = self._overrides[id(variant)] = {
                located(item.path, data): item.source.origin
                for item in traced
                if item.source.how is How.OVERRIDE
            }
        origins = {
            origin
            for path, origin in overrides.items()
            if all(a == b for a, b in zip(path, rule.field, strict=False))  # one leads to the other
        }
        return tuple(sorted(origins))


def find_hostnames(judged: JudgedBlueprint, path: RequestPath, bundle: Bundle) -> tuple[str, ...]:
    """Return the hostnames that a path serves on a spoke; none where it serves every one."""
    names = path.hostnames
    if not names:
        node = judged.judgement.topology.nodes.get(path.listener_set or path.gateway)
        names = tuple(
            listener.hostname
            for listener in (node.listeners if node is not None else ())
            if listener.name == path.listener and listener.hostname
        )
    return tuple(bundle.text(name) for name in names)


def _is_selected(
    effective: EffectivePolicy, hostnames: tuple[str, ...], question: PathQuestion
) -> bool:
    if question.kind.casefold() not in ("", effective.kind.casefold()):
        return False
    route = effective.path.route
    if question.route and (route is None or not matches_route(route, question.route)):
        return False
    return (
        not question.hostname
        or not hostnames
        or any(intersects(name, question.hostname) for name in hostnames)
    )
