"""Finds a renamed Gateway, whose old name is still in references, and joins the findings."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from spokerender.findings.causes import missing, unshipped
from spokerender.findings.codes.hub import MISSING_TARGET
from spokerender.findings.codes.placement import NO_GATEWAY, RENAMED_GATEWAY, UNPLACED_GATEWAY
from spokerender.findings.codes.shipping import OVERRIDE_UNUSED
from spokerender.findings.phrasing import count, did_you_mean, listed
from spokerender.findings.results import Result
from spokerender.model import GATEWAY, Ref
from spokerender.model.refs import ObjectName
from spokerender.rendering.values.placement import Decision
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub

_LISTED = 30


def join_renamed(
    results: Iterable[Result], hub: Hub, topology: Topology, decision: Decision
) -> Iterator[Result]:
    """Yield the findings; those about the old name of a renamed Gateway are joined to one.

    Files do not record renames. A Gateway counts as renamed if nothing places it or refers to it,
    while references name a Gateway that does not exist.
    """
    left = tuple(results)
    names = _find_missing(left, topology, decision)
    for old, new in _pair(names, topology, left).items():
        # Overrides name hub objects as well, so a rename leaves them without a target.
        overrides = {
            (f"{override.field}.target", override.origin)
            for override in decision.overrides
            if override.target.kind == old.kind
            and override.target.name == old.name
            and override.target.namespace in (None, old.namespace)
        }
        direct = [
            result
            for result in left
            if missing(old) in result.causes
            or (result.code == OVERRIDE_UNUSED.code and (result.field, result.origin) in overrides)
        ]
        is_unknown = any(_is_unplaced(r, new) for r in left) and new not in _list_targets(topology)
        if len(direct) > 1 or is_unknown:
            followers = _find_followers(direct, left, new)
            left = (
                _report(old, new, direct, hub),
                *(result for result in left if id(result) not in followers),
            )
    yield from left


def _find_missing(
    results: Iterable[Result], topology: Topology, decision: Decision
) -> dict[Ref, None]:
    """Return the Gateways that errors name and the hub lacks."""
    codes = (MISSING_TARGET.code, NO_GATEWAY.code)
    causes = {cause for result in results if result.code in codes for cause in result.causes}
    # Usually nothing is missing, and then the references are not searched.
    if not causes:
        return {}
    placed = (ref for rule in decision.rules for ref in rule.gateways.names)
    return {
        ref: None
        for ref in sorted({*_list_targets(topology), *placed})
        if (ref.group, ref.kind) == GATEWAY and missing(ref) in causes
    }


def _list_targets(topology: Topology) -> set[Ref]:
    return {link.ref.whole for node in topology.nodes.values() for link in node.attachments}


def _pair(names: Iterable[Ref], topology: Topology, results: Iterable[Result]) -> dict[Ref, Ref]:
    """Return the new Gateway for each of the old `names` that has exactly one candidate."""
    old = list(names)
    if not old:
        return {}
    targets = _list_targets(topology)
    unplaced = {result.resource for result in results if result.code == UNPLACED_GATEWAY.code}
    own = [ref for ref in topology.gateways if ref not in topology.external]
    free = [ref for ref in own if ref in unplaced or ref not in targets]
    pairs: dict[Ref, Ref] = {}
    # From the surest likeness to the vaguest; a paired Gateway is no longer a candidate.
    for is_alike in _LIKENESSES:
        for ref in [ref for ref in old if ref not in pairs]:
            left = [new for new in free if new not in pairs.values()]
            candidates = [new for new in left if is_alike(ref, new, left)]
            rivals = [other for other in old if other not in pairs]
            rivals = [r for r in rivals if any(is_alike(r, new, left) for new in candidates)]
            # With several candidates on either side, it is unknown which one was renamed.
            if len(candidates) == len(rivals) == 1:
                pairs[ref] = candidates[0]
    return pairs


def _has_similar_name(old: Ref, new: Ref, others: Sequence[Ref]) -> bool:
    near = did_you_mean(old.full_name, [ref.full_name for ref in others])
    return f'"{new.full_name}"' in near


_LIKENESSES: tuple[Callable[[Ref, Ref, Sequence[Ref]], bool], ...] = (
    lambda old, new, _: old.name == new.name,
    lambda old, new, _: old.namespace == new.namespace,
    _has_similar_name,
)


def _is_unplaced(result: Result, gateway: Ref) -> bool:
    return result.code == UNPLACED_GATEWAY.code and result.resource == gateway


def _find_followers(direct: Iterable[Result], results: Sequence[Result], new: Ref) -> set[int]:
    """Return the ids of `direct`, and of those `results` that the renaming to `new` causes."""
    followers = {id(result) for result in direct}
    causes = {unshipped(result.resource) for result in direct if result.resource is not None}
    return followers | {
        id(result)
        for result in results
        if _is_unplaced(result, new) or not causes.isdisjoint(result.causes)
    }


def _report(old: Ref, new: Ref, direct: Sequence[Result], hub: Hub) -> Result:
    lines = (
        " ".join(map(str, filter(None, (result.origin, result.resource, result.field))))
        for result in hub.with_lines(direct)
    )
    manifest = next(item for item in hub.manifests if item.ref == new)
    command = (
        f"run spokerender rename {ObjectName.of(old, with_group=False)} {new.name}, or "
        if old.namespace == new.namespace
        else ""
    )
    names = "names" if len(direct) == 1 else "name"
    cure = f'{command}write "{new.full_name}" there, or give the Gateway its old name:\n'
    if old.name == new.name and not manifest.object["metadata"].get("namespace"):
        cure = f"write namespace: {old.namespace} into its metadata, which has none:\n"
    return RENAMED_GATEWAY.result(
        f"{count(len(direct), 'reference')} {names} {old}, which is not in the hub: if this is its "
        "new name, they have the old one",
        cure=cure + listed((f"  {line}" for line in lines), _LISTED, "\n"),
        resource=new,
        field="metadata.name",
        origin=manifest.origin,
        also=tuple(sorted({r.resource for r in direct if r.resource is not None})),
    )
