"""Cases of real controllers, from their short form to objects of a cluster, and back to words.

tests/data/README.md describes the form.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from spokerender.judging.attachment.statuses import Attachment, Truth
from spokerender.judging.cluster import Cluster, ClusterObject, Knowledge
from spokerender.judging.effective.outcomes import EffectivePolicy, PolicyOutcome
from spokerender.judging.judge import judge_cluster
from spokerender.judging.judgement import Judgement
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind, Role, Targetless
from spokerender.kinds.table import all_rows
from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.reading import read_node

TABLE = tuple(all_rows().values())

NAMESPACE = "ns"
CLASS = "GatewayClass/class"
ON = "true"
"""What Kubernetes' YAML makes of the key `on`."""
Json = dict[str, Any]

CLASSES = {
    "agentgateway": "agentgateway.dev/agentgateway",
    "apisix": "apisix.apache.org/apisix-ingress-controller",
    "aws-load-balancer": "gateway.k8s.aws/alb",
    "aws-vpc-lattice": "application-networking.k8s.aws/gateway-api-controller",
    "azure-alb": "alb.networking.azure.io/alb-controller",
    "envoy-gateway": "gateway.envoyproxy.io/gatewayclass-controller",
    "gloo": "solo.io/gloo-gateway",
    "istio": "istio.io/gateway-controller",
    "kgateway": "kgateway.dev/kgateway",
    "kuadrant": "istio.io/gateway-controller",
    "linkerd": "istio.io/gateway-controller",
    "nginx-gateway-fabric": "gateway.nginx.org/nginx-gateway-controller",
}
GROUPS = {
    "agentgateway": ("agentgateway.dev",),
    "apisix": ("apisix.apache.org",),
    "aws-load-balancer": ("gateway.k8s.aws",),
    "aws-vpc-lattice": ("application-networking.k8s.aws",),
    "azure-alb": ("alb.networking.azure.io",),
    "envoy-gateway": ("gateway.envoyproxy.io", GATEWAY_API),
    "gloo": ("gateway.solo.io",),
    "istio": ("security", "telemetry", "extensions", "networking"),
    "kgateway": ("gateway.kgateway.dev",),
    "kuadrant": ("kuadrant.io", "extensions.kuadrant.io"),
    "linkerd": ("policy.linkerd.io",),
    "nginx-gateway-fabric": ("gateway.nginx.org", GATEWAY_API),
}
TARGETS = {"Service": "", "Server": "policy.linkerd.io"}
"""Groups of the kinds of target that are none of the Gateway API's."""


def cluster(case: Mapping[str, Any]) -> tuple[Cluster, Knowledge]:
    """The cluster of a case, with its objects' ages."""
    catalogue = Catalogue.of([])
    data = list(_objects(case))
    refs = [_ref(item) for item in data]
    objects = tuple(
        ClusterObject(ref, item, read_node(ref, item, catalogue))
        for ref, item in zip(refs, data, strict=True)
    )
    ages = {
        _ref(policy(case, entry)): entry["age"]
        for entry in case["given"]["policies"]
        if "age" in entry
    }
    return Cluster(objects), Knowledge(catalogue, ages=ages)


def judged(case: Mapping[str, Any]) -> Judgement:
    """A case, judged."""
    return judge_cluster(*cluster(case))


def _ref(data: Mapping[str, Any]) -> Ref:
    group = data["apiVersion"].rpartition("/")[0]
    meta = data["metadata"]
    return Ref(group, data["kind"], meta.get("namespace", ""), meta["name"])


def _objects(case: Mapping[str, Any]) -> Iterator[Json]:
    given = case["given"]
    spec = {"controllerName": CLASSES[case["impl"]], **_parameters(case, CLASS)}
    yield _object(GATEWAY_API, "GatewayClass", "class", spec)
    for entry in given.get("gateways", [{"name": "gw", "listeners": ["http:80/HTTP"]}]):
        made = gateway(entry)
        made["spec"]["infrastructure"] = _parameters(case, f"Gateway/{entry['name']}")
        yield made
    for entry in given.get("routes", [{"name": "r", "rules": ["~"]}]):
        yield route(entry)
    for entry in given.get("services", [{"name": "svc", "ports": ["p:80"]}]):
        ports = [
            {"name": name, "port": int(number)}
            for name, _, number in (port.partition(":") for port in entry["ports"])
        ]
        yield _object("", "Service", entry["name"], {"ports": ports})
    for name in given.get("servers", []):
        yield _object("policy.linkerd.io", "Server", name, {})
    for entry in given["policies"]:
        yield policy(case, entry)


def _parameters(case: Mapping[str, Any], target: str) -> Json:
    """What an object says of its parameters: policies without a target that are on it."""
    for entry in case["given"]["policies"]:
        kind = row(case["impl"], entry["kind"])
        if kind.targetless is Targetless.PARAMETERS and entry[ON] == target:
            ref = {"group": kind.group, "kind": kind.kind, "name": entry["name"]}
            return {"parametersRef": ref | ({} if target != CLASS else {"namespace": NAMESPACE})}
    return {}


def _object(group: str, kind: str, name: str, spec: Json) -> Json:
    version = f"{group}/v1" if group else "v1"
    namespace = {} if kind == "GatewayClass" else {"namespace": NAMESPACE}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, **namespace},
        "spec": spec,
    }


_LISTENER = re.compile(
    r"(?P<name>[^@:]+)(@(?P<hostname>[^:]+))?:(?P<port>\d+)/(?P<protocol>\w+)(/(?P<mode>\w+))?"
)


def gateway(entry: Json) -> Json:
    """A Gateway of the case's class."""
    listeners = []
    for text in entry["listeners"]:
        match = _LISTENER.fullmatch(text)
        assert match is not None, text
        found = match.groupdict()
        listener = {
            "name": found["name"],
            "port": int(found["port"]),
            "protocol": found["protocol"],
        }
        if found["hostname"]:
            listener["hostname"] = found["hostname"]
        if found["mode"]:
            listener["tls"] = {"mode": found["mode"]}
        listeners.append(listener)
    made = _object(
        GATEWAY_API, "Gateway", entry["name"], {"gatewayClassName": "class", "listeners": listeners}
    )
    made["metadata"] |= {"annotations": entry.get("annotations", {})}
    return made


def route(entry: Json) -> Json:
    """A route; each rule leads to the Service `svc` if nothing else is said."""
    parents = [_parent(on) for on in entry.get(ON, ["gw"])]
    backends = entry.get("backends", {})
    rules = []
    for index, name in enumerate(entry["rules"]):
        target = backends.get(index, backends.get(name, "svc:80"))
        service, _, port = target.partition(":")
        backend: Json = {"name": service, "port": int(port)}
        if "delegates" in entry:
            backend = {"group": GATEWAY_API, "kind": "HTTPRoute", "name": entry["delegates"]}
        rule: Json = {"backendRefs": [backend]}
        if "path" in entry:
            rule["matches"] = [{"path": {"type": "PathPrefix", "value": entry["path"]}}]
        if name not in ("~", None):
            rule["name"] = name
        rules.append(rule)
    spec: Json = {"rules": rules}
    if parents:
        spec["parentRefs"] = parents
    if "hostnames" in entry:
        spec["hostnames"] = entry["hostnames"]
    return _object(GATEWAY_API, entry.get("kind", "HTTPRoute"), entry["name"], spec)


def _parent(on: str) -> Json:
    name, _, section = on.partition("#")
    kind, _, name = name.rpartition("/")
    parent: Json = {"name": name}
    if kind:
        parent["kind"] = kind
    if section:
        parent["sectionName"] = section
    return parent


def row(impl: str, kind: str) -> Kind:
    """The row of a kind that an implementation has."""
    return next(
        each
        for each in TABLE
        if each.kind == kind and any(each.group.startswith(group) for group in GROUPS[impl])
    )


def policy(case: Mapping[str, Any], entry: Json) -> Json:
    """A policy, with its targets where its kind has them."""
    kind = row(case["impl"], entry["kind"])
    on = entry.get(ON, [])
    targets = [_target(text) for text in ([on] if isinstance(on, str) else on)]
    if kind.targetless is Targetless.PARAMETERS:
        targets = []
    paths = {rule.path for rule in kind.references if rule.role is Role.TARGET}
    spec = dict(entry["spec"])
    if targets and "spec.targetRefs[]" in paths:
        spec["targetRefs"] = targets
    elif targets:
        spec["targetRef"] = targets[0]
    if kind.kind == "BackendTLSPolicy":
        spec["validation"] = {**spec["validation"], "wellKnownCACertificates": "System"}
    if kind.kind == "EnvoyPatchPolicy":
        spec.setdefault("jsonPatches", [{"name": entry["name"]}])
    return {
        "apiVersion": f"{kind.group}/{kind.versions[0]}",
        "kind": kind.kind,
        "metadata": {
            "name": entry["name"],
            "namespace": entry.get("ns", NAMESPACE),
            "annotations": entry.get("annotations", {}),
        },
        "spec": spec,
    }


def _target(text: str) -> Json:
    name, _, section = text.partition("#")
    kind, _, name = name.partition("/")
    target: Json = {"group": TARGETS.get(kind, GATEWAY_API), "kind": kind, "name": name}
    return target | ({"sectionName": section} if section else {})


def words(judgement: Judgement, name: str) -> set[str]:
    """The words of the form that are true of a policy."""
    (attachment,) = [each for each in judgement.attachments.values() if each.policy.name == name]
    accepted = attachment.accepted
    if accepted.status is Truth.FALSE:
        return {_REFUSED.get(accepted.reason, accepted.reason), "no-status"}
    if accepted.status is Truth.UNKNOWN and accepted.reason == "NotKnown":
        return {"not-known"}
    reported = {
        f"accepted+{each.reason.lower()}"
        for (ref, _), conditions in judgement.reported.items()
        for each in conditions
        if ref == attachment.policy and each.reason in ("Overridden", "Merged")
    } | {
        f"accepted+{each.reason.lower()}"
        for entry in judgement.entries.get(attachment.policy, ())
        for each in entry.conditions
        if each.reason in ("Overridden", "Merged")
    }
    return (reported or {"accepted"}) | {_presence(judgement, attachment)}


_REFUSED = {
    "Conflicted": "conflicted",
    "RateLimitReasonAlreadyExists": "conflicted",
    "TargetConflict": "target-conflict",
    "TargetNotFound": "target-not-found",
}


def _presence(judgement: Judgement, attachment: Attachment) -> str:
    holds = any(attachment.policy in each.likely.policies for each in judgement.effective)
    return "in-force" if holds else "nowhere"


Units = dict[str, list[str]]


def paths(judgement: Judgement) -> dict[str, list[EffectivePolicy]]:
    """What is in force by the path, as the form writes it; several kinds may be on one."""
    found: dict[str, list[EffectivePolicy]] = {}
    for each in judgement.effective:
        found.setdefault(_path(judgement, each), []).append(each)
    return found


def _path(judgement: Judgement, each: EffectivePolicy) -> str:
    path = each.path
    if not path.listener:
        return f"{path.gateway.kind}/{path.gateway.name}"
    parent = (
        path.gateway.name if path.listener_set is None else f"ListenerSet/{path.listener_set.name}"
    )
    text = f"{parent}/{path.listener}"
    if path.route is None:
        return text
    names = judgement.topology.nodes[path.route].rules
    rule = path.rule
    if rule not in names:
        sections = judgement.topology.nodes[path.route].sections or ("rule-1",)
        rule = str(sections.index(rule))
    text += f"/{path.route.name}/{rule}"
    if path.backend is not None:
        text += f">{path.backend.name}" + (
            f"#{path.backend.section_name}" if path.backend.section_name else ""
        )
    return text


def units(outcomes: Iterable[PolicyOutcome]) -> Units:
    """Who gives each rule, by its place."""
    given: Units = {}
    for outcome in outcomes:
        for rule in outcome.rules:
            key = re.sub(r"\[\d+\]", "", rule.key)
            given.setdefault(key, []).append(rule.policy.name)
    return given
