"""Which fields differ, from what to what."""

import subprocess
import sys
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.formats.comparing import (
    ABSENT,
    Change,
    Item,
    changes,
    fingerprint,
    is_same_json,
    located,
)
from spokerender.kinds.table import all_rows, list_maps
from spokerender.model import shown
from tests.support import cases, cyaml, each, rows_of
from tests.support.carried import carried
from tests.support.profiles import examples

TABLE = tuple(all_rows().values())

GATEWAY = rows_of(__file__, "gateway")


def gateway(*listeners: str) -> Any:
    return cyaml.safe_load(GATEWAY + "".join(f"  - {text}\n" for text in listeners))


def compared(old: Any, new: Any) -> tuple[Change, ...]:
    return changes(old, new, list_maps(new))


def told(old: Any, new: Any) -> list[str]:
    return [f"{shown(change.path)}: {change.old} -> {change.new}" for change in compared(old, new)]


A = "{name: a, port: 80}"
B = "{name: b, port: 443}"
C = "{name: c, port: 8080}"


@cases((1, "1"), (1, True), (0, False), (1, 1.0), ("", None), (None, False), ([], {}), ({}, None))
def test_types_that_differ_are_a_difference(old: Any, new: Any) -> None:
    assert changes({"a": old}, {"a": new}) == (Change(("a",), old, new),)
    assert changes({"a": [old]}, {"a": [new]}) == (Change(("a", 0), old, new),)
    assert changes(old, new) == (Change((), old, new),)


def test_types_that_change_places_in_a_list_are_two_differences() -> None:
    assert changes([1, True, "1"], [True, 1, "1"]) == (Change((0,), 1, True), Change((1,), True, 1))


def test_the_order_of_keys_means_nothing() -> None:
    assert changes({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1}) == ()


def test_the_order_of_a_list_always_means_something() -> None:
    assert told({"a": ["x", "y"]}, {"a": ["y", "x"]}) == ["a[0]: x -> y", "a[1]: y -> x"]


def test_what_is_added_or_removed_is_told_whole() -> None:
    assert changes({"a": 1, "x": {"y": [1]}}, {"a": 1, "z": None}) == (
        Change(("x",), {"y": [1]}, ABSENT),
        Change(("z",), ABSENT, None),
    )


def test_keys_that_begin_with_two_underscores_count() -> None:
    assert told({"__a": 1}, {"__a": 2}) == ["__a: 1 -> 2"]


def test_an_item_inserted_into_a_list_is_one_addition_wherever_it_stands() -> None:
    rules: list[Any] = [{"name": "a"}, {"name": "b"}, {"name": "c"}]
    for place in range(4):
        longer = [*rules[:place], {"name": "new"}, *rules[place:]]
        added = Change(("rules", place), ABSENT, {"name": "new"})
        removed = Change(("rules", place), {"name": "new"}, ABSENT)
        assert changes({"rules": rules}, {"rules": longer}) == (added,)
        assert changes({"rules": longer}, {"rules": rules}) == (removed,)


def test_a_listener_is_known_by_its_name() -> None:
    old = gateway(A, B)
    new = gateway(C, "{name: a, port: 8081}", B)
    assert compared(old, new) == (
        Change(("spec", "listeners", Item((("name", "a"),)), "port"), 80, 8081),
        Change(("spec", "listeners", Item((("name", "c"),))), ABSENT, {"name": "c", "port": 8080}),
    )
    assert [shown(change.path) for change in compared(old, new)] == [
        "spec.listeners[name=a].port",
        "spec.listeners[name=c]",
    ]


def test_deepdiff_logs_nothing_about_a_step(caplog: pytest.LogCaptureFixture) -> None:
    """Python prints what nobody handles of a log on standard error."""
    old = {"kind": "Gateway", "spec": {"listeners": [{"name": "http", "port": 80}]}}
    new = {"kind": "Gateway", "spec": {"listeners": [{"name": "http", "port": 81}]}}
    (change,) = changes(old, new, {"spec.listeners": ("name",)})
    assert change.path == ("spec", "listeners", Item((("name", "http"),)), "port")
    assert caplog.records == []


def test_listeners_that_change_places_are_a_difference() -> None:
    assert [shown(change.path) for change in compared(gateway(A, B), gateway(B, A))] == [
        "spec.listeners[0].name",
        "spec.listeners[0].port",
        "spec.listeners[1].name",
        "spec.listeners[1].port",
    ]


@each("{port: 80}", "{name: [a], port: 80}", A, "null")
def test_listeners_that_their_names_cannot_tell_apart_are_paired_by_position(listener: str) -> None:
    assert [shown(c.path) for c in compared(gateway(A, listener), gateway(A, B))] == [
        f"spec.listeners[1]{field}"
        for field in {"{port: 80}": [".name", ".port"], "null": [""]}.get(
            listener, [".name", ".port"]
        )
    ]


def test_a_list_of_the_same_name_elsewhere_is_ordered() -> None:
    old, new = gateway(A, B), gateway(C, A, B)
    old["kind"] = new["kind"] = "Strange"
    assert [shown(change.path) for change in compared(old, new)] == ["spec.listeners[0]"]


def test_the_headers_of_a_route_match_are_known_by_their_names() -> None:
    text = """\
    apiVersion: gateway.networking.k8s.io/v1
    kind: HTTPRoute
    spec: {{rules: [{{matches: [{{headers: [{}]}}]}}]}}
    """
    old = cyaml.safe_load(text.format("{name: X-A, value: a}, {name: X-B, value: b}"))
    new = cyaml.safe_load(text.format("{name: X-B, value: c}"))
    headers = "spec.rules[0].matches[0].headers"
    assert told(old, new) == [
        f"{headers}[name=X-A]: {{'name': 'X-A', 'value': 'a'}} -> _Absence.ABSENT",
        f"{headers}[name=X-B].value: b -> c",
    ]


def test_list_maps_are_those_of_the_crds() -> None:
    found: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    for crd in carried("gateway-api@v1.6.1/experimental"):
        kind = (crd["spec"]["group"], crd["spec"]["names"]["kind"])
        for version in crd["spec"]["versions"]:
            spec = version["schema"]["openAPIV3Schema"]["properties"].get("spec", {})
            found.setdefault(kind, {}).update(maps_in(spec, "spec"))
    assert {(row.group, row.kind): dict(row.list_maps) for row in TABLE if row.list_maps} == {
        kind: maps
        for kind, maps in found.items()
        if maps and kind[0] == "gateway.networking.k8s.io"
    }


def maps_in(schema: Any, path: str) -> dict[str, tuple[str, ...]]:
    found = {}
    if schema.get("x-kubernetes-list-type") == "map":
        found[path] = tuple(schema["x-kubernetes-list-map-keys"])
    for key, child in schema.get("properties", {}).items():
        found |= maps_in(child, f"{path}.{key}")
    if isinstance(schema.get("items"), dict):
        found |= maps_in(schema["items"], f"{path}[]")
    return found


def test_a_path_is_shown_as_kubernetes_shows_it() -> None:
    path = ("metadata", "labels", "kuadrant.io/managed")
    assert shown(path) == "metadata.labels[kuadrant.io/managed]"
    assert shown(("spec", "rules", 0, "name")) == "spec.rules[0].name"
    assert shown(()) == ""


def test_a_path_is_located_in_either_object() -> None:
    old, new = gateway(A, B), gateway(C, B)
    path = ("spec", "listeners", Item((("name", "b"),)), "port")
    assert located(path, old) == ("spec", "listeners", 1, "port")
    gone = ("spec", "listeners", Item((("name", "a"),)), "port")
    assert located(gone, old) == ("spec", "listeners", 0, "port")
    assert located(gone, new) == ("spec", "listeners")
    assert located(("spec", "listeners", 7), new) == ("spec", "listeners")
    assert located(("spec", 0), new) == ("spec",)


def test_deepdiff_is_not_imported_for_equal_objects() -> None:
    code = (
        "import sys; from spokerender.formats.comparing import changes; "
        "assert changes({'a': [1]}, {'a': [1]}) == (); assert 'deepdiff' not in sys.modules; "
        "assert changes({'a': [1]}, {'a': [2]}) != (); assert 'deepdiff' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "1", "a.b", "null"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "a.b", "__c", "name"]), inner, max_size=4)
    ),
    max_leaves=12,
)
LISTENERS = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("abcd"), "port": st.integers(1, 3)}), max_size=4
)


@pytest.mark.property
@settings(max_examples=examples(100, house=20), deadline=None)
@given(old=JSON, new=JSON)
def test_the_changes_lead_from_the_old_to_the_new(old: Any, new: Any) -> None:
    found = changes(old, new)
    assert fingerprint(applied(old, found)) == fingerprint(new)
    assert bool(found) is not is_same_json(old, new)
    assert len({shown(change.path) for change in found}) == len(found)


@pytest.mark.property
@settings(max_examples=examples(60, house=20), deadline=None)
@given(old=LISTENERS, new=LISTENERS)
def test_what_is_told_of_listeners_is_what_differs(old: Any, new: Any) -> None:
    before, after = gateway(), gateway()
    before["spec"]["listeners"], after["spec"]["listeners"] = old, new
    found = compared(before, after)
    assert (found == ()) is (old == new)
    for change in found:
        for data, value in ((before, change.old), (after, change.new)):
            place = located(change.path, data)
            if value is not ABSENT:
                assert (len(place), reached(data, place)) == (len(change.path), value)
            elif isinstance(change.path[-1], Item):
                assert place == ("spec", "listeners")


def reached(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def applied(data: Any, found: tuple[Change, ...]) -> Any:
    """Make the changes one after the other: what goes away last to first, what comes in order."""
    whole = {"root": deepcopy(data)}
    removed = [change for change in found if change.new is ABSENT]
    for change in [*reversed(removed), *(change for change in found if change.new is not ABSENT)]:
        holder: Any = whole
        last: Any = "root"
        for step in change.path:
            holder, last = holder[last], step
        if change.new is ABSENT:
            del holder[last]
        elif change.old is ABSENT and isinstance(holder, list):
            holder.insert(last, change.new)
        else:
            holder[last] = change.new
    return whole["root"]
