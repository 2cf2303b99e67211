"""One spoke: what it gets and what it needs; and the whole fleet in numbers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from spokerender.explain.model import FleetSummary, ShippedObject, SpokeExplanation, SpokeSummary
from spokerender.explain.objects import placing
from spokerender.explain.paths import path_of, rendered_namespaces
from spokerender.explain.requirements import Required, Requirements, requirements
from spokerender.model import Ref
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.rendered import Rendered


def explain_spoke(rendered: Rendered, bundle: Bundle) -> SpokeExplanation:
    """Tell what a spoke gets, as what and where in its tree, and what it needs besides."""
    spoke = bundle.spoke
    files = rendered.tree.files(spoke.name)
    shipped = (_shipped(variant, bundle, files) for variant in bundle.blueprint.variants)
    return SpokeExplanation(
        spoke=spoke.name,
        origin=spoke.origin,
        placings=tuple(placing(rendered, place, bundle) for place in bundle.blueprint.placed),
        objects=tuple(sorted(shipped, key=lambda item: item.ref)),
        requirements=_requirements(rendered, bundle, files),
        results=tuple(result for result in rendered.results if spoke.name in result.spokes),
    )


def _shipped(variant: Variant, bundle: Bundle, files: Mapping[str, bytes]) -> ShippedObject:
    """An object of the spoke; one that a stage made has there the only name that it has."""
    hub, ref = (bundle.ref(ref) for ref in (variant.manifest.ref, variant.ref))
    return ShippedObject(hub, ref, path_of(ref, files))


def summarize(rendered: Rendered) -> FleetSummary:
    """Tell the fleet in numbers."""
    blueprints = dict.fromkeys(bundle.blueprint for bundle in rendered.bundles.values())
    shipped = {id(variant.manifest) for blueprint in blueprints for variant in blueprint.variants}
    left = [
        (index, manifest.ref)
        for index, manifest in enumerate(rendered.hub.manifests)
        if id(manifest) not in shipped
    ]
    reasons = {
        ref: "; ".join(dict.fromkeys(blueprint.outcomes[index].reason for blueprint in blueprints))
        for index, ref in left
    }
    return FleetSummary(
        spokes=tuple(_summary(bundle) for bundle in rendered.bundles.values()),
        hub_objects=len(rendered.hub.manifests),
        not_shipped=tuple(reasons.items()),
    )


def _summary(bundle: Bundle) -> SpokeSummary:
    variants = bundle.blueprint.variants
    return SpokeSummary(
        spoke=bundle.spoke.name,
        gateways=len(bundle.blueprint.placed),
        objects=len(variants),
        overridden=sum(bool(variant.overrides) for variant in variants),
    )


def _requirements(rendered: Rendered, bundle: Bundle, files: Mapping[str, bytes]) -> Requirements:
    objects = [
        (bundle.ref(variant.ref), bundle.object_of(variant))
        for variant in bundle.blueprint.variants
    ]
    placed = bundle.filled(bundle.blueprint.placed)
    used = {ref.namespace for ref, _ in objects if ref.namespace}
    needed = requirements(
        objects,
        placed,
        rendered.hub.catalogue,
        rendered_namespaces=rendered_namespaces(used, files),
    )
    related = _related_secrets(rendered, bundle)
    known = {required.ref for required in related if required.ref.name}
    others = (required for required in needed.objects if required.ref not in known)
    return replace(needed, objects=(*others, *related))


def _related_secrets(rendered: Rendered, bundle: Bundle) -> tuple[Required, ...]:
    """The Secrets that follow copies of the spoke, with their names in the workspaces."""
    shipped = {
        variant.manifest.ref: bundle.ref(variant.ref) for variant in bundle.blueprint.variants
    }
    users: dict[tuple[Ref, str], list[Ref]] = {}
    for secret in rendered.contribution.secrets:
        if secret.copy in shipped:
            users.setdefault((secret.ref, secret.note), []).append(shipped[secret.copy])
    return tuple(
        Required(ref, "", note, tuple(sorted(by))) for (ref, note), by in sorted(users.items())
    )
