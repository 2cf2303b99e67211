"""What the tests of the stages share: a small hub, and short questions to a rendered fleet."""

from collections.abc import Iterable, Sequence
from textwrap import dedent, indent
from typing import Any

from spokerender.findings.results import Result, Severity
from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.graph import Topology
from spokerender.topology.node import Node
from spokerender.topology.precedence import NO_AGES, Ages
from spokerender.topology.reading import read_node
from tests.support import manifest, text_of
from tests.support.project import FLEET, PLACEMENT, rendered

CLASS = text_of(__file__, "class.yaml")
"""A class whose parameters list one kind of every sort; gateways become `istio` on spokes."""

GATEWAY = text_of(__file__, "stages_gateway.yaml")

SPOKES = """\
- {name: eu, labels: {region: eu}, values: {domain: eu.example, ns: edge-eu}}
- {name: us, labels: {region: us}, values: {domain: us.example, ns: edge-us}}
"""

EVERYWHERE = "- {gateways: {names: [infra/web]}, spokes: {all: true}}\n"
ON_WEB = "[{name: web, namespace: infra}]"


def everywhere(as_: str, mode: str = "create") -> str:
    """The rule that places `infra/web` on every spoke as this."""
    return EVERYWHERE.replace("}}", f"}}, mode: {mode}, as: {as_}}}")


def gateway(name: str, namespace: str = "infra", **extra: str) -> str:
    """A Gateway of the class `hub`; `metadata` and `spec` are more of their YAML flow text."""
    spec = _more("gatewayClassName: hub", f"listeners: {extra.get('listeners', HTTP)}", **extra)
    return manifest(f"Gateway {namespace}/{name}", spec, metadata=extra.get("metadata", ""))


HTTP = "[{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]"


def route(name: str, parents: str = ON_WEB, namespace: str = "shop", **extra: str) -> str:
    """An HTTPRoute on `infra/web`, or `parents`: the YAML flow text of its `parentRefs`."""
    return manifest(f"HTTPRoute {namespace}/{name}", _more(f"parentRefs: {parents}", **extra))


def auth(name: str, target: str, namespace: str = "infra", **extra: str) -> str:
    """A policy of Kuadrant's, an AuthPolicy if nothing else is said; `target` is its targetRef."""
    spec = _more(f"targetRef: {{group: gateway.networking.k8s.io, {target}}}", **extra)
    of = f"{extra.get('kind', 'AuthPolicy')} {namespace}/{name}"
    return manifest(of, spec, api="kuadrant.io/v1", metadata=extra.get("metadata", ""))


def _more(*entries: str, spec: str = "", **_: str) -> str:
    return ", ".join(filter(None, (*entries, spec)))


def hub(*documents: str) -> str:
    """Documents in one file."""
    return "---\n".join(dedent(document) for document in documents)


def placement(rules: str = EVERYWHERE, *, spokes: str = SPOKES, overrides: str = "") -> str:
    """A placement file from the entries of its lists."""
    return PLACEMENT + "".join(
        f"  {section}:\n{indent(dedent(entries).rstrip(), '  ')}\n"
        for section, entries in (("spokes", spokes), ("rules", rules), ("overrides", overrides))
        if entries
    )


def fleet(spec: str) -> str:
    """A fleet.yaml with this `spec`."""
    return FLEET + indent(dedent(spec), "  ")


def render(
    documents: Sequence[str] | str,
    rules: str = EVERYWHERE,
    *,
    spokes: str = SPOKES,
    overrides: str = "",
    settings: str = "",
) -> Rendered:
    """Render hub documents with the entries of a placement's lists and a fleet's `spec`."""
    text = documents if isinstance(documents, str) else hub(*documents)
    return rendered(
        text,
        placement(rules, spokes=spokes, overrides=overrides),
        fleet(settings) if settings else None,
    )


def values(text: str) -> list[Any]:
    """The documents of a YAML text that has nothing wrong with it."""
    documents, problems = yamlio.read(dedent(text).encode(), "expected.yaml")
    assert problems == ()
    return [document.value for document in documents]


def node_of(text: str) -> Node:
    """What the graph knows of an object."""
    return _node(values(text)[0])


def graph(*documents: str, namespaces: Topology | None = None, ages: Ages = NO_AGES) -> Topology:
    """The graph of hub documents."""
    return Topology((_node(data) for data in values(hub(*documents))), namespaces, ages)


def _node(data: dict[str, Any]) -> Node:
    group = data["apiVersion"].rpartition("/")[0]
    metadata = data["metadata"]
    ref = Ref(group, data["kind"], metadata.get("namespace", ""), metadata["name"])
    return read_node(ref, data, Catalogue.of([]))


def objects(found: Rendered, spoke: str = "eu") -> dict[str, Any]:
    """The objects of a spoke before they are written, by their references' texts, in order."""
    bundle = found.bundles[spoke]
    made = [bundle.object_of(variant) for variant in bundle.blueprint.variants]
    return {_name(item): item for item in made}


def _name(item: dict[str, Any]) -> str:
    metadata = item["metadata"]
    place = f"{metadata['namespace']}/" if "namespace" in metadata else ""
    return f"{item['kind']} {place}{metadata['name']}"


def told(results: Iterable[Result], *codes: str) -> list[str]:
    """Results, each on one line: `code resource field: message (cure) [spokes]`.

    With `codes` only those; without, all but the infos.
    """
    return [
        _line(result)
        for result in results
        if (result.code in codes if codes else result.severity is not Severity.INFO)
    ]


def _line(result: Result) -> str:
    place = " ".join(str(part) for part in (result.code, result.resource, result.field) if part)
    cure = f" ({result.cure})" if result.cure else ""
    spokes = f" [{' '.join(result.spokes)}]" if result.spokes else ""
    return f"{place}: {result.message}{cure}{spokes}"
