"""Paths: what gjson reads and sjson writes, but for what is refused here."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from spokerender.wings.publishing import jsonpaths
from spokerender.wings.publishing.jsonpaths import JsonPathError
from tests.support import each, rows_of

_CASES: Any = json.loads(
    (Path(__file__).parent / "go" / "jsonpaths.json").read_text(encoding="utf-8")
)
_DOCUMENT: dict[str, Any] = _CASES["document"]


def test_reading_is_as_in_gjson() -> None:
    for case in _CASES["get"]:
        found = jsonpaths.get_path(_DOCUMENT, case["path"])
        if found is None:
            assert "text" not in case
        else:
            text, is_list = jsonpaths.format_result(found.value), isinstance(found.value, list)
            assert {"path": case["path"], "text": text, "list": is_list} == case


def test_writing_is_as_in_sjson() -> None:
    before = copy.deepcopy(_DOCUMENT)
    for case in _CASES["write"]:
        if case.get("error"):
            with pytest.raises(JsonPathError):
                pytest.fail(f"{case}: {_write(case)}")
        else:
            left = {key: value for key, value in _DOCUMENT.items() if key not in case["gone"]}
            assert _write(case) == {**left, **case["changed"]}, case
        assert before == _DOCUMENT


def _write(case: dict[str, Any]) -> Any:
    if case["op"] == "set":
        return jsonpaths.put_path(_DOCUMENT, case["path"], "Z")
    return jsonpaths.delete_path(_DOCUMENT, case["path"])


@each("a.#.n", "a.#", ".a", "a.")
def test_several_things_at_once_are_not_written_to(path: str) -> None:
    with pytest.raises(JsonPathError):
        jsonpaths.put_path(_DOCUMENT, path, "Z")
    with pytest.raises(JsonPathError):
        jsonpaths.delete_path(_DOCUMENT, path)


@each("", "a" * 3000, ".a" * 200)
def test_what_means_nothing_or_too_much_is_refused(path: str) -> None:
    with pytest.raises(JsonPathError):
        jsonpaths.get_path(_DOCUMENT, path)


@each(*rows_of(__file__, "more_than_keys_and_indices_is_refused"))
def test_more_than_keys_and_indices_is_refused(path: str) -> None:
    with pytest.raises(JsonPathError, match="not supported"):
        jsonpaths.get_path(_DOCUMENT, path)


def test_a_list_is_not_filled_without_end() -> None:
    with pytest.raises(JsonPathError, match="index"):
        jsonpaths.put_path({}, "a.99999999", "x")


def test_numbers_stay_exact_and_text_is_not_escaped() -> None:
    large = 12345678901234567890
    assert (
        jsonpaths.format_result({"n": large, "s": "<&>", "f": 1.0})
        == f'{{"f":1,"n":{large},"s":"<&>"}}'
    )


_KEY = st.text("abz01.*?#|@\\:-é", min_size=1, max_size=4)


@pytest.mark.property
@given(st.lists(_KEY, min_size=1, max_size=4), st.integers())
def test_what_is_put_is_what_is_got(keys: list[str], value: int) -> None:
    path = ".".join("".join(f"\\{c}" if not c.isalnum() else c for c in key) for key in keys)
    try:
        data = jsonpaths.put_path({}, path, value)
    except JsonPathError:
        return
    if not any(key.startswith(":") or key == "-1" for key in keys):
        assert jsonpaths.get_path(data, path) == jsonpaths.FoundValue(value)
