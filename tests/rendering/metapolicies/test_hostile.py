"""What a definition makes is what an API server has, and what is rendered: no Secret, no list."""

from __future__ import annotations

import pytest

from tests.support.metapolicies import definition, limits, rendered
from tests.support.stages import told

KIND, NAME = "kind: RateLimitPolicy", 'name: "${self.metadata.name}-limits"'
API = "apiVersion: kuadrant.io/v1"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (NAME, 'name: "../${self.metadata.name}"', 'name "../fair" is no DNS name'),
        (NAME, "name: a, namespace: ../b", 'namespace "../b" is no DNS label'),
        (
            f"{API}\n",
            f"{API}\n        items: []\n",
            "items at its top make it a list for what applies it",
        ),
        (
            NAME,
            f"{NAME}, resourceVersion: '5'",
            "metadata.resourceVersion is the cluster's own, and no object is applied with it",
        ),
        (API, "apiVersion: kuadrant.io/V1", 'apiVersion: "V1" is no version (such as v1)'),
    ],
)
def test_what_is_made_is_what_an_api_server_takes(old: str, new: str, message: str) -> None:
    template = limits()
    assert old in template
    found = rendered(definition(template.replace(old, new)))
    assert message in "".join(told(found.results, "SR2808"))


@pytest.mark.parametrize(
    ("api_version", "kind", "message"),
    [
        ("v1", "Secret", "a Secret is never rendered"),
        ("v1", "Namespace", "a Namespace is never rendered"),
        ("v1", "secret", "a secret is never rendered"),
        ("core/v1", "Secret", '"core" is no group of Kubernetes'),
        ("networking.k8s.io/v1", "HTTPRoute.gateway", '"HTTPRoute.gateway" is no kind'),
    ],
)
def test_no_secret_is_made_by_any_name(api_version: str, kind: str, message: str) -> None:
    template = limits().replace(API, f"apiVersion: {api_version}").replace(KIND, f"kind: {kind}")
    found = rendered(definition(template))
    assert message in "".join(told(found.results, "SR2808"))
