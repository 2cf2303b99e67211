"""What a spoke needs besides, object by object."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.needs import read_requirements
from spokerender.model import GATEWAY_API, shown
from tests.support import cases, each, rows_of

CATALOGUE = Catalogue.of([])


def needed(group: str, kind: str, data: Any, namespace: str = "infra") -> list[str]:
    """Each requirement as text: kind, namespace/name or selector, path, note."""
    return [
        " ".join(
            text
            for text in (
                f"{item.ref.kind}.{item.ref.group}".rstrip("."),
                f"{item.ref.namespace}/{item.ref.name}",
                f"<{item.selector}>" if item.selector else "",
                "" if not item.explicit_namespace else "(explicit)",
                f"at {shown(item.path)}",
                item.row.elsewhere,
            )
            if text
        )
        for item in read_requirements(CATALOGUE.kind(group, kind), data, namespace)
    ]


def test_gateway() -> None:
    certificates = [{"name": "a"}, {"name": "b", "namespace": "certs"}]
    ca = {"validation": {"caCertificateRefs": [{"group": "", "kind": "ConfigMap", "name": "ca"}]}}
    data = {
        "metadata": {"annotations": {"cert-manager.io/cluster-issuer": "le"}},
        "spec": {
            "gatewayClassName": "istio",
            "listeners": [{"name": "http"}, {"tls": {"certificateRefs": certificates}}],
            "tls": {
                "backend": {"clientCertificateRef": {"name": "client"}},
                "frontend": {"default": ca, "perPort": [{"port": 443, "tls": ca}]},
            },
            "infrastructure": {
                "parametersRef": {"group": "example.com", "kind": "Size", "name": "big"}
            },
        },
    }
    assert needed(GATEWAY_API, "Gateway", data) == [
        f"GatewayClass.{GATEWAY_API} /istio at spec",
        "Secret infra/a at spec.listeners[1].tls.certificateRefs[0]",
        "Secret certs/b (explicit) at spec.listeners[1].tls.certificateRefs[1]",
        "Secret infra/client at spec.tls.backend.clientCertificateRef",
        "ConfigMap infra/ca at spec.tls.frontend.default.validation.caCertificateRefs[0]",
        "ConfigMap infra/ca at spec.tls.frontend.perPort[0].tls.validation.caCertificateRefs[0]",
        "Size.example.com infra/big at spec.infrastructure.parametersRef",
        "ClusterIssuer.cert-manager.io /le at metadata.annotations",
    ]


def test_issuers_of_certificates() -> None:
    def annotated(**annotations: str) -> list[str]:
        keys = {f"cert-manager.io/{key.replace('_', '-')}": v for key, v in annotations.items()}
        return needed(GATEWAY_API, "ListenerSet", {"metadata": {"annotations": keys}})

    assert annotated(issuer="le") == ["Issuer.cert-manager.io infra/le at metadata.annotations"]
    assert annotated(issuer="le", issuer_kind="Vault", issuer_group="example.com") == [
        "Vault.example.com infra/le at metadata.annotations"
    ]


def test_gateway_class() -> None:
    parameters = {"group": "", "kind": "ConfigMap", "namespace": "infra", "name": "sync"}
    data = {"spec": {"parametersRef": parameters}}
    assert needed(GATEWAY_API, "GatewayClass", data, "") == [
        "ConfigMap infra/sync (explicit) at spec.parametersRef"
    ]


def test_route() -> None:
    extension = {"group": "example.com", "kind": "Filter", "name": "f"}
    backend = {"name": "shop", "filters": [{"extensionRef": extension}]}
    rule = {"filters": [{"extensionRef": extension}], "backendRefs": [backend]}
    assert needed(GATEWAY_API, "HTTPRoute", {"spec": {"rules": [rule]}}) == [
        "Filter.example.com infra/f at spec.rules[0].filters[0].extensionRef",
        "Filter.example.com infra/f at spec.rules[0].backendRefs[0].filters[0].extensionRef",
        "Service infra/shop at spec.rules[0].backendRefs[0]",
    ]


def test_backend_tls_policy() -> None:
    refs = [{"group": "", "kind": "ConfigMap", "name": "ca"}]
    data = {"spec": {"validation": {"caCertificateRefs": refs}}}
    assert needed(GATEWAY_API, "BackendTLSPolicy", data) == [
        "ConfigMap infra/ca at spec.validation.caCertificateRefs[0]"
    ]


def test_auth_policy_also_below_defaults_and_overrides() -> None:
    secret = {"name": "s", "key": "k"}
    http = {"http": {"sharedSecretRef": secret, "oauth2": {"clientSecretRef": secret}}}
    wristband = {"jwt": {"wristband": {"signingKeyRefs": [secret]}}}
    rules = {
        "authentication": {
            "keys": {"apiKey": {"selector": {"matchLabels": {"app": "shop"}}}},
            "ca": {"x509": {"selector": {"matchLabels": {"app": "ca"}}}},
            "oauth": {"oauth2Introspection": {"credentialsRef": secret}},
        },
        "metadata": {"m": http, "u": {"uma": {"credentialsRef": secret}}},
        "authorization": {
            "o": {"opa": {"externalPolicy": http["http"]}},
            "s": {"spicedb": {"sharedSecretRef": secret}},
        },
        "response": {"success": {"headers": wristband, "filters": wristband}},
        "callbacks": {"c": http},
    }
    own = "in Authorino's namespace"
    every = f"{own}, or in every one with allNamespaces"
    expected = [
        f"Secret / <app=shop> at P.authentication.keys.apiKey.selector {every}",
        f"Secret / <app=ca> at P.authentication.ca.x509.selector {every}",
        f"Secret /s at P.authentication.oauth.oauth2Introspection.credentialsRef {own}",
        f"Secret /s at P.metadata.m.http.sharedSecretRef {own}",
        f"Secret /s at P.metadata.m.http.oauth2.clientSecretRef {own}",
        f"Secret /s at P.metadata.u.uma.credentialsRef {own}",
        f"Secret /s at P.authorization.o.opa.externalPolicy.sharedSecretRef {own}",
        f"Secret /s at P.authorization.o.opa.externalPolicy.oauth2.clientSecretRef {own}",
        f"Secret /s at P.authorization.s.spicedb.sharedSecretRef {own}",
        f"Secret /s at P.response.success.headers.jwt.wristband.signingKeyRefs[0] {own}",
        f"Secret /s at P.response.success.filters.jwt.wristband.signingKeyRefs[0] {own}",
        f"Secret /s at P.callbacks.c.http.sharedSecretRef {own}",
        f"Secret /s at P.callbacks.c.http.oauth2.clientSecretRef {own}",
    ]
    for place, spec in (
        ("spec.rules", {"rules": rules}),
        ("spec.defaults.rules", {"defaults": {"rules": rules}}),
        ("spec.overrides.rules", {"overrides": {"rules": rules}}),
    ):
        assert sorted(needed("kuadrant.io", "AuthPolicy", {"spec": spec})) == sorted(
            text.replace("at P.", f"at {place}.") for text in expected
        )


def test_dns_policy() -> None:
    def dns(spec: Any) -> list[str]:
        return needed("kuadrant.io", "DNSPolicy", {"spec": spec})

    assert dns({"providerRefs": [{"name": "aws"}]}) == ["Secret infra/aws at spec.providerRefs[0]"]
    assert dns({"providerRefs": []}) == [
        "Secret infra/ <kuadrant.io/default-provider=true> at spec"
    ]
    assert dns({"delegate": True}) == []
    assert dns({"delegate": False}) == ["Secret infra/ <kuadrant.io/default-provider=true> at spec"]
    headers = {"additionalHeadersRef": {"name": "headers"}}
    assert dns({"delegate": True, "healthCheck": headers}) == [
        "Secret infra/headers at spec.healthCheck.additionalHeadersRef"
    ]


def test_tls_policy() -> None:
    def tls(**issuer: str) -> list[str]:
        return needed("kuadrant.io", "TLSPolicy", {"spec": {"issuerRef": issuer}})

    assert tls(name="le") == ["Issuer.cert-manager.io infra/le at spec.issuerRef"]
    assert tls(name="le", kind="", group="") == [
        "Issuer.cert-manager.io infra/le at spec.issuerRef"
    ]
    assert tls(name="le", kind="ClusterIssuer") == [
        "ClusterIssuer.cert-manager.io /le at spec.issuerRef"
    ]


def test_envoy_gateway() -> None:
    secret, backends = {"name": "s"}, {"backendRefs": [{"name": "b", "namespace": "auth"}]}
    spec = {
        "oidc": {"clientSecret": secret, "provider": backends},
        "basicAuth": {"users": secret},
        "apiKeyAuth": {"credentialRefs": [secret]},
        "jwt": {"providers": [{"remoteJWKS": backends}]},
        "extAuth": {"grpc": backends},
    }
    backend = "Service auth/b (explicit) at"
    assert needed("gateway.envoyproxy.io", "SecurityPolicy", {"spec": spec}) == [
        "Secret infra/s at spec.oidc.clientSecret",
        "Secret infra/s at spec.basicAuth.users",
        "Secret infra/s at spec.apiKeyAuth.credentialRefs[0]",
        f"{backend} spec.oidc.provider.backendRefs[0]",
        f"{backend} spec.jwt.providers[0].remoteJWKS.backendRefs[0]",
        f"{backend} spec.extAuth.grpc.backendRefs[0]",
    ]
    bundle = {"kind": "ClusterTrustBundle", "group": "certificates.k8s.io", "name": "ca"}
    place = "spec.tls.clientValidation.caCertificateRefs[0]"
    tls = {"clientValidation": {"caCertificateRefs": [bundle]}}
    assert needed("gateway.envoyproxy.io", "ClientTrafficPolicy", {"spec": {"tls": tls}}) == [
        f"ClusterTrustBundle.certificates.k8s.io /ca at {place}"
    ]


def test_what_cannot_be_understood_is_passed_over() -> None:
    extension = {"extensionRef": {"name": "no kind"}}
    backends = [{"name": 5}, 5, {"group": "", "kind": "Service"}]
    rules = [{"filters": [extension], "backendRefs": backends}]
    assert needed(GATEWAY_API, "HTTPRoute", {"spec": {"rules": rules}}) == []


IDENTITY = {"identityPropagationRef": {"name": "a"}}


@cases(*rows_of(__file__, "what_crds_of_other_controllers_let_be_named"))
def test_what_crds_of_other_controllers_let_be_named(
    group: str, kind: str, spec: dict[str, Any], expected: str
) -> None:
    """The CRDs at the commits that the rows name."""
    assert needed(group, kind, {"spec": spec}) == [expected]


@each("HTTPRoute", "GRPCRoute", "TCPRoute")
def test_plugins_of_kong_are_named_by_an_annotation(kind: str) -> None:
    data = {"metadata": {"annotations": {"konghq.com/plugins": "auth, limits ,,shared:acl"}}}
    plugin, place = "KongPlugin.configuration.konghq.com", "at metadata.annotations"
    expected = [
        f"{plugin} infra/auth {place}",
        f"{plugin} infra/limits {place}",
        f"{plugin} shared/acl (explicit) {place}",
    ]
    assert needed(GATEWAY_API, kind, data) == expected
    assert needed("", "Service", data) == expected
