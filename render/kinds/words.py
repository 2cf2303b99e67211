"""The words of APIs that our code compares the texts of objects with.

A test finds in the code what is compared and missing here (`tests/kinds/test_words.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from render.kinds.merging import Merge
from render.kinds.table import TABLE

_SPELLED_OUT = """
    All Same Selector None In NotIn Exists DoesNotExist HTTP HTTPS TLS TCP UDP Terminate
    RequestRedirect Gateway GatewayClass ListenerSet XListenerSet HTTPRoute GRPCRoute TLSRoute
    TCPRoute UDPRoute Service ConfigMap Secret Namespace ReferenceGrant core true direct false
    default defaults override overrides matches port istio.io/gateway-name
    gateway.networking.k8s.io/gateway-class-name
    gateway.networking.k8s.io gateway.networking.x-k8s.io headers
    istio-system items labels some within
"""


@cache
def words() -> frozenset[str]:
    """All of them: those that the code spells out, those of the table, and merge strategies."""
    return frozenset((*_SPELLED_OUT.split(), *map(str, Merge), *_texts_of(TABLE)))


def _texts_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts_of(item)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _texts_of(getattr(value, each.name))
