"""Finds the objects that a command's arguments name, and the findings about an object."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from spokerender.findings.codes import project as codes
from spokerender.findings.errors import InputError
from spokerender.findings.occurrences import without_repeats
from spokerender.findings.phrasing import did_you_mean, listed
from spokerender.findings.results import FindingKind, Result, Severity
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet
from spokerender.kinds.table import group_rows
from spokerender.model import Manifest, ObjectName, Ref, grouped
from spokerender.model.refs import FORM, GATEWAY_API
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hub import Hub
from spokerender.topology.node import PARENTS

_ROUTE_FORM = "[KIND/][NAMESPACE/]NAME"


class ObjectFindings:
    """Errors and warnings by the hub object that they are about."""

    def __init__(self, rendered: Iterable[Result], judged: Sequence[Result]) -> None:
        """Index the findings of rendering and of the judge, in their order."""
        self._of: dict[Ref, list[tuple[Result, frozenset[str]]]] = {}
        for result in (*without_repeats(rendered, judged), *judged):
            if result.resource is not None and result.severity is not Severity.INFO:
                # A set, since findings are asked for each status of a large fleet.
                entry = result, frozenset(result.spokes)
                for ref in dict.fromkeys((result.resource, *result.also)):
                    self._of.setdefault(ref, []).append(entry)

    def about(self, ref: Ref) -> Iterator[Result]:
        """Yield the findings about an object."""
        yield from (result for result, _ in self._of.get(ref, ()))

    def select(self, refs: Iterable[Ref], spokes: Collection[str]) -> tuple[Result, ...]:
        """Return the findings about `refs`; of findings about spokes, only those about `spokes`."""
        entries = (entry for ref in dict.fromkeys(refs) for entry in self._of.get(ref, ()))
        return tuple(
            result
            for result, concerned in entries
            if not concerned or not concerned.isdisjoint(spokes)
        )


def list_bundles(fleet: JudgedFleet, spoke: str = "") -> list[Bundle]:
    """Return the judged spokes, or only the named spoke."""
    return [fleet.bundles[name] for name in fleet.judged if spoke in ("", name)]


def group_by_blueprint(
    fleet: JudgedFleet, spoke: str = ""
) -> tuple[tuple[JudgedBlueprint, tuple[Bundle, ...]], ...]:
    """Return each judged blueprint with its spokes, or with only the named spoke."""
    bundles_of = grouped((fleet.judged[b.spoke.name], b) for b in list_bundles(fleet, spoke))
    return tuple((judged, tuple(bundles)) for judged, bundles in bundles_of.items())


def find_object(rendered: Rendered, text: str) -> Manifest:
    """Return the hub object that `KIND[.GROUP]/[NAMESPACE/]NAME` names.

    A text that begins with `WORKSPACE|` names the copy of an object from that workspace (kcp). The
    kind may be in any case, or the plural. If no hub object has the name, objects of spokes are
    searched as well, so that users can ask about a file of the output.

    Raises `InputError` if no object has the name, or several do.
    """
    # No other name has a bar in it, as no API server takes one.
    if "|" in text:
        return _find_copy(rendered, text)
    name = ObjectName.read(text)
    # `@SPOKE` belongs to acknowledgements; here `--spoke` selects.
    if name is None or name.spoke:
        cure = "write it like AuthPolicy/shop/checkout"
        raise _input_error(codes.BAD_NAME, f'"{text}" is not of the form {FORM}', cure)
    hub = rendered.hub
    matches = [m for m in hub.manifests if _matches_name(m.ref, hub, name)]
    if not matches:
        objects = _spoke_objects(rendered).items()
        manifests = (item.manifest for ref, item in objects if _matches_name(ref, hub, name))
        # Variants of many spokes come from one object.
        matches = list(dict.fromkeys(manifests))
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(sorted(str(ObjectName.of(manifest.ref)) for manifest in matches))
        message = f'"{text}" matches {len(matches)} objects: {names}'
        raise _input_error(codes.AMBIGUOUS, message, "name one of them in full")
    of_any_kind = [
        str(ObjectName.of(m.ref, with_group=False))
        for m in hub.manifests
        if m.ref.full_name == text
    ]
    names_alike = [_shorten_name(manifest.ref, name) for manifest in hub.manifests]
    cure = did_you_mean(text, names_alike, "the hub has") or "add it to the hub"
    # The user left out the kind, so a similar name would mislead.
    if of_any_kind:
        cure = f"put its kind first: {listed(sorted(of_any_kind))}"
    raise _input_error(codes.UNKNOWN_OBJECT, f'no "{text}" in the hub or on any spoke', cure)


def _find_copy(rendered: Rendered, text: str) -> Manifest:
    """Return the hub's copy of the object that `WORKSPACE|KIND[.GROUP]/[NAMESPACE/]NAME` names."""
    workspace, _, rest = text.partition("|")
    name = ObjectName.read(rest)
    if name is None or name.spoke:
        cure = "write it like team-a|AuthPolicy/shop/checkout"
        raise _input_error(codes.BAD_NAME, f'"{text}" is not of the form WORKSPACE|{FORM}', cure)
    copies = [c for c in rendered.contribution.copies.values() if c.workspace == workspace]
    matches = [c.manifest for c in copies if _matches_name(c.source.ref, rendered.hub, name)]
    if len(matches) == 1:
        return matches[0]
    names = [f"{workspace}|{_shorten_name(copy.source.ref, name)}" for copy in copies]
    if matches:
        message = f'"{text}" matches {len(matches)} objects'
        raise _input_error(codes.AMBIGUOUS, message, "name its group, too")
    cure = did_you_mean(text, names, "there are copies of") or "build --verbose says why"
    raise _input_error(codes.UNKNOWN_OBJECT, f'"{text}" has no copy', cure)


def find_spoke(rendered: Rendered, name: str) -> Bundle:
    """Return a spoke's bundle. Raises `InputError`."""
    if name in rendered.bundles:
        return rendered.bundles[name]
    cure = did_you_mean(name, rendered.bundles, "declared are") or "declare it in the placement"
    # A Placement of the hub may be what leaves the cluster out.
    if deciding := [rule for rule in rendered.decision.rules if rule.spokes.placement]:
        key = deciding[0].spokes.placement
        cure += f"; `explain placement {key}` shows why a cluster of the hub is none"
    raise _input_error(codes.UNKNOWN_SPOKE, f'no spoke "{name}" is declared', cure)


def find_routes(rendered: Rendered, text: str) -> tuple[Ref, ...]:
    """Return the routes that `[KIND/][NAMESPACE/]NAME` names: the hub's, or else the spokes'.

    Raises `InputError` if no route has the name.
    """
    if not all(text.split("/")):
        cure = "write it like HTTPRoute/shop/checkout"
        raise _input_error(codes.BAD_NAME, f'"{text}" is not of the form {_ROUTE_FORM}', cure)
    routes = sorted(ref for ref, item in rendered.topology.nodes.items() if item.is_route)
    matches = tuple(ref for ref in routes if matches_route(ref, text))
    if not matches:
        # Only if the hub has none: the names on all spokes have to be filled in.
        on_spokes = {ref for ref, item in _spoke_objects(rendered).items() if item.node.is_route}
        routes = sorted({*routes, *on_spokes})
        matches = tuple(ref for ref in routes if matches_route(ref, text))
    if not matches:
        parts = text.count("/") + 1  # as many as the user wrote, to suggest the nearest
        names = dict.fromkeys("/".join((r.kind, r.namespace, r.name)[-parts:]) for r in routes)
        cure = did_you_mean(text, names, "the routes are") or "add a route to the hub"
        raise _input_error(
            codes.UNKNOWN_ROUTE, f'no route "{text}" in the hub or on any spoke', cure
        )
    return matches


def matches_route(ref: Ref, text: str) -> bool:
    """Return whether `[KIND/][NAMESPACE/]NAME` names a route; the kind may be in any case."""
    *before, name = text.split("/")
    if name != ref.name:
        return False
    match before:
        case []:
            return True
        case [place]:
            # Two parts may be a kind or a namespace.
            return place == ref.namespace or place.casefold() == ref.kind.casefold()
        case [kind, namespace]:
            return (kind.casefold(), namespace) == (ref.kind.casefold(), ref.namespace)
    return False


def find_policy_kind(rendered: Rendered, text: str) -> str:
    """Return a kind of policy by its name in any case, from the hub or the table of kinds.

    Raises `InputError` if no kind of policy has the name.
    """
    catalogue = rendered.hub.catalogue
    in_hub = {(ref.group, ref.kind) for ref in rendered.topology.nodes}
    identities = in_hub | catalogue.all_kinds().keys()
    kinds = [catalogue.kind(*identity) for identity in sorted(identities)]
    names = {kind.kind.casefold(): kind.kind for kind in kinds if kind.is_policy}
    if text.casefold() not in names:
        hub_kinds = {ref.kind for ref in rendered.topology.nodes} & set(names.values())
        hint = did_you_mean(text, names.values()) or did_you_mean(text, hub_kinds, "the hub has")
        cure = hint or "add a policy to the hub"
        raise _input_error(codes.UNKNOWN_POLICY_KIND, f'no kind of policy is called "{text}"', cure)
    return names[text.casefold()]


def find_kind(rendered: Rendered, text: str) -> str:
    """Return a kind with a status: a policy, a route, a Gateway or a ListenerSet; in any case.

    Raises `InputError` if no such kind has the name.
    """
    rows = group_rows(GATEWAY_API).values()
    kinds = {row.kind for row in rows if row.is_route} | {kind for _, kind in PARENTS}
    named = {kind.casefold(): kind for kind in kinds}
    return named.get(text.casefold()) or find_policy_kind(rendered, text)


def _matches_name(ref: Ref, hub: Hub, name: ObjectName) -> bool:
    """Return whether `name` means the object; the plural is allowed, the namespace optional."""
    kind = hub.catalogue.kind(ref.group, ref.kind)
    # As kubectl takes `httproutes/cart`.
    if name.kind.casefold() == kind.plural:
        name = replace(name, kind=kind.kind)
    return replace(name, namespace=name.namespace or ref.namespace).names(ref)


def _spoke_objects(rendered: Rendered) -> dict[Ref, Variant]:
    """Return the objects of all spokes by identity, each with the first variant that has it."""
    objects: dict[Ref, Variant] = {}
    for bundle in rendered.bundles.values():
        for variant in bundle.blueprint.variants:
            objects.setdefault(bundle.ref(variant.ref), variant)
    return objects


def _shorten_name(ref: Ref, name: ObjectName) -> str:
    """Return the object's name with as many parts as the user wrote, for a suggestion."""
    short = ObjectName.of(ref, with_group=name.group is not None)
    return str(short if name.namespace else replace(short, namespace=""))


def _input_error(kind: FindingKind, message: str, cure: str) -> InputError:
    return InputError((kind.result(message, cure=cure),))
