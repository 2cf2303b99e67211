"""Which fields of the generated kinds name something, by their documentation; no table of kinds."""

from collections.abc import Iterator

from spokerender.model import GATEWAY_API, Ref
from tests.property.hubs import GATEWAY_NAME, Object

LISTS, SINGLES = ("parentRefs", "targetRefs"), ("parentRef", "gatewayRef", "targetRef")


def entries(item: Object) -> Iterator[tuple[str, Object]]:
    """Every entry that names something by name, with its field."""
    spec = item.get("spec") or {}
    for key in LISTS:
        for index, entry in enumerate(spec.get(key, [])):
            yield f"spec.{key}[{index}]", entry
    for key in SINGLES:
        if key in spec:
            yield f"spec.{key}", spec[key]
    if gateway := labelled(item):
        yield "spec.selector.matchLabels", {"name": gateway}


def labelled(item: Object) -> str | None:
    """The Gateway that the object finds by the label on what was made for it."""
    selector = (item.get("spec") or {}).get("selector", {})
    name: str | None = selector.get("matchLabels", {}).get(GATEWAY_NAME)
    return name


def named(item: Object, entry: Object) -> Ref:
    """What an entry of an object names."""
    group, kind = entry.get("group", GATEWAY_API), entry.get("kind", "Gateway")
    return Ref(group, kind, entry.get("namespace", item["metadata"]["namespace"]), entry["name"])
