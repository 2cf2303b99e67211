"""Nothing published is taken back: over any history, with the tree deleted in between."""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

from spokerender.cli import run
from spokerender.wings.publishing.contexts import LogicalCluster
from spokerender.wings.publishing.copies.copying import name_copy
from tests.support.project import rendered_folder
from tests.wings.publishing.projects import CRD, FLEET, RESOURCE, objects, thing, write
from tests.wings.publishing.upstream import published

_NOTHING = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}\n"


def _schemas(folder: Path) -> dict[str, bytes]:
    files = (folder / "clusters/kcp").rglob("apiresourceschema*")
    return {path.name: path.read_bytes() for path in files}


def _listed(folder: Path) -> list[str]:
    (export,) = (
        data
        for path, data in objects(rendered_folder(folder), "kcp").items()
        if "apiexport" in path
    )
    return [entry["schema"] for entry in export["spec"]["resources"]]


def _step(folder: Path, description: str, *, is_published: bool, forgets: bool) -> None:
    if forgets:
        shutil.rmtree(folder / "clusters", ignore_errors=True)
    crd = CRD.replace("DESCRIPTION", description)
    hub = RESOURCE if is_published else _NOTHING
    write(
        folder,
        {
            "crds/things.yaml": crd,
            "hub/published.yaml": hub,
            "workspaces/team-a/things.yaml": "# nobody\n",
            "workspaces/team-b/things.yaml": "# nobody\n",
        },
    )
    assert run(["build", str(folder)]) == 0


@pytest.mark.property
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans()), min_size=1, max_size=5
    )
)
def test_no_schema_goes_or_changes_and_one_is_listed(steps: list[tuple[str, bool, bool]]) -> None:
    with TemporaryDirectory() as place:
        folder, before = Path(place), dict[str, bytes]()
        for description, is_published, forgets in steps:
            listed = _listed(folder) if before else []
            _step(folder, description, is_published=is_published, forgets=forgets)
            now = _schemas(folder)
            assert before.items() <= now.items()
            assert len(_listed(folder)) == min(1, len(now))
            if not is_published:
                assert _listed(folder) == listed
            before = now


def test_deleting_the_tree_and_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    _step(tmp_path, "a", is_published=True, forgets=False)
    _step(tmp_path, "b", is_published=True, forgets=False)
    first = {p: p.read_bytes() for p in (tmp_path / "clusters").rglob("*") if p.is_file()}
    _step(tmp_path, "b", is_published=True, forgets=True)
    assert first == {p: p.read_bytes() for p in (tmp_path / "clusters").rglob("*") if p.is_file()}
    assert len(_schemas(tmp_path)) == 2


def test_only_an_acknowledged_schema_goes(tmp_path: Path) -> None:
    _step(tmp_path, "a", is_published=True, forgets=False)
    (name,) = (path.stem for path in (tmp_path / "published/nora").glob("v*.yaml"))
    _step(tmp_path, "a", is_published=False, forgets=False)
    assert len(_schemas(tmp_path)) == 1
    deletion = f"{{ref: APIResourceSchema/{name}, spokes: [kcp], reason: nobody binds it}}"
    fleet = FLEET.replace("spec: {", f"spec: {{deletions: [{deletion}], ")
    (tmp_path / "fleet.yaml").write_text(fleet, encoding="utf-8")
    assert run(["build", str(tmp_path)]) == 0
    assert _schemas(tmp_path) == {}
    assert _listed(tmp_path) == []
    assert not list((tmp_path / "published/nora").glob("v*.yaml"))


def test_the_same_name_with_another_spec_is_an_error(tmp_path: Path) -> None:
    _step(tmp_path, "a", is_published=True, forgets=False)
    (path,) = (tmp_path / "published/nora").glob("v*.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("description: a", "description: z"))
    found = rendered_folder(tmp_path)
    assert [r.code for r in found.results if r.severity == "error"] == ["SR2728"]


def test_check_wants_the_files_to_be_what_a_build_writes(tmp_path: Path) -> None:
    _step(tmp_path, "a", is_published=True, forgets=False)
    assert run(["check", str(tmp_path), "--only", "tree"]) == 0
    shutil.rmtree(tmp_path / "published")
    assert run(["check", str(tmp_path), "--only", "tree"]) == 1


def allowed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The flags that the last command asks for."""
    return re.findall(r"--allow-delete=\S+", capsys.readouterr().err)


def test_withdrawing_what_has_copies_stops_the_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {})
    assert run(["build", str(tmp_path)]) == 0
    (tmp_path / "hub/published.yaml").write_text(_NOTHING, encoding="utf-8")
    assert run(["build", str(tmp_path)]) == 2
    assert list((tmp_path / "clusters/eu").rglob("thing*"))
    assert run(["build", str(tmp_path), *allowed(capsys)]) == 0
    assert not list((tmp_path / "clusters/eu").rglob("thing*"))
    assert len(_schemas(tmp_path)) == len(_listed(tmp_path)) == 1


def test_withdrawing_a_workspace_stops_the_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {})
    assert run(["build", str(tmp_path)]) == 0
    text = (tmp_path / "publishing.yaml").read_text(encoding="utf-8")
    without = text.replace("  - {name: team-b}\n", "")
    (tmp_path / "publishing.yaml").write_text(without, encoding="utf-8")
    assert run(["build", str(tmp_path)]) == 2
    assert run(["build", str(tmp_path), *allowed(capsys)]) == 0
    folders = [path.name for path in (tmp_path / "clusters/eu").iterdir() if path.is_dir()]
    assert folders == ["team-a"]


def test_what_a_consumer_deletes_goes(tmp_path: Path) -> None:
    things = "".join(thing(f"t{number}") for number in range(9))
    write(tmp_path, {"workspaces/team-a/things.yaml": things})
    assert run(["build", str(tmp_path)]) == 0
    fewer = things.replace(thing("t0"), "")
    (tmp_path / "workspaces/team-a/things.yaml").write_text(fewer, encoding="utf-8")
    assert run(["build", str(tmp_path)]) == 0


_NAME = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)


@pytest.mark.property
@given(st.sets(st.tuples(_NAME, _NAME, _NAME), min_size=2, max_size=8))
def test_default_names_never_collide(places: set[tuple[str, str, str]]) -> None:
    spec = published({"resource": {"apiGroup": "example.com", "kind": "Thing"}})
    names = {
        name_copy(
            {"metadata": {"namespace": namespace, "name": name}},
            spec,
            LogicalCluster(workspace),
            is_namespaced=True,
        )
        for workspace, namespace, name in places
    }
    assert len(names) == len(places)
