"""What a check looks at: references beside what they were, and the listeners they mean."""

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.reference import Reference
from spokerender.model import GATEWAY_API, Manifest, Origin, PlacedGateway, Ref
from spokerender.rendering.checks.context import SpokeContext
from spokerender.topology.admission import find_named_listeners
from spokerender.topology.graph import Topology
from tests.support import cases, rows_of
from tests.support.stages import gateway, graph, node_of, route

LISTENERS = "[{name: a, port: 80}, {name: b, port: 80}, {name: c, port: 81}, {name: declared}]"


def parent(text: str) -> Reference:
    """The one parent reference of a route."""
    return node_of(route("cart", f"[{{name: web, namespace: infra{text}}}]")).attachments[0]


@cases(*rows_of(__file__, "the_listeners_that_a_reference_means"))
def test_the_listeners_that_a_reference_means(reference: str, meant: list[str]) -> None:
    web = node_of(gateway("web", listeners=LISTENERS))
    assert [listener.name for listener in find_named_listeners(web, parent(reference))] == meant


def test_links_are_paired_with_what_they_were_though_entries_were_dropped() -> None:
    hub = graph(
        gateway("away"),
        gateway("web"),
        route(
            "cart",
            "[{name: away, namespace: infra}, {name: web, namespace: infra}, {name: stranger}]",
        ),
    )
    on_spoke = node_of(route("cart", "[{name: own, namespace: edge}, {name: stranger}]"))
    web = Ref(GATEWAY_API, "Gateway", "infra", "web")
    context = SpokeContext(
        shipped=(on_spoke,),
        spoke=Topology([on_spoke]),
        hub=hub,
        placed=(PlacedGateway(web, Ref(GATEWAY_API, "Gateway", "edge", "own"), 0),),
        sources={on_spoke.ref: Manifest.read(on_spoke.ref, {}, Origin("hub/a.yaml"))},
        own_classes=frozenset(),
        origins={},
        catalogue=Catalogue.of([]),
        retargeted={},
    )
    pairs = [(now.ref.name, before.ref.name) for now, before in context.links(on_spoke)]
    assert pairs == [("own", "web"), ("stranger", "stranger")]
