"""Finding what a command's arguments name, in the words of kubectl users."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.codes.arguments import (
    AMBIGUOUS,
    BAD_NAME,
    UNKNOWN_OBJECT,
    UNKNOWN_POLICY_KIND,
    UNKNOWN_ROUTE,
    UNKNOWN_SPOKE,
)
from spokerender.findings.errors import InputError
from spokerender.findings.results import FindingKind
from spokerender.findings.suggest import did_you_mean
from spokerender.model import Manifest, ObjectName, Ref
from spokerender.model.object_names import FORM
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hub import Hub

_ROUTE_FORM = "[KIND/][NAMESPACE/]NAME"


def find_object(rendered: Rendered, text: str) -> Manifest:
    """Find the hub object that `KIND[.GROUP]/[NAMESPACE/]NAME` names.

    With `WORKSPACE|` before it the copy of what a consumer calls so.
    The kind may be in any case, or the plural. What no hub object is called is looked for
    among the spokes' objects, so that a file of the output can be asked about as well.

    Raises:
        InputError: there is none, or there are several.

    """
    if "|" in text:
        return _find_copy(rendered, text)
    name = ObjectName.read(text)
    if name is None or name.spoke:
        cure = "write it as AuthPolicy/shop/checkout, say"
        raise _refused(BAD_NAME, f'"{text}" is no {FORM}', cure)
    hub = rendered.hub
    matches = [m for m in hub.manifests if _is_named(m.ref, hub, name)]
    if not matches:
        objects = _spoke_objects(rendered).items()
        matches = list(dict.fromkeys(m for ref, m in objects if _is_named(ref, hub, name)))
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(sorted(str(ObjectName.of(manifest.ref)) for manifest in matches))
        raise _refused(AMBIGUOUS, f'"{text}" names {len(matches)} objects: {names}', "name one")
    alike = [_named_alike(manifest.ref, name) for manifest in hub.manifests]
    cure = did_you_mean(text, alike, "the hub has") or "put it into the hub"
    raise _refused(UNKNOWN_OBJECT, f'no "{text}" in the hub, nor on any spoke', cure)


def _find_copy(rendered: Rendered, text: str) -> Manifest:
    """Find the copy of a workspace's object, as `WORKSPACE|KIND[.GROUP]/[NAMESPACE/]NAME` names it.

    Raises:
        InputError: it has none.

    """
    workspace, _, rest = text.partition("|")
    name = ObjectName.read(rest)
    if name is None or name.spoke:
        cure = "write it as team-a|AuthPolicy/shop/checkout, say"
        raise _refused(BAD_NAME, f'"{text}" is no WORKSPACE|{FORM}', cure)
    copies = [c for c in rendered.contribution.copies.values() if c.workspace == workspace]
    matches = [c.manifest for c in copies if _is_named(c.source.ref, rendered.hub, name)]
    if len(matches) == 1:
        return matches[0]
    names = [f"{workspace}|{_named_alike(copy.source.ref, name)}" for copy in copies]
    if matches:
        raise _refused(AMBIGUOUS, f'"{text}" names {len(matches)} objects', "write its group")
    cure = did_you_mean(text, names, "there are copies of") or "build --verbose says why"
    raise _refused(UNKNOWN_OBJECT, f'"{text}" has no copy', cure)


def find_spoke(rendered: Rendered, name: str) -> Bundle:
    """Find a spoke's bundle.

    Raises:
        InputError: there is no such spoke.

    """
    if name in rendered.bundles:
        return rendered.bundles[name]
    cure = did_you_mean(name, rendered.bundles, "declared are") or "declare it in the placement"
    raise _refused(UNKNOWN_SPOKE, f'no spoke "{name}" is declared', cure)


def find_routes(rendered: Rendered, text: str) -> tuple[Ref, ...]:
    """Find the routes that `[KIND/][NAMESPACE/]NAME` names: the hub's, else the spokes'.

    Raises:
        InputError: there is none.

    """
    if not all(text.split("/")):
        cure = "write it as HTTPRoute/shop/checkout, say"
        raise _refused(BAD_NAME, f'"{text}" is no {_ROUTE_FORM}', cure)
    routes = sorted(ref for ref, item in rendered.topology.nodes.items() if item.is_route)
    matches = tuple(ref for ref in routes if is_route_named(ref, text))
    if not matches:
        routes = sorted({*routes, *_spoke_routes(rendered)})
        matches = tuple(ref for ref in routes if is_route_named(ref, text))
    if not matches:
        names = dict.fromkeys(_route_like(ref, text) for ref in routes)
        cure = did_you_mean(text, names, "the routes are") or "put a route into the hub"
        raise _refused(UNKNOWN_ROUTE, f'no route "{text}" in the hub, nor on any spoke', cure)
    return matches


def is_route_named(ref: Ref, text: str) -> bool:
    """Whether a route is `[KIND/][NAMESPACE/]NAME`, the kind in any case."""
    *before, name = text.split("/")
    if name != ref.name:
        return False
    match before:
        case []:
            return True
        case [place]:
            return place == ref.namespace or place.casefold() == ref.kind.casefold()
        case [kind, namespace]:
            return (kind.casefold(), namespace) == (ref.kind.casefold(), ref.namespace)
    return False


def find_policy_kind(rendered: Rendered, text: str) -> str:
    """Find a kind of policy by its name in any case: one of the hub's, or one that is known.

    Raises:
        InputError: there is none.

    """
    catalogue = rendered.hub.catalogue
    in_hub = {(ref.group, ref.kind) for ref in rendered.topology.nodes}
    identities = in_hub | catalogue.all_kinds().keys()
    kinds = [catalogue.kind(*identity) for identity in sorted(identities)]
    names = {kind.kind.casefold(): kind.kind for kind in kinds if kind.is_policy}
    if text.casefold() not in names:
        here = {ref.kind for ref in rendered.topology.nodes} & set(names.values())
        near = did_you_mean(text, names.values()) or did_you_mean(text, here, "the hub has")
        cure = near or "put a policy into the hub"
        raise _refused(UNKNOWN_POLICY_KIND, f'no kind of policy is called "{text}"', cure)
    return names[text.casefold()]


def _is_named(ref: Ref, hub: Hub, name: ObjectName) -> bool:
    """Whether a user may mean the object: by the plural too, and without the namespace."""
    kind = hub.catalogue.kind(ref.group, ref.kind)
    if name.kind.casefold() == kind.plural:
        name = replace(name, kind=kind.kind)
    return replace(name, namespace=name.namespace or ref.namespace).names(ref)


def _spoke_objects(rendered: Rendered) -> dict[Ref, Manifest]:
    """Every identity that some spoke has, with the first hub object that it was."""
    objects: dict[Ref, Manifest] = {}
    for bundle in rendered.bundles.values():
        for variant in bundle.blueprint.variants:
            objects.setdefault(bundle.ref(variant.ref), variant.manifest)
    return objects


def _spoke_routes(rendered: Rendered) -> Iterator[Ref]:
    for bundle in rendered.bundles.values():
        for variant in bundle.blueprint.variants:
            if variant.node.is_route:
                yield bundle.ref(variant.ref)


def _named_alike(ref: Ref, name: ObjectName) -> str:
    """The object's name with as many parts as the user wrote, so that the two can be near."""
    like = ObjectName.of(ref, with_group=name.group is not None)
    return str(like if name.namespace else replace(like, namespace=""))


def _route_like(ref: Ref, text: str) -> str:
    """The route's name with as many parts as the user wrote."""
    return "/".join((ref.kind, ref.namespace, ref.name)[-(text.count("/") + 1) :])


def _refused(rule: FindingKind, message: str, cure: str) -> InputError:
    return InputError((rule.result(message, cure=cure),))
