"""Formats of strings that the API server enforces (kube-openapi, `strfmt`)."""

from __future__ import annotations

import pytest

from render.validation.formats import FORMATS


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("byte", "YQ==", "YQ"),
        ("cidr", "10.0.0.1/8", "10.0.0.1"),
        ("date", "2026-02-28", "2026-13-01"),
        ("date-time", "2026-02-28T10:00:00Z", "2026-02-28T25:00:00Z"),
        ("date-time", "2026-02-28T10:00:00.5+01:00", "yesterday"),
        ("duration", "1h30m", "soon"),
        ("duration", "2 days", ""),
        ("email", "a@example.com", "a"),
        ("hexcolor", "#fff", "#ff"),
        ("hostname", "a.example.com", "a..b"),
        ("ipv4", "1.2.3.4", "1.2.3.4:80"),
        ("ipv6", "::1", "1.2.3.4"),
        ("mac", "00:11:22:33:44:55", "00:11"),
        ("uri", "https://example.com/x", "example.com"),
        ("uri", "/path", "/pa th"),
        ("uuid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810"),
        ("uuid4", "6ba7b810-9dad-41d1-80b4-00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
    ],
)
def test_a_format(name: str, good: str, bad: str) -> None:
    assert FORMATS[name](good)
    assert not FORMATS[name](bad)
