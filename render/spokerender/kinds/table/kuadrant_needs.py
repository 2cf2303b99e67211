"""What Kuadrant's policies need on a cluster besides (CRDs of kuadrant-operator v1.5)."""

from __future__ import annotations

from spokerender.kinds.need import Need

# Authorino resolves what an AuthPolicy names in the namespace of its own AuthConfigs.
_AUTHORINO = "in Authorino's namespace"
_AUTHORINO_OR_ALL = "in Authorino's namespace, or in every one with allNamespaces"

_RULES = ("spec.rules", "spec.defaults.rules", "spec.overrides.rules")
_SELECTED_SECRETS = ("authentication.*.apiKey.selector", "authentication.*.x509.selector")
_NAMED_SECRETS = (
    "authentication.*.oauth2Introspection.credentialsRef",
    "metadata.*.http.sharedSecretRef",
    "metadata.*.http.oauth2.clientSecretRef",
    "metadata.*.uma.credentialsRef",
    "authorization.*.opa.externalPolicy.sharedSecretRef",
    "authorization.*.opa.externalPolicy.oauth2.clientSecretRef",
    "authorization.*.spicedb.sharedSecretRef",
    "response.success.headers.*.wristband.signingKeyRefs[]",
    "response.success.filters.*.wristband.signingKeyRefs[]",
    "callbacks.*.http.sharedSecretRef",
    "callbacks.*.http.oauth2.clientSecretRef",
)
AUTH_NEEDS = tuple(
    need
    for rules in _RULES
    for need in (
        *(
            Need(f"{rules}.{path}", selects=True, elsewhere=_AUTHORINO_OR_ALL)
            for path in _SELECTED_SECRETS
        ),
        *(Need(f"{rules}.{path}", elsewhere=_AUTHORINO) for path in _NAMED_SECRETS),
    )
)
DNS_NEEDS = (
    Need("spec.providerRefs[]"),
    Need(
        "spec",
        labels=(("kuadrant.io/default-provider", "true"),),
        unless=("spec.providerRefs[]", "spec.delegate"),
    ),
    Need("spec.healthCheck.additionalHeadersRef"),
)
ISSUER = Need("spec.issuerRef", "Issuer", "cert-manager.io", group_key="group", kind_key="kind")
