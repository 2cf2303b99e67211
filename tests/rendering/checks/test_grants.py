"""A Gateway's reference into another namespace needs a ReferenceGrant there."""

from spokerender.model import Ref
from tests.support import cases, each, manifest, metapolicies, rows_of
from tests.support.stages import CLASS, gateway, objects, render, told

CODE = "SR1705"


def web(references: str, more: str = "") -> str:
    return gateway(
        "web",
        listeners=f"[{{name: https, port: 443, tls: {{certificateRefs: [{references}]}}}}]",
        spec=more or "extra: 1",
    )


def grant(
    from_: str = "{group: gateway.networking.k8s.io, kind: Gateway, namespace: infra}",
    to: str = '{group: "", kind: Secret}',
    namespace: str = "certs",
) -> str:
    return manifest(f"ReferenceGrant {namespace}/g", f"from: [{from_}], to: [{to}]")


RULES = "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: %s}"


def found(*texts: str, as_: str = "{}") -> list[str]:
    return told(render([CLASS, *texts], RULES % as_).results, CODE)


THERE = web("{name: cert, namespace: certs}")
MOVED = "{namespace: gw}"


@cases(
    ((web("{name: cert}"),), "{}"),
    # A reference without namespace means the gateway's own, wherever that is.
    ((web("{name: cert}"),), MOVED),
    ((web("{name: cert, namespace: infra}"),), "{}"),
    ((web("{name: cert, namespace: infra}"),), "{name: edge}"),
    ((THERE, grant()), "{}"),
    ((THERE, grant()), MOVED),
    ((THERE, grant(to='{group: "", kind: Secret, name: cert}')), MOVED),
    # It crosses no more.
    ((THERE,), "{namespace: certs}"),
)
def test_nothing_to_tell(texts: tuple[str, ...], as_: str) -> None:
    assert found(*texts, as_=as_) == []


def missing(place: str, target: str, namespace: str, field: str, kind: str = "Secret") -> list[str]:
    return [
        (
            f"SR1705 Gateway infra/web {field}: {kind} {target} is in another namespace than the "
            f"gateway is on the spoke ({place}), and no ReferenceGrant allows it (drop the "
            "reference's namespace, declare the grant under `spec.external` of fleet.yaml if the "
            "spokes have one, or add to the hub:\n"
            "apiVersion: gateway.networking.k8s.io/v1beta1\n"
            "kind: ReferenceGrant\n"
            "metadata:\n"
            "  name: web-cert\n"
            f"  namespace: {target.partition('/')[0]}\n"
            "spec:\n"
            "  from:\n"
            "  - group: gateway.networking.k8s.io\n"
            "    kind: Gateway\n"
            f"    namespace: {namespace}\n"
            "  to:\n"
            '  - group: ""\n'
            f"    kind: {kind}\n"
            "    name: cert\n"
            ") [eu us]"
        )
    ]


FIRST = "spec.listeners[0].tls.certificateRefs[0]"


@cases(("certs", True), ('"cert*"', True), ("other", False))
def test_a_grant_that_the_spokes_have(namespace: str, is_declared: bool) -> None:
    settings = f"external: [{{kind: ReferenceGrant, namespace: {namespace}, name: '*'}}]\n"
    results = render([CLASS, THERE], RULES % "{}", settings=settings).results
    assert bool(told(results, CODE)) is not is_declared


@cases(
    ((THERE,), "{}", missing("infra", "certs/cert", "infra", FIRST)),
    # What was beside the gateway on the hub is not any more.
    ((web("{name: cert, namespace: infra}"),), MOVED, missing("gw", "infra/cert", "infra", FIRST)),
    ((web("{name: other}, {name: cert, namespace: infra}"),), MOVED,
     missing("gw", "infra/cert", "infra", "spec.listeners[0].tls.certificateRefs[1]")),
    ((THERE, grant(to='{group: "", kind: Secret, name: other}')), "{}",
     missing("infra", "certs/cert", "infra", FIRST)),
    ((THERE, grant(to='{group: "", kind: ConfigMap}')), "{}",
     missing("infra", "certs/cert", "infra", FIRST)),
    ((THERE, grant(namespace="elsewhere")), "{}", missing("infra", "certs/cert", "infra", FIRST)),
    (
        (
            web(
                "{name: a}",
                "tls: {frontend: {default: {validation: {caCertificateRefs: "
                '[{group: "", kind: ConfigMap, name: cert, namespace: certs}]}}}}',
            ),
        ),
        "{}",
        missing(
            "infra",
            "certs/cert",
            "infra",
            "spec.tls.frontend.default.validation.caCertificateRefs[0]",
            "ConfigMap",
        ),
    ),
)  # fmt: skip
def test_a_missing_grant_is_an_error_that_prints_it(
    texts: tuple[str, ...], as_: str, expected: list[str]
) -> None:
    assert found(*texts, as_=as_) == expected


def test_the_grant_that_is_printed_is_the_one_that_was_missing() -> None:
    (cure,) = (result.cure for result in render([CLASS, THERE]).results if result.code == CODE)
    assert found(THERE, cure.partition("add to the hub:\n")[2]) == []


def test_a_grant_that_an_override_closes_is_missed() -> None:
    results = render(
        [CLASS, THERE, grant()],
        overrides="- {target: {kind: ReferenceGrant}, spokes: {names: [us]}, "
        "patch: [{op: replace, path: /spec/to/0/kind, value: ConfigMap}]}",
    ).results
    assert [(r.code, r.spokes) for r in results if r.severity == "error"] == [(CODE, ("us",))]


AUTHZ = rows_of(__file__, "authz")
FIELD = "spec.extAuth.http.backendRefs[0]"
POLICY = "{group: gateway.envoyproxy.io, kind: SecurityPolicy, namespace: infra}"
SERVICE = '{group: "", kind: Service}'
PLAIN = web("{name: cert}")


@cases(
    ((AUTHZ % "{name: authz, namespace: infra}",), "{}"),
    # Without a namespace it means the policy's own, wherever that is.
    ((AUTHZ % "{name: authz}",), MOVED),
    ((AUTHZ % "{name: authz, namespace: infra}", grant(POLICY, SERVICE, "infra")), MOVED),
    ((AUTHZ % "{name: authz, namespace: auth}", grant(POLICY, SERVICE, "auth")), MOVED),
    # What the hub does not allow either is not lost on the way.
    ((AUTHZ % "{name: authz, namespace: auth}",), MOVED),
    ((AUTHZ % "{name: authz, namespace: gw}",), MOVED),
)
def test_what_a_policy_may_name_on_the_spoke(texts: tuple[str, ...], as_: str) -> None:
    assert found(PLAIN, *texts, as_=as_) == []


def test_a_policy_that_moves_away_from_what_it_names_needs_a_grant() -> None:
    text = AUTHZ % "{name: authz, namespace: infra}"
    (line,) = found(PLAIN, text, as_=MOVED)
    assert line.startswith(
        f"SR1705 SecurityPolicy infra/p {FIELD}: Service infra/authz is in another namespace than "
        "the policy is on the spoke (gw), and no ReferenceGrant allows it (drop the reference's "
        "namespace, declare the grant under `spec.external` of fleet.yaml if the spokes have one, "
        "or add to the hub:\n"
    )
    results = render([CLASS, PLAIN, text], RULES % MOVED).results
    (cure,) = (result.cure for result in results if result.code == CODE)
    assert found(PLAIN, text, cure.partition("add to the hub:\n")[2], as_=MOVED) == []


def test_a_grant_for_a_route_that_an_override_closes_is_missed() -> None:
    cart = manifest(
        "HTTPRoute shop/cart",
        "parentRefs: [{name: web, namespace: infra}], rules: [{backendRefs: [{name: db, "
        "namespace: data, port: 80}]}]",
    )
    allowed = grant(
        "{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}", SERVICE, "data"
    )
    results = render(
        [CLASS, gateway("web"), cart, allowed],
        overrides="- {target: {kind: ReferenceGrant}, spokes: {names: [us]}, "
        "patch: [{op: replace, path: /spec/to/0/kind, value: ConfigMap}]}",
    ).results
    assert [(r.resource, r.spokes) for r in results if r.code == CODE] == [
        (Ref("gateway.networking.k8s.io", "HTTPRoute", "shop", "cart"), ("us",))
    ]


OTHER = gateway("other", namespace="shop")
OF_OTHER = grant("{group: gateway.networking.k8s.io, kind: Gateway, namespace: shop}")
BOTH = "- {gateways: {names: [infra/web, shop/other]}, spokes: {all: true}, as: %s}"


def test_a_grant_for_another_gateway_that_moves_to_the_same_namespace_is_shared() -> None:
    """Envoy Gateway shows it: infra/web gets the Secret that only shop/other may read."""
    texts = [CLASS, THERE, OTHER, OF_OTHER]
    assert told(render(texts, BOTH % "{}").results, "SR1710") == []
    (line,) = told(render(texts, BOTH % MOVED).results, "SR1710")
    assert line == (
        "SR1710 Gateway infra/web spec.listeners[0].tls.certificateRefs[0]: no ReferenceGrant on "
        "the hub lets it name Secret certs/cert, and one for other objects that come to namespace "
        "gw lets it on the spoke (give them another namespace in the placement, or drop the "
        "reference) [eu us]"
    )
    assert told(render([CLASS, THERE, OTHER, grant()], BOTH % MOVED).results, "SR1710") == []
    of_spoke = grant("{group: gateway.networking.k8s.io, kind: Gateway, namespace: gw}")
    assert told(render([CLASS, THERE, OTHER, of_spoke], BOTH % MOVED).results, "SR1710") == []


CREATED = """\
make:
- object:
    apiVersion: gateway.envoyproxy.io/v1alpha1
    kind: SecurityPolicy
    metadata: {name: created, namespace: "${spoke.values.ns}"}
    spec:
      targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}
      extAuth: {http: {backendRefs: [{name: authz, namespace: auth, port: 80}]}}
"""
MOVING = AUTHZ % "{name: authz, namespace: auth}"
GRANTED = grant(POLICY, SERVICE, "auth")


@each((), (MOVING, GRANTED))
def test_grants_of_the_hub_are_not_for_an_object_that_a_stage_creates(
    documents: tuple[str, ...],
) -> None:
    text = metapolicies.definition(CREATED)
    found = metapolicies.rendered(text, metapolicies.ROUTE, metapolicies.QUOTA, *documents)
    assert "SecurityPolicy edge-eu/created" in objects(found, "eu")
    assert told(found.results, CODE, "SR1710") == []
