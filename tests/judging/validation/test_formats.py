"""Formats of strings that the API server enforces (kube-openapi, `strfmt`)."""

from spokerender.judging.validation.constraints import FORMATS
from tests.support import cases, each


@cases(
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
)
def test_a_format(name: str, good: str, bad: str) -> None:
    assert FORMATS[name](good)
    assert not FORMATS[name](bad)


@each("1ms" * 10_000 + "x", "00h" * 10_000 + "x", "1 hours " * 10_000 + "x", "1" * 50_000)
def test_a_duration_is_read_in_linear_time(text: str) -> None:
    """Where a part could be matched in two ways, forty of them took for ever."""
    assert not FORMATS["duration"](text)


@cases(
    ("0", True),
    ("-0", True),
    ("00", False),
    ("1h0", False),
    ("1ms", True),
    ("1 hrs 2 days", True),
    ("1mss", True),
    ("1.5h.5m", True),
    ("-1.s", True),
    ("1 m s", False),
    ("", False),
)
def test_durations(text: str, is_one: bool) -> None:
    assert FORMATS["duration"](text) is is_one
