"""Texts that our code compares texts of objects with: no slot may stand for one of them."""

from collections.abc import Collection
from functools import cache

from spokerender.kinds.merging import Merge
from spokerender.kinds.table import (
    ALWAYS_READ,
    CLASS_NAMES,
    CONTROLLER_NAMES,
    GROUPS,
    VENDORS,
    vendor_controllers,
    vendor_rows,
)
from spokerender.model.shapes import texts_in

# tests/kinds/test_compared.py finds in the code what is compared and missing here.
_IN_CODE = """
    All Same Selector None In NotIn Exists DoesNotExist HTTP HTTPS TLS TCP UDP Terminate
    RequestRedirect Gateway GatewayClass ListenerSet XListenerSet HTTPRoute GRPCRoute TLSRoute
    TCPRoute UDPRoute Service ConfigMap Secret Namespace ReferenceGrant core true direct false
    default defaults override overrides matches backendRefs port istio.io/gateway-name
    gateway.networking.k8s.io/gateway-class-name
    gateway.networking.k8s.io gateway.networking.x-k8s.io headers
    istio-system items labels some within ExternalName ServiceImport multicluster.x-k8s.io
    networking.istio.io ServiceEntry annotations metadata unknown status allow
    source.ip remote.ip destination.ip request.headers[:
    infrastructure ExtensionRef RequestMirror URLRewrite ValueRef RegularExpression Passthrough
    kubernetes.io/tls Invalid InvalidCertificateRef
    PartiallyInvalidCertificateRef NoValidCACertificate RefNotPermitted InvalidRouteKinds
    ProtocolConflict HostnameConflict NoMatchingListenerHostname
    second minute hour day month year predicate stricter open first tls one some externalAuth
    t T TRUE True Exact PathPrefix replacePrefixMatch requestMirror ExternalAuth POST https http
    oidc certificate
"""


def compared_texts(texts: Collection[str] | None = None) -> frozenset[str]:
    """Return the texts in the code, and those in rows of the table that can be asked for.

    `texts` is every text of the objects in which slots may stand, where no slot stands for an API
    group or a kind. A row is found by the group of an object or of a reference, so rows count whose
    group is (or is a part of) one of the texts; without texts every row counts.
    """
    vendors: Collection[str] = VENDORS
    if texts is not None:
        everything = "\n".join(texts)
        # Anywhere in a text: an apiVersion has its version behind the group.
        named = (vendor for group, vendor in GROUPS.items() if group and group in everything)
        vendors = {*ALWAYS_READ, *named}
    return _texts_in_code().union(*map(_vendor_texts, vendors))


@cache
def _texts_in_code() -> frozenset[str]:
    """Return the texts that are compared whatever the objects are, the table's indexes included."""
    return frozenset(
        (*_IN_CODE.split(), *map(str, Merge), *GROUPS, *CONTROLLER_NAMES, *CLASS_NAMES)
    )


@cache
def _vendor_texts(vendor: str) -> frozenset[str]:
    rows = tuple(vendor_rows(vendor).values())
    return frozenset(texts_in((rows, vendor_controllers(vendor))))
