"""The words of APIs that our code compares the texts of objects with.

A test finds in the code what is compared and missing here (`tests/kinds/test_words.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter

from msgspec import Struct

from spokerender.kinds.merging import Merge
from spokerender.kinds.table import TABLE

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
        sort: type = type(value)
        for each in value if isinstance(value, tuple) else _fields_of(sort)(value):
            if isinstance(each, str):
                texts.add(each)
            elif each is not None and id(each) not in seen:
                seen.add(id(each))
                pending.append(each)
    return texts


@cache
def _fields_of(row: type) -> Callable[[object], Sequence[object]]:
    """What gives the fields of such a row, all at once; what is no row has none."""
    names = row.__struct_fields__ if issubclass(row, Struct) else ()
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: [getattr(value, name) for name in names]
