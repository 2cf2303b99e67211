"""Scalars are written so that no reader takes them for anything else."""

from math import inf, nan

import pytest

from spokerender.formats.yamlio import scalar, unsupported, unsupported_key
from spokerender.formats.yamlio.emit import stays_block, stays_plain
from spokerender.formats.yamlio.simple import resolve
from tests.support import cases, each, rows_of


@cases(*rows_of(__file__, "scalar"))
def test_scalar(value: str | float | None, written: str) -> None:
    assert scalar(value) == written


@each(inf, -inf, nan, 10**400)
def test_what_json_has_not_is_no_scalar(value: float) -> None:
    with pytest.raises(ValueError, match="has no JSON form"):
        scalar(value)


STAYS = (
    *("a b", "a/*", "10s", "5m", "1h30m", "10.0.0.1", "1.2.3", "10.0.0.0/8", "50%", "v1.10", "a:b"),
    *("http://a:80/b", "request.method == 'GET'", "-a", "e3", "é", "+a", "0xg", "--", "2001-01"),
    *("true", "false", "null", "8", "-1", "0.5", "1e+21", "9223372036854776000", ""),
)
GOES = (
    *("yes", "N", "On", "oN", "True", "~", "Null", "=", "<<", "NaN", "Infinity", ".NaN", "+.inf"),
    *("010", "0o14", "0x1F", "0b1", "1_000", "+1", "1e3", "1.10", ".5", "1.", "-0", "08", "1e400"),
    *("1:30", "190:20:30", "12:30:45.5", "2001-01-01", "2001-1-1", "2001-01-01t00:00:00Z", "1,000"),
    *("2001-01-01 00:00:00", "0o8", "0x", "1e", "+", ".", "9223372036854775808"),
)


@each(*STAYS)
def test_plain_scalars_that_stay(source: str) -> None:
    assert stays_plain(source, resolve(source))


@each(*GOES)
def test_plain_scalars_that_are_written_anew(source: str) -> None:
    assert not stays_plain(source, resolve(source))


@each("\u202e", "\u2066", "\u200b", "\u00a0", "\u2028", "\ue000")
def test_what_nobody_sees_is_escaped(character: str) -> None:
    assert not stays_plain(f"a{character}b", f"a{character}b")
    assert stays_plain("größer \U0001f600", "größer \U0001f600")


def test_blocks_that_kustomize_spoils() -> None:
    assert stays_block(">", "a\nb\n")
    assert not stays_block(">", "a\n b\n")
    assert not stays_block(">", "a\n\n")
    assert stays_block("|", "a\n b\n")
    assert not stays_block("|", "a\n\n")


@cases(
    ("plain", None),
    ("\0\t\x1f", None),
    ("a\u2028b\nc", None),
    ("a\u2028", None),
    ("\U0001fffe", None),
    ("a\x7fb\x85", "U+007F"),
    ("é\x85", "U+0085"),
    ("\x9f", "U+009F"),
    ("\uffff", "U+FFFF"),
    ("\ud800", "U+D800"),
    ("\U00100000\U0010fffd\U0010fffe\U0010ffff", None),
    ("a\nb\u2028", "U+2028"),
    ("a\nb\u2029", "U+2029"),
)
def test_unsupported(text: str, character: str | None) -> None:
    assert unsupported(text) == character


def test_unsupported_keys() -> None:
    assert unsupported_key("k" * 998) is None
    assert unsupported_key("<<") == "kustomize takes it for a merge key"
    too_long = "kustomize can't carry a key longer than 1000 characters"
    assert unsupported_key("k" * 999) == too_long
    assert unsupported_key('"' * 500) == too_long
