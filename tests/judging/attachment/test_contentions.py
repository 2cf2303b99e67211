"""Policies of one kind on one target."""

from tests.judging.attachment.policies import (
    GATEWAY,
    GATEWAYS,
    OURS,
    ROUTE,
    SECURITY,
    SERVICE,
    TLS,
    attachments,
    policy,
    section,
    status,
    told,
)
from tests.support import cases, each, manifest, rows_of

DNS = "kuadrant.io/v1/DNSPolicy"
NGINX = "gateway.nginx.org/v1alpha2/ObservabilityPolicy"


def on(kind: str, name: str, target: str, says: str = "", namespace: str = "infra") -> str:
    """A policy with one target; `says` is more of its `spec`."""
    singular = kind.startswith(("kuadrant.io", "application", "networking.gke.io/v1/GCPGate"))
    field = f"targetRef: {target}" if singular else f"targetRefs: [{target}]"
    return policy(kind, name, f"{{{field}, says: {says or name}}}", namespace)


def reasons(*documents: str, **options: object) -> dict[str, str]:
    found = attachments(GATEWAYS, *documents, **options)
    return {name.partition("/")[2]: item.accepted.reason for name, item in found.items()}


def faults(*documents: str, **options: object) -> list[str]:
    found = attachments(GATEWAYS, *documents, **options)
    return [f"{item.policy.name} {line}" for item in found.values() for line in told(item)]


@cases(*rows_of(__file__, "where_nothing_is_merged_one_holds"))
def test_where_nothing_is_merged_one_holds(kind: str, target: str, loses: bool) -> None:
    found = reasons(on(kind, "b", target), on(kind, "a", target))
    # Whether tracing is on at all is said by a NginxProxy, which is not in these files.
    held = "Unverified" if kind == NGINX else "Accepted"
    assert found == {"a": held, "b": "Conflicted" if loses else held}


@each(OURS, "networking.gke.io/v1/GCPTrafficExtension")
def test_what_becomes_of_several_may_not_be_known(kind: str) -> None:
    found = attachments(GATEWAYS, on(kind, "b", GATEWAY), on(kind, "a", GATEWAY))
    assert {status(item) for item in found.values()} == {("Unknown", "NotKnown")}
    assert {item.targets for item in found.values()} == {found["infra/a"].targets}
    assert faults(on(kind, "b", GATEWAY), on(kind, "a", GATEWAY)) == []
    assert reasons(on(kind, "b", GATEWAY)) == {"b": "Accepted"}


@cases(*rows_of(__file__, "other_targets_are_no_contention"))
def test_other_targets_are_no_contention(first: str, second: str) -> None:
    documents = (on(SECURITY, "a", first), on(SECURITY, "b", second))
    assert reasons(*documents) == {"a": "Accepted", "b": "Accepted"}
    assert faults(*documents) == []


def test_other_kinds_are_no_contention() -> None:
    client = "gateway.envoyproxy.io/v1alpha1/ClientTrafficPolicy"
    assert faults(on(SECURITY, "a", GATEWAY), on(client, "b", GATEWAY)) == []


UNDECIDED = (
    "contends with SecurityPolicy infra/a for Gateway infra/web, and only the older of them holds: "
    "files can't tell which one that is"
)


@cases(*rows_of(__file__, "the_older_one_holds"))
def test_the_older_one_holds(ages: dict[str, int], loser: str, message: str) -> None:
    documents = (on(SECURITY, "a", GATEWAY), on(SECURITY, "b", GATEWAY))
    found = attachments(GATEWAYS, *documents, ages=ages)
    lost, held = found[f"infra/{loser}"], found["infra/a" if loser == "b" else "infra/b"]
    assert (status(lost), lost.accepted.message) == (("False", "Conflicted"), message)
    assert (status(held), lost.targets) == (("True", "Accepted"), ())
    assert told(lost) == [f"SR2113 spec.targetRefs[0]: {message}"]
    assert told(held) == []
    (contention,) = lost.contentions
    assert held.contentions == (contention,)
    assert contention.orders.is_certain is ("can't tell" not in message)
    assert contention.holding == (held.policy,)


def test_of_three_the_two_that_are_younger_lose_and_it_is_told_once() -> None:
    documents = tuple(on(SECURITY, name, GATEWAY) for name in "cab")
    ages = {"infra/a": 1, "infra/b": 1, "infra/c": 2}
    found = attachments(GATEWAYS, *documents, ages=ages)
    assert {name: item.accepted.reason for name, item in found.items()} == {
        "infra/a": "Accepted",
        "infra/b": "Conflicted",
        "infra/c": "Conflicted",
    }
    assert found["infra/c"].accepted.message == (
        "Gateway infra/web already has an older SecurityPolicy: SecurityPolicy infra/a or "
        "SecurityPolicy infra/b"
    )
    assert faults(*documents, ages=ages) == [f"b SR2113 spec.targetRefs[0]: {UNDECIDED}"]


def test_of_three_equals_each_is_named() -> None:
    found = attachments(GATEWAYS, *(on(SECURITY, name, GATEWAY) for name in "cab"))
    message = (
        "contends with SecurityPolicy infra/a and SecurityPolicy infra/{} for Gateway infra/web, "
        "and only the oldest of them holds: files can't tell which one that is"
    )
    assert found["infra/b"].accepted.message == message.format("c")
    assert found["infra/c"].accepted.message == message.format("b")


@cases(*rows_of(__file__, "a_section_is_offered_where_there_can_be_one"))
def test_a_section_is_offered_where_there_can_be_one(kind: str, target: str, cure: str) -> None:
    found = attachments(GATEWAYS, on(kind, "a", target), on(kind, "b", target))
    assert [fault.cure for fault in found["infra/b"].faults] == [cure]


@cases(({}, ["Gateway infra/web"]), ({"infra/a": 1, "infra/b": 2}, []), ({"infra/a": 1}, []))
def test_what_is_undecided_may_yet_be_held(ages: dict[str, int], may: list[str]) -> None:
    documents = (on(SECURITY, "a", GATEWAY), on(SECURITY, "b", GATEWAY))
    found = attachments(GATEWAYS, *documents, ages=ages)
    assert [str(ref) for ref in found["infra/a"].may_hold] == ["Gateway infra/web"]
    assert [str(ref) for ref in found["infra/b"].may_hold] == may


def test_who_is_first_may_be_certain_though_the_others_are_not() -> None:
    documents = tuple(on(SECURITY, name, GATEWAY) for name in "abc")
    found = attachments(GATEWAYS, *documents, ages={"infra/a": 1})
    assert found["infra/c"].accepted.message == (
        "Gateway infra/web already has SecurityPolicy infra/a, which is older"
    )


def test_envoy_gateway_compares_the_namespace_first() -> None:
    """By GEP-713 `infra-b/x` comes before `infra/a`, for `-` comes before `/`."""
    namespaces = "{kind: Gateway, namespaces: {from: All}, matchLabels: {tier: public}}"
    grant = manifest(
        "ReferenceGrant infra/g",
        "from: [{group: gateway.envoyproxy.io, kind: SecurityPolicy, namespace: infra-b}], "
        "to: [{group: gateway.networking.k8s.io, kind: Gateway}]",
        api="gateway.networking.k8s.io/v1",
    )
    documents = tuple(
        policy(SECURITY, name, f"{{targetSelectors: [{namespaces}], says: {name}}}", namespace)
        for name, namespace in (("a", "infra"), ("x", "infra-b"))
    )
    found = attachments(GATEWAYS, grant, *documents)
    assert status(found["infra/a"]) == ("True", "Accepted")
    assert status(found["infra-b/x"]) == ("False", "Conflicted")


def test_what_a_selector_finds_is_a_target() -> None:
    selecting = policy(
        SECURITY, "b", "{targetSelectors: [{kind: Gateway, matchLabels: {tier: public}}], says: b}"
    )
    assert reasons(on(SECURITY, "a", GATEWAY), selecting) == {"a": "Accepted", "b": "Conflicted"}


def test_a_port_and_the_whole_may_compete() -> None:
    """NGINX Gateway Fabric, `selectBackendTLSPolicyForService`: the oldest that is for the port."""
    nginx = manifest(
        "GatewayClass istio", "controllerName: gateway.nginx.org/nginx-gateway-controller"
    )
    trusts = "validation: {wellKnownCACertificates: System, hostname: HOST}"
    documents = [
        policy(TLS, name, f"{{targetRefs: [{target}], {trusts.replace('HOST', name)}}}")
        for name, target in (("port", section(SERVICE, "main")), ("whole", SERVICE))
    ]
    found = attachments(GATEWAYS, nginx, *documents, ages={"infra/port": 1, "infra/whole": 2})
    older = "Service infra/cart [main] already has BackendTLSPolicy infra/port, which is older"
    assert told(found["infra/port"]) == []
    assert told(found["infra/whole"]) == [f"SR2113 spec.targetRefs[0]: {older}"]


def test_equal_policies_contend_and_it_does_not_matter() -> None:
    documents = (on(SECURITY, "a", GATEWAY, "same"), on(SECURITY, "b", GATEWAY, "same"))
    assert reasons(*documents) == {"a": "Accepted", "b": "Conflicted"}
    assert faults(*documents) == []


def test_it_is_a_warning_where_no_door_is_opened() -> None:
    assert faults(on(NGINX, "a", ROUTE), on(NGINX, "b", ROUTE)) == [
        (
            "b SR2112 spec.targetRefs[0]: sets says, which ObservabilityPolicy infra/a on "
            "HTTPRoute infra/cart sets as well: the older of them holds, and the other is refused "
            "on all its targets; files can't tell which one that is"
        )
    ]


def test_one_that_keeps_a_target_is_accepted() -> None:
    both = policy(SECURITY, "b", f"{{targetRefs: [{GATEWAY}, {ROUTE}], says: b}}")
    found = attachments(GATEWAYS, on(SECURITY, "a", GATEWAY), both, ages={"infra/a": 1})
    assert status(found["infra/b"]) == ("True", "Accepted")
    assert [str(ref) for ref in found["infra/b"].targets] == ["HTTPRoute infra/cart"]
    assert found["infra/b"].accepted.message == (
        "attached to HTTPRoute infra/cart; Gateway infra/web already has SecurityPolicy infra/a, "
        "which is older"
    )


def test_a_target_that_only_the_spoke_has_can_be_contended_for() -> None:
    far = SERVICE.replace("cart", "far")
    trust = "validation: {hostname: a.example, wellKnownCACertificates: System}"
    documents = tuple(
        policy(TLS, name, f"{{targetRefs: [{far}], {trust}, says: {name}}}") for name in "ab"
    )
    assert reasons(*documents) == {"a": "Unverified", "b": "Conflicted"}


@each("", "same")
def test_where_no_tie_is_broken_equals_are_all_carried_out(says: str) -> None:
    """Kuadrant's `isConflict` wants the other policy to be strictly older."""
    documents = (on(DNS, "a", GATEWAY, says), on(DNS, "b", GATEWAY, says))
    assert reasons(*documents) == {"a": "Accepted", "b": "Accepted"}
    assert faults(*documents) == [
        (
            "b SR2114 spec.targetRef: has the same target as DNSPolicy infra/a: Gateway infra/web. "
            "Their controller breaks no tie, so applied within one second they are all carried "
            "out, against each other"
        )
    ]
    assert attachments(GATEWAYS, *documents)["infra/a"].contentions[0].is_unbroken


def test_a_younger_one_is_refused_there_too() -> None:
    documents = tuple(on(DNS, name, GATEWAY) for name in "abc")
    ages = {"infra/a": 2, "infra/b": 1, "infra/c": 1}
    assert reasons(*documents, ages=ages) == {"a": "Conflicted", "b": "Accepted", "c": "Accepted"}
    ages = {"infra/a": 2, "infra/b": 1, "infra/c": 3}
    assert reasons(*documents, ages=ages) == {"a": "Conflicted", "b": "Accepted", "c": "Conflicted"}
    assert [line.split(":")[0] for line in faults(*documents, ages=ages)] == [
        "a SR2112 spec.targetRef"
    ]
