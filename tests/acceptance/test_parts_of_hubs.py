"""Parts of real hubs that have no mistake in them, and parts that show one alone.

The verdicts were written by hand, by reading the hubs, before the renderer ran on them.
"""

from pathlib import Path

from tests.acceptance.hubs import (
    CORE,
    CURRENT,
    ISTIO,
    LISTED,
    OLD,
    OLDEST,
    QUICK_START,
    SAMPLES,
    X509,
    codes,
    hub,
    kinds_left,
    needed,
    placed_as_it_is,
    render,
    shipped,
)
from tests.support import cases, each, end_to_end as e2e, named_rows_of, rows_of, text_of

# Parts of the first hub.


def test_external_api(fixtures: Path) -> None:
    files = hub(fixtures / "hubs" / CURRENT, "examples/external-api-istio.yaml")
    found = render(files, "default/public-api")
    assert shipped(found) == {
        "Gateway default/public-api",
        "HTTPRoute default/public-api",
        "TLSPolicy default/tls",
        "DNSPolicy default/dns",
    }
    assert kinds_left(found) == {"ServiceEntry": 1, "DestinationRule": 1}
    assert e2e.objects(found) == {
        f"{item['kind']} default/{item['metadata']['name']}": placed_as_it_is(item)
        for item in e2e.parsed(*files.values())
        if item["kind"] not in ("ServiceEntry", "DestinationRule")
    }


@cases(*rows_of(__file__, "client_certificates"))
def test_client_certificates(gateway: str, more: tuple[str, ...], fixtures: Path) -> None:
    parts = [f"{X509}/{name}.yaml" for name in (gateway, "authpolicy", "httproute", "httpbin")]
    found = render(hub(fixtures / "hubs" / CURRENT, *parts), "gateway-system/mtls-gateway")
    assert shipped(found) == {
        "Gateway gateway-system/mtls-gateway",
        "TLSPolicy gateway-system/mtls-gateway-tls",
        "HTTPRoute default/httpbin-route",
        "AuthPolicy default/x509-auth-policy",
    }
    assert kinds_left(found) == {"ServiceAccount": 1, "Service": 1, "Deployment": 1}
    unlisted = {str(result.resource) for result in found.results if result.code == "SR1517"}
    assert unlisted == {
        "Issuer gateway-system/gateway-cert-issuer",
        *(f"{kind} gateway-system/mtls-gateway-config" for kind in more),
    }
    for kind in more:
        assert f"{kind} gateway-system/mtls-gateway-config" in needed(found)


@cases(*rows_of(__file__, "an_example_beside_its_gateway"))
def test_an_example_beside_its_gateway(
    example: str, objects: list[str], secrets: int, fixtures: Path
) -> None:
    files = hub(fixtures / "hubs" / CURRENT, ISTIO, f"examples/{example}")
    gateway = f"hub/{ISTIO}/gateway.yaml"
    name = b"  name: kuadrant-ingressgateway\n"
    assert files[gateway].count(name) == 1
    files[gateway] = files[gateway].replace(name, name + b"  namespace: gateway-system\n")
    found = render(files, "gateway-system/kuadrant-ingressgateway")
    assert shipped(found) == {*objects, "Gateway gateway-system/kuadrant-ingressgateway"}
    assert kinds_left(found) == {
        "Secret": secrets,
        "Deployment": 1,
        "Service": 1,
        "Kuadrant": 1,
        "Namespace": 1,
    }


# Parts of the second hub: a class whose parameters were written for this kind of tool.

CLASS, GATEWAY = f"{SAMPLES}/gatewayclass.yaml", f"{SAMPLES}/gateway.yaml"
PARAMETERS = (f"{QUICK_START}/configmap.yaml", f"{QUICK_START}/namespace.yaml")


@cases(*named_rows_of(__file__, "what_the_class_does_not_say"))
def test_what_the_class_does_not_say(  # noqa: PLR0913  (a row has this many columns)
    *,
    parts: list[str],
    gateway: str,
    listed: bool,
    as_: str,
    expected: list[str],
    fixtures: Path,
) -> None:
    files = hub(fixtures / "hubs" / OLD, *parts)
    fleet = LISTED if listed else None
    assert codes(render(files, f"default/{gateway}", fleet=fleet, as_=as_)) == expected


def test_the_class_lists_the_kinds(fixtures: Path) -> None:
    files = hub(fixtures / "hubs" / OLD, CLASS, GATEWAY, *PARAMETERS)
    as_ = "{gatewayClassName: istio}"
    found = render(files, "default/example-gateway", fleet=None, as_=as_)
    assert shipped(found) == {"Gateway default/example-gateway"}
    gateway = e2e.objects(found)["Gateway default/example-gateway"]
    assert gateway["spec"]["gatewayClassName"] == "istio"
    # Its list says v1beta1, which Kuadrant has not served for long: a version is no identity.
    (kinds,) = {found.sync.kinds("kuadrant-multi-cluster-gateway-instance-per-cluster")}
    assert (CORE, "AuthPolicy") in kinds


# The third hub: three steps of one walkthrough.


OLD_LIMITS = text_of(__file__, "parts_of_hubs_old_limits.yaml")
"""Kuadrant has not served this version for long."""


@each("", "-cluster_attr_limit", "-custom_attr_limit")
def test_one_step_of_the_walkthrough(step: str, fixtures: Path) -> None:
    place = "docs/ratelimitpolicy/walkthrough"
    parts = [
        f"{place}/{name}.yaml" for name in ("gateway", "gatewayclass", f"ratelimitpolicy{step}")
    ]
    files = hub(fixtures / "hubs" / OLDEST, *parts)
    assert codes(render(files, "default/example-gateway")) == ["SR2312"]
    found = render({**files, "hub/crd.yaml": OLD_LIMITS.encode()}, "default/example-gateway")
    assert shipped(found) == {"Gateway default/example-gateway", "RateLimitPolicy default/echo-rlp"}
    assert kinds_left(found) == {"CustomResourceDefinition": 1, "GatewayClass": 1}
    hub_gateway, hub_policy = (e2e.parsed(files[f"hub/{part}"])[0] for part in (parts[0], parts[2]))
    assert e2e.objects(found) == {
        "Gateway default/example-gateway": placed_as_it_is(hub_gateway),
        "RateLimitPolicy default/echo-rlp": placed_as_it_is(hub_policy),
    }
