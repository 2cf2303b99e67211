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


@cases(*rows_of(__file__, "numbers_at_the_edges"))
def test_numbers_at_the_edges(text: str, value: object) -> None:
    assert repr(resolve(text)) == repr(value)


@cases(*rows_of(__file__, "keys_are_strings"))
def test_keys_are_strings(text: str, key: str | None) -> None:
    assert key_text(text) == key


@cases(*rows_of(__file__, "integers_of_json"))
def test_integers_of_json(digits: str, value: object) -> None:
    assert repr(json_integer(digits)) == repr(value)
