"""`spokerender rename`: an object of the hub and all that names it, edited in place."""

from collections.abc import Sequence

import pytest

from tests.cli.project import CLASS, Shell
from tests.edge.files.trees import snapshot
from tests.support import cases, each, rows_of, text_of

HUB = text_of(__file__, "rename_hub.yaml")
RENAMED = [
    ("name: web   # the door", "name: edge   # the door"),
    ("name:  'web', namespace", "name:  'edge', namespace"),
    ("name: web # mine", "name: edge # mine"),
    ('kind: Gateway, name: "web"', 'kind: Gateway, name: "edge"'),
]
PLACEMENT = text_of(__file__, "rename_placement.yaml")
FLEET = rows_of(__file__, "fleet")
OLD = "Gateway/infra/web"


def replaced(text: str, pairs: list[tuple[str, str]]) -> str:
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def contents(shell: Shell, *paths: str) -> list[str]:
    return [(shell.folder / path).read_text() for path in paths]


@pytest.fixture
def project(empty: Shell) -> Shell:
    """A project with a Gateway that its hub, placement and fleet file name."""
    files = {"hub/class.yaml": CLASS, "hub/web.yaml": HUB, "placement.yaml": PLACEMENT}
    empty.write({**files, "fleet.yaml": FLEET})
    return empty


def test_all_that_names_a_gateway(project: Shell) -> None:
    project.succeed("build")
    before = snapshot(project.folder / "clusters")
    done = project.run("rename", OLD, "edge")
    assert (done.status, done.err.count("error")) == (0, 0)
    assert contents(project, "hub/web.yaml", "placement.yaml", "fleet.yaml") == [
        replaced(HUB, RENAMED),
        replaced(
            PLACEMENT,
            [("[infra/web,", "[infra/edge,"), ("infra, name: web}", "infra, name: edge}")],
        ),
        FLEET.replace("infra/web", "infra/edge"),
    ]
    for line in (
        "hub/web.yaml:4 metadata.name: edge",
        "hub/web.yaml:16 spec.parentRefs[0].name: edge",
        "hub/web.yaml:34 items[0].spec.targetRef.name: edge",
        "placement.yaml:7 spec.rules[0].gateways.names[0]: infra/edge",
        "fleet.yaml:5 spec.external[0].gateways[0]: infra/edge",
    ):
        assert f"  {line}\n" in done.out
    built = project.run("build", "--allow-delete", OLD)
    assert built.status == 0, built.err
    after = snapshot(project.folder / "clusters")
    assert len(after) == len(before)
    assert any("authpolicy" in str(path) for path in after)


def test_a_gateway_that_has_the_new_name_already(project: Shell) -> None:
    project.write({"hub/web.yaml": replaced(HUB, RENAMED[:1])})
    assert "spokerender rename Gateway/infra/web edge" in project.run("build").err
    project.succeed("rename", OLD, "edge")
    assert contents(project, "hub/web.yaml") == [replaced(HUB, RENAMED)]
    project.succeed("build")


ALIAS = rows_of(__file__, "alias")
EXPRESSION = "      merge: {metadata: {labels: {app: \"{{ 'web' }}\"}}}\n"
PATCH = "      merge: {spec: {targetRef: {name: web}}}\n"
OVERRIDE = "    - target: {kind: Gateway, name: web}\n      spokes: {all: true}\n"
TARGET = "    - target: {kind: AuthPolicy}\n      spokes: {all: true}\n"


@cases(
    ("hub/web.yaml", ALIAS, 44, "the value is an alias"),
    ("placement.yaml", TARGET + EXPRESSION, 15, 'has the name "web"'),
    ("placement.yaml", TARGET + PATCH, 15, 'has the name "web"'),
    ("placement.yaml", OVERRIDE + PATCH.replace("name: web", "a: b"), 13, "may mean Gateway"),
    ids=["alias", "expression", "patch", "any namespace"],
)
def test_refusals(path: str, more: str, line: int, message: str, project: Shell) -> None:
    (text,) = contents(project, path)
    project.write({path: text + more})
    before = snapshot(project.folder)
    done = project.run("rename", OLD, "edge")
    assert done.status == 2
    assert message in done.err
    assert f"{path}:{line}" in done.err
    assert snapshot(project.folder) == before


@cases(*rows_of(__file__, "names_that_are_refused"))
def test_names_that_are_refused(old: str, new: str, message: str, project: Shell) -> None:
    before = snapshot(project.folder)
    done = project.run("rename", old, new)
    assert done.status == 2
    assert message in done.err
    assert snapshot(project.folder) == before


def test_nothing_is_written_if_the_project_would_not_render(project: Shell) -> None:
    (text,) = contents(project, "hub/web.yaml")
    project.write({"hub/web.yaml": text.replace("kuadrant.io/v1\n", "kuadrant.io\n")})
    before = snapshot(project.folder)
    assert project.run("rename", OLD, "edge").status == 2
    assert snapshot(project.folder) == before


@each("absolute", "../theirs", "../link")
@cases(
    ("hub", "hub", ("rename", OLD, "edge")),
    ("placement", "placement.yaml", ("spoke", "add", "us", "--like", "eu")),
)
def test_nothing_outside_the_project_is_edited(
    key: str, file: str, command: Sequence[str], where: str, project: Shell
) -> None:
    """A hub or a placement that several projects read is not for one of them to edit."""
    for name in ("fleet.yaml", "hub", "placement.yaml"):
        place = project.folder / ("theirs" if name == file else "mine")
        place.mkdir(exist_ok=True)
        (project.folder / name).rename(place / name)
    (project.folder / "link").symlink_to(project.folder / "theirs")
    folder = str(project.folder / "theirs") if where == "absolute" else where
    project.write({"mine/fleet.yaml": f"{FLEET}  {key}: ['{folder}/{file}']\n"})
    before = snapshot(project.folder)
    done = project.run(*command, "mine")
    assert (done.status, "outside the project" in done.err) == (2, True)
    assert snapshot(project.folder) == before
