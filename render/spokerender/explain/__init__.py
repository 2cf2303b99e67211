"""Explains a rendered fleet: destinations of objects, needs of spokes, effective policies."""

from spokerender.explain.lookup import find_object, find_spoke
from spokerender.explain.objects import explain_object
from spokerender.explain.spokes import explain_spoke, summarize
from spokerender.explain.values import Explanation
from spokerender.rendering.values.rendered import Rendered


def explain_named(rendered: Rendered, ref_text: str = "", spoke: str | None = None) -> Explanation:
    """Return an explanation of an object (`KIND[.GROUP]/[NAMESPACE/]NAME`), a spoke or the fleet.

    Raises `InputError` if `ref_text` matches no object or several, or if the spoke does not exist.
    """
    bundle = find_spoke(rendered, spoke) if spoke is not None else None
    if ref_text:
        manifest = find_object(rendered, ref_text)
        bundles = [bundle] if bundle is not None else rendered.bundles.values()
        return explain_object(rendered, manifest, bundles)
    return explain_spoke(rendered, bundle) if bundle is not None else summarize(rendered)
