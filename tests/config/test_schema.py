"""The JSON Schema takes what the models take."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from spokerender.wings.combined import build_schema
from tests.support import each, rows_of

SCHEMA = build_schema()
PLACED: dict[str, Any] = rows_of(__file__, "placed")
SETTINGS: dict[str, Any] = rows_of(__file__, "settings")


def is_valid(document: dict[str, Any]) -> bool:
    return bool(Draft202012Validator(SCHEMA).is_valid(document))


def placed(**spec: Any) -> dict[str, Any]:
    return {**PLACED, "spec": spec}


def test_it_is_a_schema_of_its_draft() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["$id"] == "https://spokerender.io/v1alpha1/schema.json"


@each(PLACED, SETTINGS, ids=["placement", "fleet"])
def test_what_is_right_is_valid(document: dict[str, Any]) -> None:
    assert is_valid(document)


@each(
    {**PLACED, "kind": "Fleet"},
    {**PLACED, "kind": "Other"},
    {**PLACED, "apiVersion": "v1"},
    {"apiVersion": "spokerender.io/v1alpha1", "spec": {}},
    {**SETTINGS, "spec": {"layot": "object"}},
    {**SETTINGS, "spec": {"max_hub_bytes": 5}},
    {**SETTINGS, "spec": {"maxHubBytes": 0}},
    {**SETTINGS, "spec": {"placement": 5}},
    {**SETTINGS, "spec": {"policiesToSync": [{"group": "a"}]}},
    placed(spokes=[{"name": "eu", "lables": {}}]),
    placed(spokes=[{"name": "EU"}]),
    placed(spokes=[{"name": "eu", "gatewayAPI": {"bundle": "1.4"}}]),
    placed(spokes=[{"name": "eu", "gatewayApi": {}}]),
    {**SETTINGS, "spec": {"policyKinds": [{"kind": "A"}]}},
    {**SETTINGS, "spec": {"policyKinds": [{"group": "a.b", "kind": "A", "rules": ["a."]}]}},
    {**SETTINGS, "spec": {"suppressions": [{"code": "SR1404", "resource": "A/b"}]}},
    placed(rules=[{"gateways": {"names": ["a/b"]}, "spokes": {}}]),
    placed(rules=[{"gateways": {"names": ["a/b"]}, "spokes": {"all": False}}]),
    placed(rules=[{"gateways": {"names": []}, "spokes": {"all": True}}]),
    placed(overrides=[{"target": {"kind": "A"}, "spokes": {"all": True}}]),
    ids=str,
)
def test_what_is_wrong_is_not(document: dict[str, Any]) -> None:
    assert not is_valid(document)


def properties(node: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of every definition."""
    for name, definition in node["$defs"].items():
        for key, value in definition.get("properties", {}).items():
            yield f"{name}.{key}", value


def test_everything_has_a_title_and_a_description() -> None:
    bare = [
        name
        for name, value in [*SCHEMA["$defs"].items(), *properties(SCHEMA)]
        if not value.get("description") or not (value.get("title") or "$ref" in value)
    ]
    assert bare == []


def test_keys_are_those_of_yaml() -> None:
    keys = {name.partition(".")[2] for name, _ in properties(SCHEMA)}
    assert {"as", "from", "matchLabels", "policiesToSync", "repoURL"} <= keys
    assert [key for key in keys if "_" in key] == []
