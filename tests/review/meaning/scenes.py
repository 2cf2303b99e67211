"""Small fleets before and after a change, and what a review says of them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, partial

from msgspec.structs import replace

from spokerender.findings.errors import InputError
from spokerender.findings.results import INFO
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import Project, judge, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.changes.values import TreeDifferences
from spokerender.review.comparison.states import FleetState
from spokerender.review.meaning.causes import CauseSearch, SourceChange
from spokerender.review.meaning.consequences import compare_states
from spokerender.review.reviewing import GuardedChange, make_review
from spokerender.review.values import Consequence, Review, ReviewedState
from tests.support import manifest, rows_of
from tests.support.project import FLEET, PLACEMENT, project, rendered

CLASSES = rows_of(__file__, "classes")
KINDS = rows_of(__file__, "kinds")
SYNC = (
    FLEET
    + "  policiesToSync:\n"
    + "".join(
        f"  - {{group: {version.partition('/')[0]}, kind: {kind}}}\n"
        for kind, version in KINDS.items()
        if kind != "OwnPolicy"
    )
)
OWN_SYNC = SYNC + "  - {group: policies.example.com, kind: OwnPolicy}\n"
"""With a kind that no table has: for each fleet it is looked up in vain among all."""
SPOKES = "  spokes:\n  - {name: eu}\n  - {name: us}\n"
PLACE = (
    PLACEMENT
    + SPOKES
    + """\
  rules:
  - gateways: {names: [infra/web]}
    spokes: {all: true}
"""
)

READ_BACKENDS = rows_of(__file__, "read_backends")
"""What a fleet file has below `SYNC` to ship Backends, which are read or not."""
PROXY_CLASS = manifest(
    "GatewayClass eg",
    "controllerName: gateway.envoyproxy.io/gatewayclass-controller, "
    "parametersRef: {group: gateway.envoyproxy.io, kind: EnvoyProxy, namespace: infra, "
    "name: proxy}",
)
"""A GatewayClass of Envoy Gateway whose Gateways have the settings of an EnvoyProxy."""


def gateway_class(name: str) -> str:
    return manifest(f"GatewayClass {name}", f"controllerName: {CLASSES[name]}")


def gateway(class_name: str, name: str = "web", listeners: str = "") -> str:
    own = listeners or (
        "{name: https, port: 443, protocol: HTTPS, hostname: '*.shop.example', "
        "tls: {certificateRefs: [{name: cert}]}, allowedRoutes: {namespaces: {from: All}}}"
    )
    return manifest(f"Gateway infra/{name}", f"gatewayClassName: {class_name}, listeners: [{own}]")


RULES = (
    "{name: read, matches: [{method: GET}], backendRefs: [{name: app, port: 80}]}, "
    "{name: write, matches: [{method: POST}], backendRefs: [{name: app, port: 80}]}"
)


def route(
    name: str = "cart",
    hosts: str = "a.shop.example",
    rules: str = RULES,
    kind: str = "HTTPRoute",
    parent: str = "web",
) -> str:
    names = f"hostnames: [{hosts}], " if hosts else ""
    return manifest(
        f"{kind} infra/{name}",
        f"parentRefs: [{{name: {parent}}}], {names}rules: [{rules}]",
        api=KINDS[kind],
    )


TARGETS = {
    "gateway": ("gateway.networking.k8s.io", "Gateway", "web", ""),
    "listener": ("gateway.networking.k8s.io", "Gateway", "web", "https"),
    "route": ("gateway.networking.k8s.io", "HTTPRoute", "cart", ""),
    "rule": ("gateway.networking.k8s.io", "HTTPRoute", "cart", "read"),
    "service": ("", "Service", "app", ""),
}
LISTED = (
    "AuthorizationPolicy",
    "RequestAuthentication",
    "BackendTLSPolicy",
    "TrafficPolicy",
    "BackendConfigPolicy",
    "AgentgatewayPolicy",
    "ListenerPolicy",
    "WAFPolicy",
    "WasmPlugin",
    "TrafficExtension",
    "EnvoyFilter",
    "SnippetsPolicy",
)


def policy(kind: str, spec: str, target: str = "route", name: str = "own") -> str:
    """Write a policy; `target` is a place of TARGETS, or `-` for a policy without a target."""
    where = ""
    if target != "-":
        group, target_kind, target_name, section = TARGETS[target]
        own = f", sectionName: {section}" if section else ""
        ref = f"{{group: '{group}', kind: {target_kind}, name: {target_name}{own}}}"
        where = f"  targetRefs: [{ref}]\n" if kind in LISTED else f"  targetRef: {ref}\n"
    lines = "".join(f"  {line}\n" for line in spec.splitlines())
    return (
        f"apiVersion: {KINDS[kind]}\nkind: {kind}\n"
        f"metadata: {{name: {name}, namespace: infra}}\nspec:\n{where}{lines}"
    )


def hub(class_name: str, *documents: str) -> str:
    return "---\n".join((gateway_class(class_name), *documents))


Files = Mapping[str, bytes]
_BEFORE = "before/"
NAMES = ("hub/hub.yaml", "placement.yaml", "fleet.yaml")
Reader = Callable[[Files], Project]
_FILES: dict[int, Files] = {}
"""The files of the states that `state` makes, by their ids: it keeps them."""


@cache
def state(hub_text: str, place: str = PLACE, fleet: str = SYNC, folder: str = "") -> FleetState:
    hub_name, place_name, _ = (f"{folder}{name}" for name in NAMES)
    judged = judge_fleet(rendered({hub_name: hub_text}, {place_name: place}, fleet))
    texts = (text.encode() for text in (hub_text, place, fleet))
    _FILES[id(judged)] = dict(zip(NAMES, texts, strict=True))
    return judged


def judge_fleet(fleet: Rendered) -> FleetState:
    about = ReviewedState("a", len(fleet.bundles))
    return FleetState(fleet, judge(fleet, (), Aspect.POLICIES), about)


def compare(before: FleetState, after: FleetState) -> Review:
    return _review(before, after, compare_states(before, after).consequences)


def _review(before: FleetState, after: FleetState, consequences: Iterable[Consequence]) -> Review:
    guarded = GuardedChange(tuple(consequences))
    return make_review(before, after, TreeDifferences(()), guarded)


def explain(before: FleetState, after: FleetState) -> Review:
    """Such a review with the lines that cause each consequence; `state` made both states."""
    files = _FILES[id(before)], _FILES[id(after)]
    earlier = state(*(files[0][name].decode() for name in NAMES), _BEFORE)
    return explain_files(earlier, after, files, _read)


def explain_files(
    before: FleetState, after: FleetState, files: tuple[Files, Files], read: Reader
) -> Review:
    """Such a review of these files; `read` reads a project that has others after the change."""
    consequences = compare_states(before, after).consequences
    change = SourceChange(files, (_BEFORE.__add__, str), partial(_render, read, files[1]))
    search = CauseSearch(consequences, (before, after), change)
    return _review(before, after, map(search.name_cause, consequences))


def _render(
    read: Reader, files: Files, changed: Files, spokes: Collection[str]
) -> FleetState | None:
    try:
        return judge_fleet(render(replace(read({**files, **changed}), spokes=spokes)))
    except InputError:
        return None


def _read(files: Files) -> Project:
    return project(*(files[name].decode() for name in NAMES))


def loud(review: Review) -> list[Consequence]:
    """The consequences that people are told of."""
    return [item for item in review.consequences if item.severity is not INFO]


def codes_of(found: Iterable[Consequence]) -> set[str]:
    return {item.result.code for item in found}
