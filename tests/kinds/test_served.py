"""Which versions a release of the Gateway API serves, by its release notes."""

from __future__ import annotations

import pytest

from spokerender.kinds.served import find_served_versions, parse_release

GROUP = "gateway.networking.k8s.io"


@pytest.mark.parametrize(
    ("kind", "bundle", "channel", "versions"),
    [
        ("BackendTLSPolicy", "v1.3.0", "standard", ()),
        ("BackendTLSPolicy", "v1.3.0", "experimental", ("v1alpha3",)),
        ("BackendTLSPolicy", "v1.4.1", "standard", ("v1",)),
        ("BackendTLSPolicy", "v1.6.1", "experimental", ("v1", "v1alpha3")),
        ("ReferenceGrant", "v1.4.1", "standard", ("v1beta1",)),
        ("ReferenceGrant", "v1.5.0", "standard", ("v1", "v1beta1")),
        ("ListenerSet", "v1.4.1", "experimental", ()),
        ("ListenerSet", "v1.5.0", "standard", ("v1",)),
        ("TLSRoute", "v1.5.0", "standard", ("v1",)),
        ("UDPRoute", "v1.5.0", "", ("v1alpha2",)),
        ("UDPRoute", "v1.6.0", "standard", ("v1",)),
        ("HTTPRoute", "1.2.1", "", ("v1", "v1beta1")),
        ("HTTPRoute", "v1.1.0", "", None),
        ("HTTPRoute", "v1.7.0", "", None),
        ("HTTPRoute", "main", "", None),
        ("HTTPRoute", "", "standard", None),
        ("AuthPolicy", "v1.6.0", "standard", None),
    ],
)
def test_what_a_release_serves(
    kind: str, bundle: str, channel: str, versions: tuple[str, ...] | None
) -> None:
    assert find_served_versions(GROUP, kind, bundle, channel) == versions


def test_a_kind_that_came_and_went() -> None:
    spans = [
        find_served_versions("gateway.networking.x-k8s.io", "XListenerSet", f"v1.{minor}.0", "")
        for minor in range(2, 7)
    ]
    assert spans == [(), ("v1alpha1",), ("v1alpha1",), (), ()]


@pytest.mark.parametrize(
    ("text", "number"),
    [("v1.4.1", (1, 4)), ("1.5.0-rc.1", (1, 5)), ("v1.5", (1, 5)), ("v1", None), ("vx.y", None)],
)
def test_the_number_of_a_release(text: str, number: tuple[int, int] | None) -> None:
    assert parse_release(text) == number
