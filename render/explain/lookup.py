"""Finding what a command's arguments name, in the words of kubectl users."""

from __future__ import annotations

from render import slots
from render.bundles import Bundle
from render.codes.arguments import AMBIGUOUS, BAD_NAME, UNKNOWN_OBJECT, UNKNOWN_SPOKE
from render.errors import InputError
from render.hub import Hub
from render.model import Manifest, Ref
from render.pipeline import Rendered
from render.results import Rule
from render.suggest import did_you_mean

_FORM = "KIND[.GROUP]/[NAMESPACE/]NAME"


def find_object(rendered: Rendered, text: str) -> Manifest:
    """Find the hub object that `KIND[.GROUP]/[NAMESPACE/]NAME` names.

    The kind may be in any case, or the plural. What no hub object is called is looked for
    among the spokes' objects, so that a file of the output can be asked about as well.

    Raises:
        InputError: there is none, or there are several.

    """
    word, *place = text.split("/")
    if not word or len(place) not in {1, 2} or not all(place):
        cure = "write it as AuthPolicy/shop/checkout, say"
        raise _refused(BAD_NAME, f'"{text}" is no {_FORM}', cure)
    hub = rendered.hub
    found = [m for m in hub.manifests if _is_named(m.ref, hub, word, place)]
    found = found or [
        manifest
        for ref, manifest in _spoke_objects(rendered).items()
        if _is_named(ref, hub, word, place)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(sorted(_full_name(manifest.ref) for manifest in found))
        raise _refused(AMBIGUOUS, f'"{text}" names {len(found)} objects: {names}', "name one")
    known = [_named_alike(manifest.ref, word, place) for manifest in hub.manifests]
    cure = did_you_mean(text, known, "the hub has") or "put it into the hub"
    raise _refused(UNKNOWN_OBJECT, f'no "{text}" in the hub, nor on any spoke', cure)


def find_spoke(rendered: Rendered, name: str) -> Bundle:
    """Find a spoke's bundle.

    Raises:
        InputError: there is no such spoke.

    """
    if name in rendered.bundles:
        return rendered.bundles[name]
    cure = did_you_mean(name, rendered.bundles, "declared are") or "declare it in the placement"
    raise _refused(UNKNOWN_SPOKE, f'no spoke "{name}" is declared', cure)


def _is_named(ref: Ref, hub: Hub, word: str, place: list[str]) -> bool:
    name, _, group = word.casefold().partition(".")
    kind = hub.catalogue.kind(ref.group, ref.kind)
    return (
        name in {kind.kind.casefold(), kind.plural}
        and group in {"", ref.group}
        and place in ([ref.name], [ref.namespace, ref.name])
    )


def _spoke_objects(rendered: Rendered) -> dict[Ref, Manifest]:
    """Every identity that some spoke has, with the first hub object that it was."""
    found: dict[Ref, Manifest] = {}
    for bundle in rendered.bundles.values():
        for variant in bundle.case.variants:
            found.setdefault(filled(variant.ref, bundle), variant.manifest)
    return found


def filled(ref: Ref, bundle: Bundle) -> Ref:
    """Put a spoke's values into an identity."""
    namespace, name = (slots.fill_text(text, bundle.values) for text in (ref.namespace, ref.name))
    return Ref(ref.group, ref.kind, str(namespace), str(name))


def _full_name(ref: Ref) -> str:
    kind = f"{ref.kind}.{ref.group}" if ref.group else ref.kind
    return "/".join(part for part in (kind, ref.namespace, ref.name) if part)


def _named_alike(ref: Ref, word: str, place: list[str]) -> str:
    """The object's name with as many parts as the user wrote, so that the two can be near."""
    kind = f"{ref.kind}.{ref.group}" if "." in word else ref.kind
    return "/".join([kind, *([ref.namespace, ref.name][-len(place) :])])


def _refused(rule: Rule, message: str, cure: str) -> InputError:
    return InputError((rule.result(message, cure=cure),))
