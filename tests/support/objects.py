"""Objects of Kubernetes as YAML texts."""

from collections.abc import Mapping

_GROUPS = {
    "v1": "ConfigMap Namespace Secret Service ServiceAccount",
    "apps/v1": "Deployment",
    "gateway.envoyproxy.io/v1alpha1": (
        "BackendTrafficPolicy ClientTrafficPolicy EnvoyExtensionPolicy EnvoyPatchPolicy EnvoyProxy "
        "SecurityPolicy"
    ),
    "gateway.kgateway.dev/v1alpha1": "TrafficPolicy",
    "gateway.networking.k8s.io/v1": (
        "BackendTLSPolicy GRPCRoute Gateway GatewayClass HTTPRoute ListenerSet"
    ),
    "gateway.networking.k8s.io/v1alpha2": "TCPRoute TLSRoute UDPRoute",
    "gateway.networking.k8s.io/v1beta1": "ReferenceGrant",
    "kuadrant.io/v1": "AuthPolicy DNSPolicy RateLimitPolicy TLSPolicy",
    "networking.k8s.io/v1": "NetworkPolicy",
    "security.istio.io/v1": "AuthorizationPolicy",
}
API: Mapping[str, str] = {kind: api for api, kinds in _GROUPS.items() for kind in kinds.split()}
"""The API of each kind that is in many tests."""


def manifest(of: str, spec: str | None = None, *, api: str = "", **fields: str) -> str:
    """An object, by its kind, namespace and name as findings write them: ``HTTPRoute shop/cart``.

    Args:
        of: its kind, namespace and name.
        spec: the entries of its ``spec``, in YAML's flow style; None for no ``spec``.
        api: its ``apiVersion``, if ``API`` has none or another.
        fields: entries of ``metadata`` in flow style, and every other field with its whole value.

    """
    kind, _, place = of.partition(" ")
    namespace, _, name = place.rpartition("/")
    metadata = [f"name: {name}", f"namespace: {namespace}" if namespace else ""]
    metadata.append(fields.pop("metadata", ""))
    lines = {"apiVersion": api or API[kind], "kind": kind}
    lines["metadata"] = f"{{{', '.join(filter(None, metadata))}}}"
    lines |= {} if spec is None else {"spec": f"{{{spec}}}"}
    return "".join(f"{key}: {value}\n" for key, value in (lines | fields).items())
