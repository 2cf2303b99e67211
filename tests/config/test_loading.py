"""From files to documents: where each stands, and what is not the one that is wanted."""

import pytest

from spokerender.config.documents import read_documents
from spokerender.findings.errors import InputError
from spokerender.model import Origin
from spokerender.wings.combined import fleet_model, read_fleet
from tests.support import each

HEADER = "apiVersion: spokerender.io/v1alpha1\nkind: Placement\n"
FLEET = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\n"


def document(name: str, *spokes: str) -> str:
    entries = "".join(f"  - name: {spoke}\n" for spoke in spokes)
    return f"{HEADER}metadata: {{name: {name}}}\nspec:\n  spokes:\n{entries}"


def told(text: str) -> list[tuple[str, str, str]]:
    with pytest.raises(InputError) as raised:
        read_fleet(("fleet.yaml", text.encode()))
    return [(found.code, str(found.origin), found.message) for found in raised.value.results]


def test_the_fleet_file_knows_its_lines() -> None:
    text = f"# ours\n{FLEET}spec:\n  hub:\n  - a/\n  - b/\n"
    found = read_fleet(("x/fleet.yaml", text.encode()))
    assert found.model.spec.hub == ("a/", "b/")
    assert found.at("spec", "hub", 1) == Origin("x/fleet.yaml", 0, 7)
    assert found.at("spec", "crds", 0) == Origin("x/fleet.yaml", 0, 4)


def test_without_a_fleet_file_there_is_only_its_name() -> None:
    found = read_fleet(None)
    assert found.model == fleet_model()()
    assert found.at("spec", "hub", 0) == Origin("fleet.yaml")


@each("", "# nothing\n", "---\n---\n")
def test_an_empty_fleet_file_is_refused(text: str) -> None:
    assert told(text) == [("SR1102", "fleet.yaml:1", "the file is empty")]


def test_a_second_fleet_is_refused() -> None:
    assert told(FLEET + "---\n" + FLEET) == [("SR1102", "fleet.yaml:4", "a second document")]


def test_a_field_has_the_line_on_which_it_is_written() -> None:
    text = f"# for the shop\n---\n{document('a', 's1')}---\n# more\n{document('b', 's2', 's3')}"
    (first, second), results = read_documents([("p.yaml", text.encode())], ["Placement"])
    assert results == []
    assert first.at() == Origin("p.yaml", 0, 3)
    assert first.at("spec", "spokes", 0) == Origin("p.yaml", 0, 8)
    assert second.at("metadata", "name") == Origin("p.yaml", 1, 13)
    assert second.at("spec", "spokes", 1, "name") == Origin("p.yaml", 1, 17)
    assert second.at("spec", "rules", 3) == Origin("p.yaml", 1, 14)


def test_json_is_read_as_well() -> None:
    text = (
        '{"apiVersion": "spokerender.io/v1alpha1", "kind": "Placement",\n'
        ' "metadata": {"name": "a"}, "spec": {}}'
    )
    (found,), results = read_documents([("p.json", text.encode())], ["Placement"])
    assert results == []
    assert found.value["metadata"] == {"name": "a"}


@each("9223372036854775808", "-12345678901234567890123", "0x" + "f" * 16)
def test_a_number_that_would_lose_digits_is_refused(number: str) -> None:
    spoke = f"  - name: eu\n    values:\n      id: {number}\n"
    text = f"{HEADER}metadata: {{name: a}}\nspec:\n  spokes:\n{spoke}"
    documents, results = read_documents([("placement.yaml", text.encode())], ["Placement"])
    assert documents == []
    assert [(str(result.origin), result.field) for result in results] == [
        ("placement.yaml:8", "spec.spokes[0].values.id")
    ]
    assert "does not fit 64 bits" in results[0].message


@each("9223372036854775807", "-9223372036854775807", "'9" + "9" * 30 + "'")
def test_a_number_of_64_bits_is_kept(number: str) -> None:
    spoke = f"{{name: eu, values: {{id: {number}}}}}"
    text = f"{HEADER}metadata: {{name: a}}\nspec: {{spokes: [{spoke}]}}\n"
    documents, results = read_documents([("placement.yaml", text.encode())], ["Placement"])
    assert (len(documents), results) == (1, [])
