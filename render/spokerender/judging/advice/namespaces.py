"""Labels of namespaces that no file tells: what hangs on them is only taken to be so."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import SpokeView
from spokerender.model import Ref
from spokerender.model.selectors import LabelSelector
from spokerender.topology import Node, parents_of


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each route, at the first listener that admits it by such labels."""
    for ref, route in sorted(view.topology.nodes.items()):
        if route.is_route and (asked := _asked(view, route)):
            yield _told(view, ref, *asked)


def _asked(view: SpokeView, route: Node) -> tuple[Ref, str, LabelSelector] | None:
    """The listener that a route may or may not be admitted by, and the labels it selects by."""
    labels = view.hub_topology.labels_of_namespace(route.ref.namespace)
    for parent, link in parents_of(view.topology, route):
        for listener in parent.listeners:
            is_meant = not link.sections or listener.name in link.sections
            if is_meant and listener.routes.is_open_question(labels):
                return parent.ref, listener.name, listener.routes.selector
    return None


def _told(
    view: SpokeView, route: Ref, parent: Ref, listener: str, selector: LabelSelector
) -> Result:
    namespace = route.namespace
    labels = ", ".join(f"{key}: {value}" for key, value in selector.labels)
    wanted = labels if labels and not selector.expressions else "KEY: VALUE"
    told = view.result(
        codes.UNKNOWN_NAMESPACE,
        route,
        f"listener {listener} of {parent} admits namespaces with the labels {selector}, and those "
        f"of {namespace} are not known: taken to be admitted",
        f"say what it has: `namespaces: {{{namespace}: {{{wanted}}}}}` under spec of the "
        "placement, or under a spoke where they differ; or add the Namespace to the hub",
    )
    return replace(told, causes=("labels of namespaces that no file tells",))
