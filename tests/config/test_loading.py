"""From files to documents: order, duplicates, and documents that are not ours."""

from __future__ import annotations

from itertools import permutations

import pytest

from render.config import Fleet, load_placements, read_fleet
from render.findings.errors import InputError
from render.findings.results import Result, Severity
from render.model import Origin

HEADER = "apiVersion: spokerender.io/v1alpha1\nkind: Placement\n"
FLEET = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\n"


def document(name: str, *spokes: str) -> str:
    entries = "".join(f"  - name: {spoke}\n" for spoke in spokes)
    return f"{HEADER}metadata: {{name: {name}}}\nspec:\n  spokes:\n{entries}"


def results(*files: str) -> tuple[Result, ...]:
    sources = [(f"{index}.yaml", text.encode()) for index, text in enumerate(files)]
    with pytest.raises(InputError) as raised:
        load_placements(sources)
    return raised.value.results


def told(*files: str) -> list[tuple[str, str, str, str, str]]:
    """Code, place, field, message and cure of every result."""
    return [
        (found.code, str(found.origin), found.field, found.message, found.cure)
        for found in results(*files)
    ]


def fleet_told(text: str) -> list[tuple[str, str, str]]:
    with pytest.raises(InputError) as raised:
        read_fleet(("fleet.yaml", text.encode()))
    return [(found.code, str(found.origin), found.message) for found in raised.value.results]


def test_documents_come_in_the_order_of_their_names() -> None:
    files = [
        ("z.yaml", (document("b", "s1") + "---\n" + document("a", "s2")).encode()),
        ("y.yaml", document("c", "s3").encode()),
    ]
    orders = {
        tuple(loaded.model.metadata.name for loaded in load_placements(order))
        for order in permutations(files)
    }
    assert orders == {("a", "b", "c")}


def test_the_fleet_file_knows_its_lines() -> None:
    text = f"# ours\n{FLEET}spec:\n  hub:\n  - a/\n  - b/\n"
    found = read_fleet(("x/fleet.yaml", text.encode()))
    assert found.model.spec.hub == ("a/", "b/")
    assert found.at("spec", "hub", 1) == Origin("x/fleet.yaml", 0, 7)
    assert found.at("spec", "crds", 0) == Origin("x/fleet.yaml", 0, 4)


def test_without_a_fleet_file_there_is_only_its_name() -> None:
    found = read_fleet(None)
    assert found.model == Fleet()
    assert found.at("spec", "hub", 0) == Origin("fleet.yaml")


def test_no_file_is_no_document() -> None:
    assert load_placements([]) == ()


def test_a_field_has_the_line_on_which_it_is_written() -> None:
    text = f"# for the shop\n---\n{document('a', 's1')}---\n# more\n{document('b', 's2', 's3')}"
    first, second = load_placements([("p.yaml", text.encode())])
    assert first.origin == Origin("p.yaml", 0, 3)
    assert first.at("spec", "spokes", 0) == Origin("p.yaml", 0, 8)
    assert second.at("metadata", "name") == Origin("p.yaml", 1, 13)
    assert second.at("spec", "spokes", 1, "name") == Origin("p.yaml", 1, 17)
    assert second.at("spec", "rules", 3) == Origin("p.yaml", 1, 14)


def test_json_is_read_as_well() -> None:
    text = (
        '{"apiVersion": "spokerender.io/v1alpha1", "kind": "Placement",\n'
        ' "metadata": {"name": "a"}, "spec": {}}'
    )
    (loaded,) = load_placements([("p.json", text.encode())])
    assert loaded.model.metadata.name == "a"


def test_what_is_not_yaml_is_told_for_every_file() -> None:
    found = results("a: 'b", HEADER + "metadata: {name: a}\nmetadata: {name: b}\n")
    assert [(each.code, str(each.origin)) for each in found] == [
        ("SR1101", "0.yaml:2"),
        ("SR1101", "1.yaml:4"),
    ]
    assert {each.severity for each in found} == {Severity.ERROR}


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n"])
def test_an_empty_file_is_refused(text: str) -> None:
    cure = "begin with apiVersion: spokerender.io/v1alpha1 and kind: Placement"
    assert told(text) == [("SR1102", "0.yaml:1", "", "the file is empty", cure)]
    assert fleet_told(text) == [("SR1102", "fleet.yaml:1", "the file is empty")]


def test_a_document_of_another_kind_is_told_once_whatever_it_holds() -> None:
    assert told("kind: Deployment\napiVersion: apps/v1\nspec: {x: 1}\n") == [
        (
            "SR1102",
            "0.yaml:1",
            "kind",
            'must be Placement, but is the text "Deployment"',
            "write kind: Placement",
        ),
        (
            "SR1102",
            "0.yaml:2",
            "apiVersion",
            'must be spokerender.io/v1alpha1, but is the text "apps/v1"',
            "write apiVersion: spokerender.io/v1alpha1",
        ),
    ]


def test_a_document_without_a_kind_is_told_what_to_add() -> None:
    assert told("apiVersion: spokerender.io/v1alpha1\nspec: {}\n") == [
        ("SR1104", "0.yaml:1", "kind", 'the key "kind" is missing', "add kind: Placement")
    ]


def test_a_document_that_is_no_mapping() -> None:
    assert told("- a\n") == [
        (
            "SR1102",
            "0.yaml:1",
            "",
            "must be a Placement, but is a list",
            "begin with kind: Placement",
        )
    ]


def test_a_second_fleet_is_refused() -> None:
    assert fleet_told(FLEET + "---\n" + FLEET) == [("SR1102", "fleet.yaml:4", "a second document")]


def test_one_name_for_two_placements() -> None:
    assert told(document("a", "s1"), document("a", "s2")) == [
        (
            "SR1107",
            "1.yaml:3",
            "metadata.name",
            'the placement "a" is also in 0.yaml:3',
            "rename or remove one of the two placements",
        )
    ]


def test_one_name_for_two_spokes_within_and_across_files() -> None:
    assert told(document("a", "s1", "s2", "s1"), document("b", "s2")) == [
        (
            "SR1107",
            "0.yaml:8",
            "spec.spokes[2].name",
            'the spoke "s1" is also in 0.yaml:6',
            "rename or remove one of the two spokes",
        ),
        (
            "SR1107",
            "1.yaml:6",
            "spec.spokes[0].name",
            'the spoke "s2" is also in 0.yaml:7',
            "rename or remove one of the two spokes",
        ),
    ]


def test_the_problems_of_all_files_are_told_by_file_and_line() -> None:
    found = told(
        document("b", "UPPER") + "  rule: []\n",
        "a: 'b",
        document("c", "s1") + "---\n" + document("d", "s1").replace("spokes", "spoke"),
    )
    assert [(code, origin, field) for code, origin, field, _, _ in found] == [
        ("SR1105", "0.yaml:6", "spec.spokes[0].name"),
        ("SR1103", "0.yaml:7", "spec.rule"),
        ("SR1101", "1.yaml:2", ""),
        ("SR1103", "2.yaml:12", "spec.spoke"),
    ]
