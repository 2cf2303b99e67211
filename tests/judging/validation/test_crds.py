"""Reading CRDs: only what is wanted, and never too little."""

import json
from typing import Any

import yaml

from spokerender.judging.validation.crds import Schemas, read_schemas
from spokerender.model import Origin
from tests.judging.validation.objects import GROUP, KIND, crd
from tests.support import case, cases, each, rows_of

WANTED = {(GROUP, KIND)}
OTHER = crd(group="other.example.com", names={"kind": "Other", "plural": "others"})


def kinds(known: Schemas) -> list[str]:
    return [f"{d.kind} {d.origin}" for items in known.definitions.values() for d in items]


def dumped(*objects: dict[str, Any]) -> bytes:
    return yaml.safe_dump_all(objects).encode()


@cases(
    case("plain", dumped(crd()), 1),
    case("marker", b"# comment\n---\n" + dumped(crd()), 3),
    case("second document", dumped(OTHER, crd()), 22),
    case("CRLF", dumped(crd()).replace(b"\n", b"\r\n"), 1),
    case("JSON", json.dumps(crd()).encode(), 1),
    case("List", json.dumps({"kind": "List", "items": [crd()]}).encode(), 1),
    case("escape", dumped(crd()).replace(b"kind: Thing", b'kind: "Thi\\x6eg"'), 1),
    case("quoted", dumped(crd()).replace(b": Thing", b": 'Thing' # ours"), 1),
    case("UTF-16", dumped(crd()).decode().encode("utf-16"), 1),
    case("directive", b"%YAML 1.1\n---\n" + dumped(crd()), 3),
)
def test_a_wanted_crd_is_found_however_it_is_written(text: bytes, line: int) -> None:
    known = read_schemas([("a.yaml", text)], (), WANTED)
    if known.results:  # what the hub's reader refuses, it refuses here too, and says so
        assert [result.code for result in known.results] == ["SR2309"]
    else:
        assert kinds(known) == [f"Thing a.yaml:{line}"]


def test_what_is_not_wanted_is_not_even_parsed() -> None:
    broken = dumped(OTHER) + b"  : [broken\n"
    assert read_schemas([("a.yaml", broken)], (), WANTED).results == ()


def test_crds_among_the_hubs_objects_count() -> None:
    known = read_schemas((), [(crd(), Origin("hub/crd.yaml", 0, 7)), (OTHER, Origin("x"))], WANTED)
    assert kinds(known) == ["Thing hub/crd.yaml:7"]


def test_a_file_that_is_not_yaml_is_told_with_its_line() -> None:
    text = dumped(OTHER, crd()) + b"  x: [\n"
    (result,) = read_schemas([("a.yaml", text)], (), WANTED).results
    assert (result.code, result.origin and result.origin.path) == ("SR2309", "a.yaml")
    assert result.origin is not None
    assert result.origin.line >= 22


@each(*rows_of(__file__, "a_crd_without_a_schema_is_told"))
def test_a_crd_without_a_schema_is_told(versions: Any) -> None:
    (result,) = read_schemas([("a.yaml", dumped(crd(versions=versions)))], (), WANTED).results
    assert (result.code, str(result.origin)) == ("SR2309", "a.yaml:1")
    assert "no schema" in result.message


@each(5, "x", [], {}, {"spec": 5}, {"spec": {"names": []}}, None)
def test_nothing_that_claims_to_be_a_crd_makes_it_raise(value: Any) -> None:
    item = {"kind": "CustomResourceDefinition", "spec": value}
    assert read_schemas([("a.yaml", dumped(item))], (), WANTED) is not None


@cases(*rows_of(__file__, "a_crd_that_no_api_server_takes_is_told"))
def test_a_crd_that_no_api_server_takes_is_told(names: dict[str, str], message: str) -> None:
    (result,) = read_schemas([("a.yaml", dumped(crd(names=names)))], (), WANTED).results
    assert (result.code, str(result.origin)) == ("SR2309", "a.yaml:1")
    assert message in result.message
