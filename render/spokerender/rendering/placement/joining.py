"""Joins the decisions of a hub's Placements with our own files: spokes, rules and the lock."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import TypeVar

from msgspec.structs import replace

from spokerender.config.documents import raise_results
from spokerender.findings.causes import UNREADABLE_HUB, missing
from spokerender.findings.codes import placement as codes
from spokerender.findings.phrasing import count, did_you_mean, listed
from spokerender.findings.results import Result, Severity
from spokerender.model import Manifest, Origin, Ref, Spoke, grouped, names, shown
from spokerender.model.refs import PLACEMENT_LABEL
from spokerender.model.selectors import LABELLED, SpokeSelector
from spokerender.rendering.placement import asking
from spokerender.rendering.placement.locking import read_lock, refuse_strays, write_lock
from spokerender.rendering.placement.source import LOCK_FILE
from spokerender.rendering.values import decisions
from spokerender.rendering.values.placement import (
    Declarations,
    GatewayChanges,
    Override,
    PlacedSelector,
    PlacementEntry,
    Rule,
)
from spokerender.topology.hub import Hub
from spokerender.topology.places import hub_line

_LABEL = ("metadata", "labels", PLACEMENT_LABEL)
_Entry = TypeVar("_Entry", Rule, Override)


def join_hub(
    declared: Declarations,
    hub: Hub,
    asked: asking.HubSettings | None,
    sources: Iterable[asking.HubSource],
) -> Declarations:
    """Return the declarations, with the decisions of the hub's Placements filled in.

    Spokes that a decision names are added, or joined with declared spokes of the same name; rules
    and overrides get the names of their spokes.

    Raises `InputError` with everything that is wrong with labels, rules, decisions and the lock.
    """
    settings = asked if asked is not None else asking.HubSettings()
    lock, results = _read_lock(settings)
    gateways = {m.ref: m for m in hub.manifests if m.ref.kind == "Gateway"}
    rules, label_results = _follow_labels(declared.rules, gateways)
    results += label_results
    # After labels are followed, as they name Placements, too.
    entries: tuple[PlacementEntry, ...] = (*rules, *declared.overrides)
    used = frozenset({*(one.spokes.placement for one in entries), *settings.also} - {""})
    objects = asking.HubObjects(hub.manifests, settings.honours_liveness)
    own_names = frozenset(spoke.name for spoke in declared.spokes)
    question = asking.HubQuestion(objects, settings, lock, used, own_names)
    answer = _ask(question, sources, results)
    for key in sorted(settings.options.updates - answer.placements.keys() - {decisions.EVERY}):
        cure = did_you_mean(key, answer.placements, "there are") or "name one of the hub"
        message = f'--update-placement: no Placement "{key}"'
        results.append(codes.NO_PLACEMENT.result(message, cure=cure))
    results += (*answer.results, *_tell_empty(answer, used))
    manifest_of = {manifest.ref: manifest for manifest in hub.manifests}
    resolve = partial(_resolve, answer.placements, manifest_of, results)
    rules, overrides = tuple(map(resolve, rules)), tuple(map(resolve, declared.overrides))
    spokes, lock = _join_spokes(declared.spokes, answer, question, results)
    # Not earlier: labels, decisions and the lock may each be wrong.
    raise_results(result for result in results if result.severity is Severity.ERROR)
    inventory = frozenset(
        ref for ref in manifest_of if hub.catalogue.kind(ref.group, ref.kind).is_inventory
    )
    results += _tell_inventory(inventory)
    data = write_lock(lock) if lock.placements or lock.left else None
    return Declarations(
        tuple(sorted(spokes, key=attrgetter("name"))),
        tuple(replace(rule, number=number) for number, rule in enumerate(rules)),
        overrides,
        decisions.HubPlacements(
            answer.placements,
            tuple(results),
            answer.checked,
            (*answer.changes, *_find_changes(answer, question)),
            {LOCK_FILE: data} if data != settings.lock else {},
            inventory,
        ),
    )


def _tell_inventory(refs: Iterable[Ref]) -> Iterator[Result]:
    kinds = grouped((ref.kind, ref) for ref in sorted(refs))
    for kind, objects in kinds.items():
        names, number = listed(ref.full_name for ref in objects), count(len(objects), kind)
        message = f"used for placement only, and shipped to no spoke: {number} ({names})"
        yield codes.INVENTORY.result(message)


def ask_about(
    hub: Hub, asked: asking.HubSettings | None, key: str, sources: Iterable[asking.HubSource]
) -> tuple[asking.HubQuestion, Mapping[str, decisions.DecidedPlacement]]:
    """Return the question for the Placement `key`, and the decisions that the hub made itself.

    The decisions are by the key of their Placement. Raises `InputError`.
    """
    settings = asked if asked is not None else asking.HubSettings()
    lock, results = _read_lock(settings)
    raise_results(results)
    objects = asking.HubObjects(hub.manifests, settings.honours_liveness)
    question = asking.HubQuestion(objects, settings, lock, frozenset({key}))
    answer = _ask(question, sources, [])
    imported = {name: one for name, one in answer.placements.items() if name not in answer.computed}
    return question, imported


def _read_lock(settings: asking.HubSettings) -> tuple[decisions.PlacementLock, list[Result]]:
    if settings.lock is None:
        return decisions.PlacementLock(), []
    lock, results = read_lock(settings.lock_path, settings.lock)
    return lock, list(results)


def _ask(
    question: asking.HubQuestion, sources: Iterable[asking.HubSource], results: list[Result]
) -> asking.HubAnswer:
    """Return the joined answers of all sources with objects on the hub; they are asked in order."""
    there = {(manifest.ref.group, manifest.ref.kind) for manifest in question.objects.manifests}
    answers: list[asking.HubAnswer] = []
    for row in sources:
        if (row.group, row.kind) not in there:
            continue
        answer = row.ask(question)
        if not question.settings.decides_always:
            twice = answer.placements.keys() & question.before.keys() & question.used
            for key in sorted(twice):
                place, other = answer.placements[key].place(), question.before[key].place()
                message = f"{key} is decided twice, also at {other}"
                cure = "keep one of the two"
                results.append(codes.BAD_DECISION.result(message, cure=cure, origin=place))
        # A later source leaves out decisions of earlier sources.
        question = replace(question, before={**question.before, **answer.placements})
        answers.append(answer)
    return asking.HubAnswer(
        question.before,
        {name: cluster for one in answers for name, cluster in one.clusters.items()},
        tuple(result for one in answers for result in one.results),
        tuple(result for one in answers for result in one.checked),
        tuple(change for one in answers for change in one.changes),
        is_timed=any(one.is_timed for one in answers),
        computed=frozenset[str]().union(*(one.computed for one in answers)),
    )


def _find_changes(
    answer: asking.HubAnswer, question: asking.HubQuestion
) -> Iterator[decisions.PlacementChange]:
    """Yield how decisions that the hub made itself differ from the decisions in the lock."""
    for key in sorted(question.lock.placements.keys() & answer.placements.keys() & question.used):
        before, after = {*question.lock.placements[key]}, {*answer.placements[key].clusters}
        # Computed decisions have their own reasons (`wings.hubs.ocm.decided`).
        if key not in answer.computed and before != after:
            comes = tuple((name, "the hub selects it now") for name in sorted(after - before))
            goes = tuple((name, "the hub no longer selects it") for name in sorted(before - after))
            yield decisions.PlacementChange(key, comes, goes, is_forced=False)


def _tell_empty(answer: asking.HubAnswer, used: Iterable[str]) -> Iterator[Result]:
    """Yield a warning for each decision of the hub itself that names no cluster."""
    for key in sorted(answer.placements.keys() & set(used) - answer.computed):
        if not answer.placements[key].clusters:
            message = f"{key}: the decision names no cluster, so its gateways go nowhere"
            cure = "ask its scheduler why, or export the decisions anew"
            yield codes.FEW_CLUSTERS.result(
                message, cure=cure, origin=answer.placements[key].place()
            )


def _follow_labels(
    rules: Iterable[Rule], gateways: Mapping[Ref, Manifest]
) -> tuple[tuple[Rule, ...], list[Result]]:
    """Return the rules, with spokes and further rules from Gateways' labels, and findings."""
    results: list[Result] = []
    followed: list[Rule] = []
    ruled: dict[Ref, Rule] = {}
    for rule in rules:
        selected = [ref for ref in sorted(gateways) if _selects(rule, ref, gateways[ref])]
        ruled.update((ref, rule) for ref in selected)
        if rule.spokes is LABELLED and selected:
            followed += _split_by_label(rule, selected, gateways, results)
        else:
            followed.append(rule)
    for ref, manifest in sorted(gateways.items()):
        key, other = _labelled(manifest), ruled.get(ref)
        if key and other is None:
            followed.append(_implied_rule(ref, key, manifest))
        elif key and other is not None and other.spokes is not LABELLED:
            is_same = other.spokes.placement == key
            results += [] if is_same else [_tell_unfollowed(ref, manifest, other)]
    return tuple(followed), results


def _selects(rule: Rule, ref: Ref, manifest: Manifest) -> bool:
    selector = rule.gateways.selector
    if selector is None:
        return ref in rule.gateways.names
    return selector.matches(manifest.object["metadata"].get("labels") or {})


def _labelled(manifest: Manifest) -> str:
    """Return the key of the Placement that a Gateway's label names; empty without the label."""
    name = (manifest.object["metadata"].get("labels") or {}).get(PLACEMENT_LABEL)
    return f"{manifest.ref.namespace}/{name}" if name else ""


def _split_by_label(
    rule: Rule, selected: Iterable[Ref], gateways: Mapping[Ref, Manifest], results: list[Result]
) -> Iterator[Rule]:
    refs_of = grouped((_labelled(gateways[ref]), ref) for ref in selected)
    for ref in refs_of.pop("", ()):
        message = f"the rule names no spokes, and the Gateway has no label {PLACEMENT_LABEL}"
        cure = "add spokes to the rule, or label the Gateway with the name of its Placement"
        results.append(rule.result(codes.NO_PLACEMENT, message, cure, ref=ref))
    for key, refs in refs_of.items():
        chosen = PlacedSelector(tuple(refs))
        yield replace(rule, gateways=chosen, spokes=SpokeSelector(placement=key))


def _implied_rule(ref: Ref, key: str, manifest: Manifest) -> Rule:
    return Rule(
        0,
        SpokeSelector(placement=key),
        lambda *_: hub_line(manifest, _LABEL),
        shown(_LABEL),
        PlacedSelector((ref,)),
        GatewayChanges(),
    )


def _tell_unfollowed(ref: Ref, manifest: Manifest, rule: Rule) -> Result:
    return codes.LABEL_NOT_FOLLOWED.result(
        f"the label {PLACEMENT_LABEL} is ignored: the rule at {rule.origin} names the spokes",
        cure="remove the label, or the spokes of the rule",
        resource=ref,
        field=shown(_LABEL),
        origin=hub_line(manifest, _LABEL),
    )


def _resolve(
    placements: Mapping[str, decisions.DecidedPlacement],
    manifests: Mapping[Ref, Manifest],
    results: list[Result],
    entry: _Entry,
) -> _Entry:
    """Return a rule or an override with the spokes that its Placement decides."""
    selection = entry.spokes
    if not selection.placement:
        return entry
    placement = placements.get(selection.placement)
    groups = {group.name for group in placement.groups} if placement is not None else set()
    # A group without clusters exists as well.
    groups |= placement.named if placement is not None else set()
    clusters: tuple[str, ...] = ()
    if placement is None:
        if not entry.optional and asking.placement_ref(selection.placement) not in manifests:
            results.append(_refuse_unknown(entry, placements, manifests))
    elif selection.group and selection.group not in groups:
        if not entry.optional:
            message = f'{placement.key} has no decision group "{selection.group}"'
            cure = (
                # The group of all other clusters has no name.
                did_you_mean(selection.group, groups - {""}, "it has")
                or "leave it out: it has none"
            )
            results.append(
                entry.result(codes.NO_PLACEMENT, message, cure, ("spokes", "decisionGroup"))
            )
    else:
        clusters = placement.in_group(selection.group)
    names = tuple(name for name in clusters if name not in selection.but)
    return replace(entry, spokes=replace(selection, names=names, but=()))


def _refuse_unknown(
    entry: Rule | Override,
    placements: Mapping[str, decisions.DecidedPlacement],
    manifests: Mapping[Ref, Manifest],
) -> Result:
    """Return the error for a missing Placement; its line is that of a Gateway's label, if any."""
    key = entry.spokes.placement
    message = f'the hub has no Placement "{key}", and no decision of it'
    cure = (
        did_you_mean(key, placements, "there are") or "add the Placement to the hub, with its sets"
    )
    causes = (missing(asking.placement_ref(key)), UNREADABLE_HUB)
    selected = entry.gateways.names if isinstance(entry, Rule) else ()
    for ref in selected:
        if ref in manifests and _labelled(manifests[ref]) == key:
            origin, field = hub_line(manifests[ref], _LABEL), shown(_LABEL)
            return codes.NO_PLACEMENT.result(
                message, cure=cure, resource=ref, field=field, origin=origin, causes=causes
            )
    return entry.result(codes.NO_PLACEMENT, message, cure, ("spokes", "placement"), causes=causes)


def _join_spokes(
    declared: Iterable[Spoke],
    answer: asking.HubAnswer,
    question: asking.HubQuestion,
    results: list[Result],
) -> tuple[list[Spoke], decisions.PlacementLock]:
    """Return all spokes, and the lock that a build writes."""
    spokes = {spoke.name: spoke for spoke in declared}
    placements = {key: one for key, one in answer.placements.items() if key in question.used}
    decided = {name: one for one in placements.values() for name in one.clusters}
    # By name: findings must not depend on the order of Placements.
    for name, placement in sorted(decided.items()):
        cluster = answer.clusters.get(name)
        if cluster is not None:
            spokes[name] = _join(spokes.get(name), cluster, results)
        else:
            spokes.setdefault(name, Spoke(name, {}, {}, placement.place))
        if fault := names.label_fault(name):
            message = f'the name of the cluster "{name}" cannot be that of a folder: {fault}'
            cure = "give the cluster a name that is a DNS label"
            results.append(codes.BAD_DECISION.result(message, cure=cure, origin=placement.place()))
    old, settings = question.lock, question.settings
    before = {name for clusters in old.placements.values() for name in clusters} | {*old.left}
    left = tuple(sorted(before - spokes.keys() - settings.options.released))
    if settings.folders and settings.lock is not None:
        strays = (name for name in left if name not in settings.folders)
        unknown = [name for name in strays if name not in answer.clusters]
        results += refuse_strays(settings.lock_path, settings.lock, unknown) if unknown else ()
    place = Origin(settings.lock_path)
    spokes.update((name, Spoke(name, {}, {}, lambda: place)) for name in left)
    unused = ((key, answer.placements[key]) for key in answer.computed - question.used)
    others = {key: one.clusters for key, one in unused if one.clusters}
    locked = {key: one.clusters for key, one in placements.items()}
    # A time that no decision depends on would only change the file.
    now = (settings.options.now or old.now) if answer.is_timed else ""
    return list(spokes.values()), decisions.PlacementLock(locked, others, left, now)


def _join(spoke: Spoke | None, cluster: decisions.HubCluster, results: list[Result]) -> Spoke:
    """Return the spoke for a cluster, joined with the spoke of that name in our own files."""
    if spoke is None:
        return Spoke(cluster.name, cluster.labels, {}, cluster.place, claims=cluster.claims)
    for key, value in spoke.labels.items():
        if cluster.labels.get(key, value) != value:
            message = (
                f'the label {key} of "{spoke.name}" is "{value}" here, '
                f'and "{cluster.labels[key]}" at {cluster.place("metadata", "labels", key)}'
            )
            cure = "remove one of the two, or make them equal"
            origin = spoke.place("labels", key)
            results.append(codes.LABEL_TWICE.result(message, cure=cure, origin=origin))
    # Labels that contradict each other are errors, so the order does not count.
    return replace(spoke, labels={**cluster.labels, **spoke.labels}, claims=cluster.claims)
