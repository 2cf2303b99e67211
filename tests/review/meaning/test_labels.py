"""Labels that change: whoever owns their domain may read them on the spokes."""

from spokerender.findings.results import INFO, WARNING, Severity
from tests.review.meaning.scenes import compare, gateway, hub, route, state
from tests.support import cases, manifest

OWN_CLASS = manifest("GatewayClass own", "controllerName: shop.example.com/multi-cluster")


@cases(("istio", "shop.example.com/audience", INFO), ("own", "shop.example.com/audience", WARNING),
       ("istio", "networking.istio.io/audience", WARNING),
       ids=["a class of the hub alone", "the class of the Gateway", "an API"])  # fmt: skip
def test_the_domain_of_a_class_counts_where_gateways_have_the_class(
    used: str, label: str, severity: Severity
) -> None:
    labelled = route().replace("namespace: infra", f"namespace: infra, labels: {{{label}: all}}", 1)
    assert labelled != route()
    old, new = (state(hub("istio", OWN_CLASS, gateway(used), text)) for text in (labelled, route()))
    (result,) = (item.result for item in compare(old, new).consequences)
    assert (result.code, result.severity) == ("SR2562", severity)
    assert label in result.message
