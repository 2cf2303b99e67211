"""Near misses of an object that a spoke does not get: the smallest edits that might bring it.

They are candidates: the caller renders the project with an edit before it shows the edit.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from msgspec import Struct

from spokerender.findings.phrasing import did_you_mean, joined
from spokerender.formats.yamlio.emit import scalar
from spokerender.kinds.reference import Reference
from spokerender.model import GATEWAY, Manifest, Origin, Ref, Spoke, shown
from spokerender.model.refs import FieldPath
from spokerender.model.selectors import Expression, SpokeSelector
from spokerender.model.shapes import Json
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.placement import Rule
from spokerender.rendering.values.rendered import Rendered

_MOST_LABELS = 3
"""A rule that lacks more labels is no near miss."""
# Exists asks for no certain value.
_ANY_VALUE = "true"
_ENOUGH = 8


class HubEdit(Struct, frozen=True):
    """A new value for a field of a hub document; with an empty path, a new document in its file."""

    origin: Origin
    path: FieldPath
    value: Json


class NearMiss(Struct, frozen=True, rename={"words": "if", "settings": "set"}):
    """A condition under which a spoke would get an object, and the edits that fulfil it.

    `settings` are paths with values, as `explain --set` takes them; `edits` are edits of the hub.
    """

    words: str
    settings: tuple[str, ...] = ()
    edits: tuple[HubEdit, ...] = ()

    def joined(self, other: "NearMiss") -> "NearMiss":
        """Return one near miss with the settings and edits of this near miss and of `other`."""
        return NearMiss(
            f"{self.words}, and {other.words}",
            (*self.settings, *other.settings),
            (*self.edits, *other.edits),
        )


class Unattached(Struct, frozen=True, rename={"route": "resourceRef", "near_misses": "nearMisses"}):
    """Spokes where a route (the object, or one between it and a Gateway) attaches to no listener.

    `reason` and `message` are those of `Accepted` for the route's first parent. `near_misses` are
    edits that would attach the route on the first of these spokes.
    """

    spokes: tuple[str, ...]
    route: Ref
    reason: str
    message: str
    near_misses: tuple[NearMiss, ...] = ()


class Unpermitted(
    Struct, frozen=True, rename={"referrer": "resourceRef", "near_misses": "nearMisses"}
):
    """Spokes where an object refers to another namespace without a ReferenceGrant.

    `referrer` and `referent` are hub objects; `near_misses` are edits for the first spoke.
    """

    spokes: tuple[str, ...]
    referrer: Ref
    referent: Ref
    field: str
    near_misses: tuple[NearMiss, ...] = ()


def find_near_misses(rendered: Rendered, manifest: Manifest, bundle: Bundle) -> list[NearMiss]:
    """Return edits that might bring an object to a spoke, the smallest first."""
    topology, ref = rendered.topology, manifest.ref
    if ref not in topology.nodes:
        return []
    placed = {place.hub for place in bundle.blueprint.placed}
    gateways = topology.ships_with(ref)
    by_kind = [*_list_kinds(rendered, ref, gateways)]
    # The Gateway is there, so only the kind can be missing.
    if gateways & placed:
        misses = by_kind
    else:
        placing = _place_gateways(rendered, sorted(gateways), bundle.spoke)
        misses = [*(placing if gateways else _name_others(rendered, ref))]
        # Both are needed: a placed Gateway does not bring a kind that is not listed.
        misses = [a.joined(b) for a, b in product(misses, by_kind)] if by_kind else misses
    # Each is tried by a render, so few must do.
    return sorted(misses, key=lambda miss: len(miss.settings) + len(miss.edits))[:_ENOUGH]


def _list_kinds(rendered: Rendered, ref: Ref, gateways: Iterable[Ref]) -> Iterator[NearMiss]:
    """Yield an edit that syncs the kinds of the object and its parents, if some are not synced."""
    # Gateways ship because rules place them, and not because their kind is listed.
    unlisted = [
        kind
        for kind in dict.fromkeys((item.group, item.kind) for item in list_way_up(rendered, ref))
        if kind != GATEWAY and not _is_listed(rendered, kind, gateways)
    ]
    if unlisted:
        yield NearMiss(
            joined(f"fleet.yaml listed the kind {kind}" for _, kind in unlisted),
            tuple(
                f"fleet.policiesToSync.+={{group: {scalar(group)}, kind: {kind}}}"
                for group, kind in unlisted
            ),
        )


def _is_listed(rendered: Rendered, kind: tuple[str, str], gateways: Iterable[Ref]) -> bool:
    nodes = rendered.topology.nodes
    classes = [nodes[gateway].gateway_class for gateway in gateways if gateway in nodes]
    if not classes:
        # Without a Gateway there is no class whose list could be asked.
        return kind in rendered.sync.listed_anywhere
    return any(kind in rendered.sync.kinds(name) for name in classes)


def list_way_up(rendered: Rendered, ref: Ref) -> Iterator[Ref]:
    """Yield the object and all objects that it needs to reach a Gateway, the nearest first."""
    topology = rendered.topology
    seen, ahead = {ref}, [ref]
    for one in ahead:  # grows while it is walked
        yield one
        node = topology.nodes.get(one)
        for link in node.attachments if node is not None else ():
            more = [target for target in topology.targets(link) if target not in seen]
            # References may form a ring.
            seen.update(more)
            ahead += more


def _place_gateways(
    rendered: Rendered, gateways: Iterable[Ref], spoke: Spoke
) -> Iterator[NearMiss]:
    """Yield edits that make a rule place one of the Gateways on the spoke."""
    decision = rendered.decision
    for rule in decision.rules:
        for gateway in gateways:
            if gateway in decision.gateways_of_rule[rule.number]:
                yield from _select_spoke(rule, gateway, spoke)


def _select_spoke(rule: Rule, gateway: Ref, spoke: Spoke) -> Iterator[NearMiss]:
    selection, place = rule.spokes, f"{gateway}, which {rule.origin} places"
    field = rule.field.removeprefix("spec.").replace("[", ".").replace("]", "")  # as --set takes it
    # A list of names takes precedence over labels in a rule, so labels would not help.
    if selection.names is not None:
        yield NearMiss(
            f"the rule at {rule.origin}, which places {gateway}, named {spoke.name}",
            (f"{field}.spokes.names.+={spoke.name}",),
        )
        return
    labels = _lacking(selection, spoke.labels)
    if labels is None or len(labels) > _MOST_LABELS:
        return
    changes = [
        f"label {key}={value}" if value is not None else f"no label {key}"
        for key, value in labels.items()
    ]
    settings = [
        f"spokes.{_step(spoke.name)}.labels.{_step(key)}="
        f"{'null' if value is None else scalar(value)}"
        for key, value in labels.items()
    ]
    words = [f"{spoke.name} had {joined(changes)} (for {place})"] if changes else []
    if spoke.name in selection.but:
        others = [scalar(name) for name in selection.but if name != spoke.name]
        settings.append(f"{field}.spokes.except=[{', '.join(others)}]")
        words.append(f"the rule at {rule.origin} did not except {spoke.name}")
    if settings:
        yield NearMiss(" and ".join(words), tuple(settings))


def _step(text: str) -> str:
    # Dots part the steps of a path of --set.
    return text.replace(".", "\\.")


def _lacking(selection: SpokeSelector, labels: Mapping[str, str]) -> dict[str, str | None] | None:
    """Return the labels to set on a spoke (value None: to remove), or None if none would help."""
    needed: dict[str, str | None] = {
        key: value for key, value in selection.selector.labels if labels.get(key) != value
    }
    for expression in selection.selector.expressions:
        # Tried with the labels already needed, since one label may fulfil several expressions.
        if expression.holds({**labels, **{k: v for k, v in needed.items() if v is not None}}):
            continue
        value = _wanted_value(expression)
        if not expression.key or value == "":
            return None
        needed[expression.key] = value
    meant = {key: value for key, value in {**labels, **needed}.items() if value is not None}
    # Expressions may contradict each other; then no labels help.
    return needed if selection.selector.matches(meant) else None


def _wanted_value(expression: Expression) -> str | None:
    match expression.operator:
        case "In":
            return expression.values[0] if expression.values else ""
        case "Exists":
            return _ANY_VALUE
    return None


def _name_others(rendered: Rendered, ref: Ref) -> Iterator[NearMiss]:
    """Yield edits that correct dangling references on the path from the object to a Gateway."""
    manifests = {item.ref: item for item in rendered.hub.manifests}
    nodes = rendered.topology.nodes
    for one in list_way_up(rendered, ref):
        node = nodes.get(one)
        for link in node.attachments if node is not None else ():
            if link.selector is not None or link.ref.whole in nodes or link.name_path is None:
                continue
            nearest = _find_nearest(link, nodes)
            # An object of a stage has no line of the hub to edit.
            if nearest is not None and one in manifests:
                yield _rename_target(manifests[one], link, nearest)


def _find_nearest(link: Reference, nodes: Iterable[Ref]) -> Ref | None:
    """Return an object of the reference's kind and namespace with a similar name, or None."""
    alike = {
        ref.name: ref
        for ref in nodes
        if (ref.group, ref.kind, ref.namespace)
        == (link.ref.group, link.ref.kind, link.ref.namespace)
    }
    return next((alike[n] for n in sorted(alike) if did_you_mean(link.ref.name, [n])), None)


def _rename_target(manifest: Manifest, link: Reference, nearest: Ref) -> NearMiss:
    path = link.name_path or ()
    where = (
        f"{manifest.ref} named {nearest} in {shown(path)}, not {link.ref.name}, which is not there"
    )
    return NearMiss(where, (), (HubEdit(manifest.origin, path, nearest.name),))
