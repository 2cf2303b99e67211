"""Names, label values and hostnames that the API server takes, and what is wrong with others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from render.model.names import (
    gateway_name_fault,
    hostname_fault,
    label_fault,
    label_key_fault,
    label_value_fault,
    subdomain_fault,
)

LONG_NAME = ".".join(["a" * 63] * 3 + ["a" * 61])


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (label_fault, "a"),
        (label_fault, "a-1"),
        (label_fault, "1"),
        (label_fault, "a" * 63),
        (subdomain_fault, "a.b-c.d"),
        (subdomain_fault, LONG_NAME),
        (gateway_name_fault, "a.b"),
        (gateway_name_fault, "a" * 63),
        (label_key_fault, "A_b.c-1"),
        (label_key_fault, f"{LONG_NAME}/{'a' * 63}"),
        (label_value_fault, ""),
        (label_value_fault, "A_b.c-1"),
        (label_value_fault, "a" * 63),
        (hostname_fault, "shop.example.com"),
        (hostname_fault, "*.example.com"),
    ],
)
def test_nothing_is_wrong(fault: Callable[[str], str], text: str) -> None:
    assert fault(text) == ""


LABEL = ' is no DNS label (a-z, 0-9, "-")'
NAME = ' is no DNS name (a-z, 0-9, "-", ".")'


@pytest.mark.parametrize(
    ("fault", "text", "expected"),
    [
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
        (
            gateway_name_fault,
            "a" * 64,
            f'"{"a" * 64}" is longer than 63, which a gateway-name label can\'t hold',
        ),
        (gateway_name_fault, "A", f'"A"{NAME}'),
        (label_key_fault, "", '"" is no key of labels or annotations'),
        (label_key_fault, "a b", '"a b" is no key of labels or annotations'),
        (label_key_fault, "/a", f'""{NAME}'),
        (label_key_fault, "a/b/c", f'"a/b"{NAME}'),
        (label_key_fault, "a/", '"a/" is no key of labels or annotations'),
        (label_key_fault, f"a/{'a' * 64}", f'"{"a" * 64}" is longer than 63 characters'),
        (label_value_fault, "-a", '"-a" is no label value'),
        (label_value_fault, "a b", '"a b" is no label value'),
        (label_value_fault, "a" * 64, f'"{"a" * 64}" is longer than 63 characters'),
        (hostname_fault, "*", f'"*"{NAME}'),
        (hostname_fault, "a.*.b", f'"a.*.b"{NAME}'),
        (hostname_fault, "*.*.b", f'"*.b"{NAME}'),
        (hostname_fault, "Shop.example", f'"Shop.example"{NAME}'),
    ],
)
def test_what_is_wrong(fault: Callable[[str], str], text: str, expected: str) -> None:
    assert fault(text) == expected
