"""Kong's ingress controller: plugins for route rules that reference them."""

from spokerender.kinds.columns import About, Everybody, Guarding, Need, Scale, Traits
from spokerender.kinds.kind import Controller, Kind, Targetless
from spokerender.kinds.merging import Merging, Process
from spokerender.kinds.rows import ask_for

_SOURCE = "Kong/kubernetes-ingress-controller 1fa68f8"
KONG = Controller(
    "Kong", names=("konghq.com/kic-gateway-controller", "konghq.com/gateway-operator")
)

# Kong/kong, kong/plugins, and those of the enterprise edition.
_ASKING = (
    *("acl", "basic-auth", "bot-detection", "hmac-auth", "ip-restriction", "jwt", "jwt-signer"),
    *("key-auth", "key-auth-enc", "ldap-auth", "ldap-auth-advanced", "mtls-auth", "oauth2"),
    *("oauth2-introspection", "opa", "openid-connect", "saml", "vault-auth", "header-cert-auth"),
)
_COUNTING = ("rate-limiting", "rate-limiting-advanced", "response-ratelimiting")
_LISTING, _RATE = ("acl", "ip-restriction"), "rate-limiting.config"
_PERIODS = ("second", "minute", "hour", "day", "month", "year")


def _plugin(name: str, about: About = "access") -> Guarding:
    everybody = Everybody(f"{name}.config", networks=("allow",), aside=("status", "message"))
    lets = everybody if name == "ip-restriction" else None
    # Whoever has no credentials, or wrong ones, is let in as the consumer `anonymous`.
    is_off = (((f"{name}.disabled", (True,)),), ((f"{name}.config.anonymous", ()),))
    return Guarding(name, unless=is_off, about=about, everybody=lets)


KINDS: tuple[Kind, ...] = tuple(
    # For the rules of HTTPRoutes that name it in an ExtensionRef, and by annotation for any route
    # and Service.
    Kind(
        "configuration.konghq.com",
        name,
        ("v1",),
        namespaced=name == "KongPlugin",
        needs=(Need("configFrom.secretKeyRef"), Need("configPatches[].valueFrom.secretKeyRef")),
        security=True,
        targets=("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"),
        targetless=Targetless.FILTER,
        keyed_by="plugin",
        merging=Merging(
            # Kong, plugin precedence: of a route and its service, the route's.
            Process.FIELDS,
            source=f"{_SOURCE}, internal/dataplane/translator/subtranslator/httproute.go",
        ),
        controller=KONG,
        traits=Traits(
            guards=True,
            checks=ask_for({"basic-auth": "basic", "jwt": "jwt", "key-auth": "apiKey"}),
            guarding=tuple(map(_plugin, _ASKING)),
            besides=(
                *(_plugin(name, "limits") for name in (*_COUNTING, "request-size-limiting")),
                _plugin("request-validator"),
            ),
            scales=(
                *(
                    Scale(f"{name}.config.allow", entries="weaker", unset="open")
                    for name in _LISTING
                ),
                *(Scale(f"{name}.config.deny", entries="stricter") for name in _LISTING),
                *(
                    Scale(
                        f"rate-limiting.config.{name}", "limits", number="weaker", unlimited=(None,)
                    )
                    for name in _PERIODS
                ),
                Scale(
                    "request-size-limiting.config.allowed_payload_size", "limits", number="weaker"
                ),
                Scale(
                    "rate-limiting.config.fault_tolerant", "limits", order=(True, False), unset=True
                ),
            ),
            off=frozenset({"disabled"}),
        ),
        credentials=("config",),
    )
    for name in ("KongPlugin", "KongClusterPlugin")
)
CONTROLLERS: tuple[Controller, ...] = (KONG,)
