"""Explains one spoke (its objects and further needs), or sums up the whole fleet."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from spokerender.explain import values
from spokerender.explain.objects import path_in_folder, placing
from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.references import read_references
from spokerender.model import NAMESPACE, PlacedGateway, Ref, grouped
from spokerender.rendering.values import layout
from spokerender.rendering.values.bundles import Bundle, Outcome
from spokerender.rendering.values.rendered import Rendered

NeedKey = tuple[Ref, str, str]
"""A need: the identity of an object (or an empty name), a selector, and a note."""
SpokeObject = tuple[Ref, Mapping[str, Any]]
"""An object of a spoke's tree with its identity there."""


def explain_spoke(rendered: Rendered, bundle: Bundle) -> values.SpokeExplanation:
    """Return the objects of a spoke, their files, and the objects that it must have besides."""
    spoke = bundle.spoke
    files = rendered.tree.files(spoke.name)
    # An object that a stage made is not in the hub, and only has its name on the spoke.
    names = (
        (bundle.ref(variant.manifest.ref), bundle.ref(variant.ref))
        for variant in bundle.blueprint.variants
    )
    shipped = (values.ShippedObject(hub, ref, path_in_folder(ref, files)) for hub, ref in names)
    return values.SpokeExplanation(
        spoke=spoke.name,
        origin=spoke.origin,
        placings=tuple(placing(rendered, place, bundle) for place in bundle.blueprint.placed),
        objects=tuple(sorted(shipped, key=lambda item: item.ref)),
        requirements=_spoke_requirements(rendered, bundle, files),
        results=tuple(result for result in rendered.results if spoke.name in result.spokes),
    )


def summarize(rendered: Rendered) -> values.FleetSummary:
    """Return the numbers of objects by spoke, and the hub objects that no spoke gets."""
    blueprints = dict.fromkeys(bundle.blueprint for bundle in rendered.bundles.values())
    # By identity: a made object may have the reference of one of the hub.
    shipped = {id(variant.manifest) for blueprint in blueprints for variant in blueprint.variants}
    reasons = {
        manifest.ref: _join_reasons([item.outcomes[index] for item in blueprints])
        for index, manifest in enumerate(rendered.hub.manifests)
        if id(manifest) not in shipped
    }
    return values.FleetSummary(
        hub_objects=len(rendered.hub.manifests),
        spokes=tuple(
            values.SpokeSummary(
                spoke=bundle.spoke.name,
                gateways=sum(place.is_gateway for place in bundle.blueprint.placed),
                objects=len(bundle.blueprint.variants),
                overridden=sum(bool(variant.overrides) for variant in bundle.blueprint.variants),
            )
            for bundle in rendered.bundles.values()
        ),
        not_shipped=tuple(values.UnshippedObject(ref, reason) for ref, reason in reasons.items()),
    )


def _join_reasons(outcomes: Sequence[Outcome]) -> str:
    """Return why no spoke gets an object; if stages or overrides removed it, only their reasons."""
    removed = [outcome for outcome in outcomes if outcome.is_removed]
    return "; ".join(dict.fromkeys(outcome.reason for outcome in removed or outcomes))


def list_requirements(
    objects: Iterable[SpokeObject],
    placed: Iterable[PlacedGateway],
    catalogue: Catalogue,
    *,
    rendered_namespaces: Iterable[str] = (),
) -> values.Requirements:
    """Return the objects that a spoke must have for its rendered objects.

    `placed` are the spoke's Gateways, with its own values.
    """
    # What the tree has itself is no need, whoever names it.
    rendered = dict(objects)
    users: dict[tuple[Ref, str, str], set[Ref]] = {}
    for ref, data in rendered.items():
        for need in read_object_needs(ref, data, catalogue, rendered):
            users.setdefault(need, set()).add(ref)
    existing = grouped((place.ref, place) for place in placed if place.existing)
    required = tuple(
        values.Required(*need, tuple(sorted(refs)))
        for need, refs in sorted(users.items())
        if need[0] not in rendered and need[0] not in existing
    )
    gateways = tuple(
        values.RequiredGateway(
            ref,
            tuple(dict.fromkeys(name for place in places for name in place.listener_names)),
            tuple(sorted(users.get((ref, "", ""), ()))),
            {key: text for place in places for key, text in place.labels},
        )
        for ref, places in sorted(existing.items())
    )
    # The needed objects need their namespaces, too.
    refs = [*rendered, *existing, *(item.ref for item in required)]
    namespaces = {ref.namespace for ref in refs if ref.namespace} - set(rendered_namespaces)
    return values.Requirements(tuple(sorted(namespaces)), gateways, required)


def _spoke_requirements(
    rendered: Rendered, bundle: Bundle, files: Mapping[str, bytes]
) -> values.Requirements:
    objects = [
        (bundle.ref(variant.ref), bundle.object_of(variant))
        for variant in bundle.blueprint.variants
    ]
    requirements = list_requirements(
        objects,
        bundle.filled(bundle.blueprint.placed),
        rendered.hub.catalogue,
        rendered_namespaces=_rendered_namespaces({ref.namespace for ref, _ in objects}, files),
    )
    # Secrets that follow copies are known by more than their names.
    secrets = list_related_secrets(rendered, bundle)
    related = {secret.ref for secret in secrets if secret.ref.name}
    # A Secret of a workspace is told once, with its name there.
    others = (item for item in requirements.objects if item.ref not in related)
    return replace(requirements, objects=(*others, *secrets))


def _rendered_namespaces(used: set[str], files: Mapping[str, bytes]) -> set[str]:
    """Return the `used` namespaces whose objects are in a spoke's files (`namespaces: create`)."""
    # With one file for all, paths don't tell which namespaces are in it.
    if layout.ALL_IN_ONE in files:
        documents, _ = yamlio.read(files[layout.ALL_IN_ONE], layout.ALL_IN_ONE)
        return {
            document.value["metadata"]["name"]
            for document in documents
            if document.value["kind"] == "Namespace"
        }
    names = used - {""}
    return {name for name in names if layout.path_of(Ref(*NAMESPACE, "", name)) in files}


def list_related_secrets(rendered: Rendered, bundle: Bundle) -> tuple[values.Required, ...]:
    """Return the Secrets, as named in their workspaces (kcp), that copies on a spoke need."""
    shipped = {
        variant.manifest.ref: bundle.ref(variant.ref) for variant in bundle.blueprint.variants
    }
    users: dict[NeedKey, list[Ref]] = {}
    for secret in rendered.contribution.secrets:
        if secret.copy in shipped:
            need = (secret.ref, secret.selector, secret.note)
            users.setdefault(need, []).append(shipped[secret.copy])
    return tuple(
        values.Required(*need, tuple(sorted(refs))) for need, refs in sorted(users.items())
    )


def read_object_needs(
    ref: Ref, data: Mapping[str, Any], catalogue: Catalogue, present: Container[Ref] = ()
) -> Iterator[NeedKey]:
    """Yield the needs of the object `ref`: identity, selector and note of each needed object.

    If a need may be met by either of two kinds, an object in `present` decides.
    """
    kind = catalogue.kind(ref.group, ref.kind)
    for need in read_requirements(kind, data, ref.namespace):
        note = need.row.elsewhere or (f"or {need.otherwise}" if need.otherwise else "")
        if need.otherwise and need.otherwise in present:
            yield need.otherwise, "", ""
        else:
            yield need.ref.whole, str(need.selector or ""), note
    for link in read_references(kind, data, ref.namespace):
        if link.row.role.ships and link.selector is None:
            yield link.ref.whole, "", ""
