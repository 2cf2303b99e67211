"""Names, label values and hostnames that the API server takes, and what is wrong with others."""

from collections.abc import Callable

from spokerender.model.names import (
    api_version_fault,
    group_fault,
    hostname_fault,
    kind_fault,
    label_fault,
    label_key_fault,
    label_value_fault,
    path_segment_fault,
    subdomain_fault,
)
from tests.support import cases, each

LONG_NAME = ".".join(["a" * 63] * 3 + ["a" * 61])


@cases(
    (label_fault, "a"),
    (label_fault, "a-1"),
    (label_fault, "1"),
    (label_fault, "a" * 63),
    (subdomain_fault, "a.b-c.d"),
    (subdomain_fault, LONG_NAME),
    (label_key_fault, "A_b.c-1"),
    (label_key_fault, f"{LONG_NAME}/{'a' * 63}"),
    (label_value_fault, ""),
    (label_value_fault, "A_b.c-1"),
    (label_value_fault, "a" * 63),
    (hostname_fault, "shop.example.com"),
    (hostname_fault, "*.example.com"),
    (path_segment_fault, "system:A_b"),
    (path_segment_fault, "..."),
    (group_fault, ""),
    (group_fault, "apps"),
    (group_fault, "example.com"),
    (api_version_fault, "v1"),
    (api_version_fault, "policy/v1"),
    (api_version_fault, "example.com/v1alpha1"),
)
def test_nothing_is_wrong(fault: Callable[[str], str], text: str) -> None:
    assert fault(text) == ""


LABEL = ' is not a DNS label (a-z, 0-9, "-")'
NAME = ' is not a DNS name (a-z, 0-9, "-", ".")'


SEGMENTS = (".", "..", "a/b", "a%2fb", "a\n", "a\x85b", "a\u2028b", "a\x7f", "")


@cases(
    (label_fault, "", f'""{LABEL}'),
    (label_fault, "A", f'"A"{LABEL}'),
    (label_fault, "-a", f'"-a"{LABEL}'),
    (label_fault, "a-", f'"a-"{LABEL}'),
    (label_fault, "a.b", f'"a.b"{LABEL}'),
    (label_fault, "a/b", f'"a/b"{LABEL}'),
    (label_fault, "a\n", f'"a\n"{LABEL}'),
    (label_fault, "a" * 64, f'"{"a" * 64}" is longer than 63 characters'),
    (subdomain_fault, "", f'""{NAME}'),
    (subdomain_fault, "a..b", f'"a..b"{NAME}'),
    (subdomain_fault, "a_b", f'"a_b"{NAME}'),
    (subdomain_fault, f"{LONG_NAME}a", f'"{LONG_NAME}a" is longer than 253 characters'),
    (label_key_fault, "", '"" is not a key of labels or annotations'),
    (label_key_fault, "a b", '"a b" is not a key of labels or annotations'),
    (label_key_fault, "/a", f'""{NAME}'),
    (label_key_fault, "a/b/c", f'"a/b"{NAME}'),
    (label_key_fault, "a/", '"a/" is not a key of labels or annotations'),
    (label_key_fault, f"a/{'a' * 64}", f'"{"a" * 64}" is longer than 63 characters'),
    (label_value_fault, "-a", '"-a" is not a label value'),
    (label_value_fault, "a b", '"a b" is not a label value'),
    (label_value_fault, "a" * 64, f'"{"a" * 64}" is longer than 63 characters'),
    (hostname_fault, "*", f'"*"{NAME}'),
    (hostname_fault, "a.*.b", f'"a.*.b"{NAME}'),
    (hostname_fault, "*.*.b", f'"*.b"{NAME}'),
    (hostname_fault, "Shop.example", f'"Shop.example"{NAME}'),
    *((path_segment_fault, text, f'"{text}" is not a path segment') for text in SEGMENTS),
    (path_segment_fault, "a" * 254, f'"{"a" * 254}" is longer than 253 characters'),
    (group_fault, "core", '"core" is not a group of Kubernetes, and a CRD\'s has a dot'),
    (group_fault, "a/b.c", f'"a/b.c"{NAME}'),
    (group_fault, "A.b", f'"A.b"{NAME}'),
    (api_version_fault, "core/v1", '"core" is not a group of Kubernetes, and a CRD\'s has a dot'),
    (api_version_fault, "/v1", '"/v1" has no group before the slash'),
    (api_version_fault, "a.b/c/v1", f'"a.b/c"{NAME}'),
    (api_version_fault, "../../v1", f'"../.."{NAME}'),
    (api_version_fault, "..", '".." is not a version (such as v1)'),
    (api_version_fault, "v1 ", '"v1 " is not a version (such as v1)'),
    (api_version_fault, "V1", '"V1" is not a version (such as v1)'),
    (api_version_fault, "v1\n", '"v1\n" is not a version (such as v1)'),
    (api_version_fault, "a.b/", '"" is not a version (such as v1)'),
)
def test_what_is_wrong(fault: Callable[[str], str], text: str, expected: str) -> None:
    assert fault(text) == expected


@each("Gateway", "A1", "K" * 63)
def test_a_kind_of_kubernetes_own(kind: str) -> None:
    assert kind_fault("", kind) == kind_fault("example.com", kind) == ""


@each("gateway", "kebab-Case")
def test_a_kind_that_only_a_crd_can_have(kind: str) -> None:
    assert kind_fault("example.com", kind) == ""
    assert kind_fault("", kind) == f'"{kind}" is not a kind (such as Gateway)'


@each("", "..", "a/b", "HTTPRoute.gateway", "Secret ", " Secret", "A_b", "A%", "1A", "A-")
@each("", "example.com")
def test_what_no_kind_is_called(group: str, kind: str) -> None:
    assert kind_fault(group, kind) == f'"{kind}" is not a kind (such as Gateway)'
    assert kind_fault(group, "K" * 64) != ""
