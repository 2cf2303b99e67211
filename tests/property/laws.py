"""What the laws share: how hard to try, and what two renderings are compared by."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import HealthCheck, Phase, settings

from spokerender.model import Ref
from spokerender.rendering.values.rendered import Rendered
from tests.property.hubs import Object

law = settings(
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)
"""For laws whose examples are large."""


def hold(laws: Iterable[Callable[[Any], None]], trial: object) -> None:
    """Try each law, and name all that are broken."""
    broken = {}
    for each in laws:
        try:
            each(trial)
        except AssertionError as error:
            broken[each.__name__] = error
    if broken:
        message = f"broken: {', '.join(broken)}"
        raise ExceptionGroup(message, [*broken.values()])


def ref_of(item: Object) -> Ref:
    """The identity of a hub object that was generated."""
    metadata = item["metadata"]
    scoped = item["kind"] != "Namespace"
    namespace = metadata.get("namespace") or "default" if scoped else ""
    return Ref(item["apiVersion"].rpartition("/")[0], item["kind"], namespace, metadata["name"])


def told(found: Rendered) -> Counter[Any]:
    """What the findings say, but for where it is written."""
    return Counter((r.code, r.severity, r.resource, r.field, r.spokes) for r in found.results)


def told_of(found: Rendered, spoke: str) -> set[Any]:
    """What the findings say of one spoke."""
    return {(r.code, r.resource, r.field) for r in found.results if spoke in r.spokes}
