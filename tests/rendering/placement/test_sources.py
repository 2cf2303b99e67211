"""Sources of placements: a file goes to the one that has its suffix, and all of them add up."""

from collections.abc import Sequence

import pytest
from msgspec import Struct

from spokerender.adopting import placements
from spokerender.config.documents import Named
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result, Severity
from spokerender.model import Origin, Spoke
from spokerender.model.sources import File
from spokerender.pipeline import render
from spokerender.rendering.placement import sources
from spokerender.rendering.placement.source import Declared, PlacementSource
from spokerender.rendering.placement.sources import read_declarations
from tests.support import each
from tests.support.project import project
from tests.support.stages import CLASS, EVERYWHERE, GATEWAY, hub

HEADER = "apiVersion: spokerender.io/v1alpha1\nkind: Placement\n"


def document(name: str, *spokes: str) -> str:
    entries = "".join(f"  - name: {spoke}\n" for spoke in spokes)
    return f"{HEADER}metadata: {{name: {name}}}\nspec:\n  spokes:\n{entries}"


def results(*files: str) -> tuple[Result, ...]:
    sources = [(f"{index}.yaml", text.encode()) for index, text in enumerate(files)]
    with pytest.raises(InputError) as raised:
        read_declarations(sources)
    return raised.value.results


def told(*files: str) -> list[tuple[str, str, str, str, str]]:
    """Code, place, field, message and cure of every result."""
    return [
        (found.code, str(found.origin), found.field, found.message, found.cure)
        for found in results(*files)
    ]


def test_what_is_not_yaml_is_told_for_every_file() -> None:
    found = results("a: 'b", HEADER + "metadata: {name: a}\nmetadata: {name: b}\n")
    assert [(each.code, str(each.origin)) for each in found] == [
        ("SR1101", "0.yaml:2:1"),
        ("SR1101", "1.yaml:4:1"),
    ]
    assert {each.severity for each in found} == {Severity.ERROR}


@each("", "# nothing\n", "---\n---\n")
def test_an_empty_file_is_refused(text: str) -> None:
    cure = "begin with apiVersion: spokerender.io/v1alpha1 and kind: Placement"
    assert told(text) == [("SR1102", "0.yaml:1", "", "the file is empty", cure)]


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
        ("SR1101", "1.yaml:2:1", ""),
        ("SR1103", "2.yaml:12", "spec.spoke"),
    ]


def test_no_file_declares_nothing() -> None:
    found = read_declarations([])
    assert (found.spokes, found.rules, found.overrides) == ((), (), ())


def _clusters(files: Sequence[File]) -> Declared:
    """Read the whole of a source that is added: CSV files of clusters, with their regions."""
    spokes, names = [], []
    for path, data in files:
        for number, text in enumerate(data.decode().splitlines()[1:], start=2):
            name, region = text.split(",")
            line = _Line(path, number)
            spokes.append(Spoke(name, {"region": region}, {}, line.at))
            names.append(Named("spoke", name, (), line))
    return Declared(tuple(spokes), names=tuple(names))


class _Line(Struct, frozen=True):
    """A line of a CSV file."""

    path: str
    line: int

    def at(self, *_: str | int) -> Origin:
        """Return it, whatever the field."""
        return Origin(self.path, line=self.line)


CLUSTERS = "name,region\neu,emea\nus,america\n"


@pytest.fixture
def with_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row in the table: nothing else knows of the source."""
    row = PlacementSource((".csv",), _clusters)
    monkeypatch.setattr(sources, "SOURCES", (*sources.SOURCES, row))


@pytest.mark.usefixtures("with_clusters")
def test_spokes_of_one_source_get_what_rules_of_another_say() -> None:
    rules = f"{HEADER}metadata: {{name: shop}}\nspec:\n  rules:\n  {EVERYWHERE}"
    files = {"clusters.csv": CLUSTERS, "placement.yaml": rules}
    found = render(project(hub(CLASS, GATEWAY), files))
    assert [each for each in found.results if each.severity is Severity.ERROR] == []
    assert {
        name: (bundle.spoke.labels, str(bundle.spoke.origin), len(bundle.blueprint.variants))
        for name, bundle in found.bundles.items()
    } == {
        "eu": ({"region": "emea"}, "clusters.csv:2", 1),
        "us": ({"region": "america"}, "clusters.csv:3", 1),
    }


@pytest.mark.usefixtures("with_clusters")
def test_a_spoke_that_two_sources_declare_is_an_error_that_names_both() -> None:
    files = [("0.yaml", document("a", "s1", "eu").encode()), ("1.csv", CLUSTERS.encode())]
    with pytest.raises(InputError) as raised:
        read_declarations(files)
    (result,) = raised.value.results
    assert (result.code, str(result.origin)) == ("SR1107", "1.csv:2")
    assert result.message == 'the spoke "eu" is also in 0.yaml:7'


@pytest.mark.usefixtures("with_clusters")
def test_files_of_other_sources_are_left_to_their_tools() -> None:
    rules = document("a", "s1", "s2") + "  rules:\n  - {spokes: {names: [eu, s1]}}\n"
    files = [("clusters.csv", CLUSTERS.encode()), ("placement.yaml", rules.encode())]
    assert placements.rename_spoke_in_files(files, "s1", "asia").keys() == {"placement.yaml"}
    with pytest.raises(InputError, match="1 problems"):
        placements.rename_spoke_in_files(files, "eu", "asia")


@pytest.mark.usefixtures("with_clusters")
def test_folders_are_searched_for_the_files_of_all_sources() -> None:
    assert sources.list_suffixes() == (".yaml", ".yml", ".json", ".csv")
