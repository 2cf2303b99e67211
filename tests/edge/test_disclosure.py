"""The line that a finding is about, of the project's own files and of nothing else."""

from pathlib import Path

from spokerender.edge.disclosure import with_excerpts
from spokerender.findings.codes.hub import UNREADABLE
from spokerender.findings.results import EXCERPT
from spokerender.model import Origin
from tests.support import each

TEXT = "kind: Gateway\nmetadata: {name: web\nspec: {}\n"


def excerpt(folder: Path, path: Path, line: int = 2, column: int = 11) -> str:
    result = UNREADABLE.result("not YAML", origin=Origin(str(path), line=line, column=column))
    (told,) = with_excerpts([result], folder)
    return dict(told.tags).get(EXCERPT, "")


def test_the_line_and_a_mark_below_the_column(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert excerpt(tmp_path, path) == "2 | metadata: {name: web\n  |           ^"


def test_nothing_of_a_file_outside_the_project(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(TEXT, encoding="utf-8")
    project = tmp_path / "project"
    project.mkdir()
    (project / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    assert excerpt(project, project / "link.yaml") == ""
    assert excerpt(project, tmp_path / "outside.yaml") == ""


@each("kind: Secret", "stringData: {}", "password: x", "apiKey: x", "bearerToken: x")
def test_nothing_of_a_file_that_may_have_a_credential(line: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"a: b\n---\n{line}\nb: [\n---\nc: [\n", encoding="utf-8")
    assert [excerpt(tmp_path, path, number, 1) for number in range(1, 7)] == [""] * 6


def test_nothing_of_what_is_gone_or_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    assert excerpt(tmp_path, path) == ""
    path.write_text(TEXT, encoding="utf-8")
    assert excerpt(tmp_path, path, line=9) == ""
    assert excerpt(tmp_path, path, column=0) == ""
