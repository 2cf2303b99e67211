"""What the tests of metapolicies share: a small hub with one, and definitions of it."""

from collections.abc import Mapping, Sequence
from textwrap import dedent, indent

from msgspec.structs import replace

from spokerender.findings.results import Fault
from spokerender.pipeline import Project, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.metapolicies.config import MetapolicyDocument, load_metapolicies
from spokerender.wings.metapolicies.functions import AuthoredCode, Runner
from spokerender.wings.metapolicies.part import Metapolicies
from tests.support.project import project
from tests.support.stages import CLASS, GATEWAY, SPOKES, fleet, hub, placement, route

RULES = (
    "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {namespace: '{{ spoke.values.ns "
    "}}', hostnames: {'*.shop.example': '*.{{ spoke.values.domain }}'}}}"
)
"""The spokes differ in the namespace and the hostname of the gateway."""

ROUTE = route("cart", "[{name: web, namespace: infra}]", spec="hostnames: [cart.shop.example]")
QUOTA = """\
apiVersion: acme.example/v1
kind: QuotaPolicy
metadata: {name: fair, namespace: shop}
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: HTTPRoute, name: cart}
  perMinute: 3
"""


def definition(
    declarative: str, name: str = "quota", kind: str = "QuotaPolicy", more: str = ""
) -> str:
    """A definition; `declarative` is the YAML below that key, `more` what else is in the spec."""
    return (
        "apiVersion: spokerender.io/v1alpha1\n"
        "kind: MetapolicyDefinition\n"
        f"metadata: {{name: {name}}}\n"
        "spec:\n"
        f"  for: {{group: acme.example, kind: {kind}}}\n"
        f"{indent(dedent(more), '  ')}"
        "  declarative:\n"
        f"{indent(dedent(declarative), '    ')}"
    )


def limits(limit: str = "${spec.perMinute}") -> str:
    """A template that makes a RateLimitPolicy of a QuotaPolicy."""
    return f"""\
    make:
    - reason: "a fair share"
      object:
        apiVersion: kuadrant.io/v1
        kind: RateLimitPolicy
        metadata: {{name: "${{self.metadata.name}}-limits"}}
        spec:
          targetRef: ${{spec.targetRef}}
          limits: {{fair: {{rates: [{{limit: "{limit}", window: 1m}}]}}}}
    """


def defined(
    definitions: str | Mapping[str, str],
    *documents: str,
    overrides: str = "",
    settings: str = "{}",
    rules: str = RULES,
    spokes: str = SPOKES,
) -> Project:
    """A project with definitions; the hub has its class, its gateway and these documents."""
    named = {"quota.yaml": definitions} if isinstance(definitions, str) else definitions
    files = [(path, text.encode()) for path, text in named.items()]
    text = hub(CLASS, GATEWAY, *(documents or (ROUTE, QUOTA)))
    place = placement(rules, spokes=spokes, overrides=overrides)
    return with_definitions(project(text, place, fleet(settings)), load_metapolicies(files))


def with_definitions(
    found: Project,
    documents: Sequence[MetapolicyDocument],
    runners: Mapping[str, Runner] = {},
    code: Mapping[str, AuthoredCode | Fault] = {},
) -> Project:
    """A project with these definitions, and what runs their functions."""
    others = (part for part in found.parts if not isinstance(part, Metapolicies))
    return replace(found, parts=(*others, Metapolicies(documents, (), runners, code)))


def rendered(definitions: str | Mapping[str, str], *documents: str, **more: str) -> Rendered:
    """Such a project, rendered."""
    return render(defined(definitions, *documents, **more))
