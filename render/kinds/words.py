"""The words of APIs that our code compares the texts of objects with.

A test finds in the code what is compared and missing here (`tests/kinds/test_words.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
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
    istio-system items labels some within ExternalName ServiceImport multicluster.x-k8s.io
    networking.istio.io ServiceEntry
"""


@cache
def words() -> frozenset[str]:
    """All of them: those that the code spells out, those of the table, and merge strategies."""
    return frozenset((*_SPELLED_OUT.split(), *map(str, Merge), *_texts_of(TABLE)))


def _texts_of(table: object) -> set[str]:
    """The texts in rows, at any depth; rows share much of what they say, and that is read once."""
    texts: set[str] = set()
    pending, seen = [table], {id(table)}  # ids: the table keeps all that is in it
    while pending:
        value = pending.pop()
        inner: Sequence[object] = ()
        if isinstance(value, str):
            texts.add(value)
        elif isinstance(value, tuple):
            inner = value
        elif is_dataclass(value) and not isinstance(value, type):
            inner = [getattr(value, name) for name in _names_of(type(value))]
        fresh = [each for each in inner if id(each) not in seen]
        seen.update(map(id, fresh))
        pending += fresh
    return texts


@cache
def _names_of(row: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(row))
