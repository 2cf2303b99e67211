"""The versions of kinds that each release of the Gateway API serves.

Sources: the release notes and CRDs of kubernetes-sigs/gateway-api, v1.2 to v1.6. They are used
for spokes that declare a release without providing its CRDs.
"""

import re

from msgspec import Struct

STANDARD, EXPERIMENTAL = "standard", "experimental"
FIRST, LAST = (1, 2), (1, 6)
"""The first and last known release."""

_BUNDLE = re.compile(r"v?([0-9]{1,4})\.([0-9]{1,4})(?:\..*)?")


class Row(Struct, frozen=True):
    """A version of a kind, and since which release each channel serves it; None: never.

    `until` is the first release that no longer does.
    """

    kind: str
    version: str
    standard: tuple[int, int] | None = None
    experimental: tuple[int, int] | None = FIRST
    until: tuple[int, int] | None = None
    group: str = "gateway.networking.k8s.io"


_X = "gateway.networking.x-k8s.io"

ROWS = (
    Row("BackendTLSPolicy", "v1", (1, 4), (1, 4)),
    Row("BackendTLSPolicy", "v1alpha3"),
    Row("GRPCRoute", "v1", FIRST),
    Row("Gateway", "v1", FIRST),
    Row("Gateway", "v1beta1", FIRST),
    Row("GatewayClass", "v1", FIRST),
    Row("GatewayClass", "v1beta1", FIRST),
    Row("HTTPRoute", "v1", FIRST),
    Row("HTTPRoute", "v1beta1", FIRST),
    Row("ListenerSet", "v1", (1, 5), (1, 5)),
    Row("ReferenceGrant", "v1", (1, 5), (1, 5)),
    Row("ReferenceGrant", "v1beta1", FIRST),
    Row("TCPRoute", "v1", (1, 6), (1, 6)),
    Row("TCPRoute", "v1alpha2"),
    Row("TLSRoute", "v1", (1, 5), (1, 5)),
    Row("TLSRoute", "v1alpha2"),
    Row("TLSRoute", "v1alpha3", experimental=(1, 3)),
    Row("UDPRoute", "v1", (1, 6), (1, 6)),
    Row("UDPRoute", "v1alpha2"),
    Row("XBackend", "v1alpha1", experimental=(1, 6), group=_X),
    Row("XBackendTrafficPolicy", "v1alpha1", experimental=(1, 3), group=_X),
    Row("XListenerSet", "v1alpha1", experimental=(1, 3), until=(1, 5), group=_X),
    Row("XMesh", "v1alpha1", experimental=(1, 4), group=_X),
)


def parse_release(bundle: str) -> tuple[int, int] | None:
    """Return major and minor of a bundle version such as `v1.4.1`, or None if it is none."""
    match = _BUNDLE.fullmatch(bundle)
    return (int(match[1]), int(match[2])) if match else None


def find_served_versions(
    group: str, kind: str, bundle: str, channel: str
) -> tuple[str, ...] | None:
    """Return the versions of a kind that a bundle's channel serves; None where that is unknown.

    With no channel, what either serves.
    """
    number = parse_release(bundle)
    rows = [row for row in ROWS if (row.group, row.kind) == (group, kind)]
    if number is None or not FIRST <= number <= LAST or not rows:
        return None
    return tuple(row.version for row in rows if _is_served(row, number, channel))


def _is_served(row: Row, number: tuple[int, int], channel: str) -> bool:
    since = {STANDARD: row.standard, EXPERIMENTAL: row.experimental}
    starts = [since[channel]] if channel in since else list(since.values())
    is_over = row.until is not None and number >= row.until
    return not is_over and any(start is not None and start <= number for start in starts)
