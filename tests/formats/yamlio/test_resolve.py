"""Plain scalars mean what kubectl says that they mean (`test_kubectl` asks it about thousands)."""

import json
from pathlib import Path

from spokerender.formats.yamlio.simple import json_integer, key_text, resolve
from tests.support import cases, rows_of


def test_the_73_scalars(fixtures: Path) -> None:
    rows = json.loads((fixtures / "yaml-scalars-kubectl.json").read_text())["rows"]
    readable = [row for row in rows if "error" not in row["kubectl"]]
    expected = {row["scalar"]: row["kubectl"]["value"] for row in readable}
    read = {row["scalar"]: resolve(row["scalar"]) for row in readable}
    assert json.dumps(read) == json.dumps(expected)


@cases(
    (".5_5", 0.55),
    ("._5", "._5"),
    ("-0.0", 0),
    ("0b-1", -1),
    ("-0b+1", "-0b+1"),
    ("-_1", -1),
    ("_1", "_1"),
    ("0x_1", 1),
    ("1e20", 100000000000000000000),
    ("1e21", 1e21),
    ("1e-400", 0),
    ("-9223372036854775808", -9223372036854775808),
    ("-9223372036854775809", -9223372036854776000),
    ("+9223372036854775808", 9223372036854776000),
    ("0xffffffffffffffff", 18446744073709552000),
    ("0xfffffffffffffffff", "0xfffffffffffffffff"),
    ("9" * 5000, "9" * 5000),
    ("-" + "9" * 5000, "-" + "9" * 5000),
)
def test_numbers_at_the_edges(text: str, value: object) -> None:
    assert repr(resolve(text)) == repr(value)


@cases(*rows_of(__file__, "keys_are_strings"))
def test_keys_are_strings(text: str, key: str | None) -> None:
    assert key_text(text) == key


@cases(
    ("0", 0),
    ("-7", -7),
    ("9223372036854775807", 9223372036854775807),
    ("9223372036854775808", 9223372036854776000),
    ("1" + "0" * 30, 1e30),
    ("1" + "0" * 300, 1e300),
)
def test_integers_of_json(digits: str, value: object) -> None:
    assert repr(json_integer(digits)) == repr(value)
