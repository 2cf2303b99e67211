"""A hub with one gateway that moves, and one object that names it."""

from typing import Any

from spokerender.kinds.table import find_row
from tests.support import manifest
from tests.support.stages import CLASS, GATEWAY, everywhere, objects, render, values

RENAMED = "{name: edge}"
MOVED = "{namespace: gw}"
BOTH = "{name: edge, namespace: gw}"


def listing(*texts: str) -> str:
    """A fleet that syncs the kinds of these documents."""
    found = [values(text)[0] for text in texts]
    entries = [f"{{group: {d['apiVersion'].rpartition('/')[0]}, kind: {d['kind']}}}" for d in found]
    return f"policiesToSync: [{', '.join(entries)}]"


def made(text: str, as_: str = BOTH, **expected: str) -> dict[str, Any]:
    """The one object that a hub object becomes where `infra/web` is placed as `as_`."""
    rules = everywhere(as_)
    open_web = GATEWAY.replace("spec:\n", "spec:\n  allowedListeners: {namespaces: {from: All}}\n")
    found = render([CLASS, open_web, text], rules, settings=listing(text))
    errors = [result.code for result in found.results if result.severity == "error"]
    assert errors == ([expected["error"]] if expected else [])
    items = [item for name, item in objects(found).items() if not name.startswith("Gateway")]
    assert len(items) == 1
    return dict(items[0])


def namespace(item: dict[str, Any]) -> str:
    return str(item["metadata"]["namespace"])


def policy(group: str, kind: str, targets: str, place: str = "infra") -> str:
    row = find_row(group, kind)
    version = row.versions[0] if row is not None and row.versions else "v1"
    return manifest(f"{kind} {place}/p", targets, api=f"{group}/{version}")


GW = "group: gateway.networking.k8s.io, kind: Gateway"
