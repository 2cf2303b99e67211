"""A CRD with a rule, policies of its kind, and judgements of small fleets."""

from spokerender.findings.results import INFO
from spokerender.judging.fleet.judged import Aspect, JudgedFleet
from spokerender.pipeline import judge
from spokerender.rendering.values.rendered import Rendered
from tests.support import stages
from tests.support.crds import crd

CRD = crd(
    """\
type: object
properties:
  targetRef:
    type: object
    x-kubernetes-preserve-unknown-fields: true
  weight: {type: integer, maximum: 100}
  geo: {type: string, enum: [EU, US]}
""",
    "DNSPolicy",
    labels={"gateway.networking.k8s.io/policy": "direct"},
)
WEB = (
    stages.CLASS,
    stages.gateway(
        "web",
        listeners='[{name: http, hostname: "*.shop.example", port: 80, protocol: HTTP, '
        "allowedRoutes: {namespaces: {from: All}}}]",
    ),
    stages.route("cart", "[{name: web, namespace: infra}]", spec="rules: [{name: all}]"),
)


def dns(spec: str = "weight: 1", name: str = "dns", target: str = "web") -> str:
    """A DNSPolicy on a Gateway."""
    return stages.auth(name, f"kind: Gateway, name: {target}", kind="DNSPolicy", spec=spec)


def policies_of(found: Rendered) -> JudgedFleet:
    """JudgedBlueprint without validation."""
    return judge(found, (), Aspect.POLICIES)


def about(judged_fleet: JudgedFleet, *kinds: str) -> list[str]:
    """The warnings and errors about objects of these kinds, one a line, without cures."""
    return [
        f"{result.severity} {result.code} {result.resource} {result.field}: {result.message} "
        f"[{' '.join(result.spokes)}] ({result.origin})"
        for result in judged_fleet.results
        if result.severity is not INFO
        and result.resource is not None
        and result.resource.kind in kinds
    ]
