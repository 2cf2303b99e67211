"""No object is written under another's name, and no Secret at all, whatever it calls itself."""

from pathlib import Path

import pytest

from tests.cli.project import CLASS, PLACEMENT, PROJECT, Shell
from tests.edge.files.trees import snapshot
from tests.support import cases, each, end_to_end as e2e, rows_of

CONTENT = "c2VjcmV0LWNvbnRlbnQ="
TARGET = "{group: gateway.networking.k8s.io, kind: Gateway, name: web}"


def attached(api_version: str, kind: str, name: str = "shop", more: str = "") -> str:
    """An object that hangs on the Gateway, whatever it is."""
    return (
        f"apiVersion: {api_version!r}\nkind: {kind!r}\n"
        f"metadata: {{name: {name!r}, namespace: infra}}\nspec: {{targetRef: {TARGET}}}\n{more}"
    )


def listing(*kinds: tuple[str, str]) -> str:
    """The class's parameters, with more kinds that are to be synced."""
    entries = (f"    - {{group: {group!r}, kind: {kind!r}}}\n" for group, kind in kinds)
    return CLASS + "".join(entries)


@pytest.fixture
def project(empty: Shell) -> Shell:
    """A project in a folder of its own, so that what lands beside it is seen."""
    e2e.write(empty.folder / "project", PROJECT)
    return empty


def refused(project: Shell, hub: str, *kinds: tuple[str, str]) -> str:
    """What is said of a hub that is refused: by every command, and with nothing written."""
    e2e.write(
        project.folder / "project", {"hub/attack.yaml": hub, "hub/class.yaml": listing(*kinds)}
    )
    before = snapshot(project.folder)
    for command in ("check", "build"):
        done = project.run(command, "project")
        assert done.status == 2
        assert CONTENT not in done.out + done.err
        assert "Traceback" not in done.err
    assert snapshot(project.folder) == before
    return done.err


@cases(*rows_of(__file__, "a_type_that_no_api_server_has"))
def test_a_type_that_no_api_server_has(api_version: str, kind: str, project: Shell) -> None:
    group = api_version.rpartition("/")[0]
    assert "error SR1008" in refused(project, attached(api_version, kind), (group, kind))


@cases(*rows_of(__file__, "a_secret_by_another_name"))
def test_a_secret_by_another_name(api_version: str, kind: str, project: Shell) -> None:
    secret = attached(api_version, kind, more=f"data: {{key: {CONTENT}}}\n")
    told = refused(project, secret, (api_version.rpartition("/")[0], kind))
    assert "error SR1008" in told


SECRET = (
    "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: infra}, "
    f"data: {{key: {CONTENT}}}}}"
)


@each(*rows_of(__file__, "nor_one_among_the_items_of_something_else"))
def test_nor_one_among_the_items_of_something_else(hub: str, project: Shell) -> None:
    told = refused(project, hub, ("", "List"), ("", "Secret"))
    assert "with items at its top, kubectl takes it for a list" in told


def test_nor_one_that_a_list_has(project: Shell) -> None:
    hub = f"apiVersion: v1\nkind: SecretList\nitems: [{SECRET}]\n"
    e2e.write(project.folder / "project", {"hub/x.yaml": hub})
    project.succeed("build", "project")
    assert not any(CONTENT.encode() in data for data in written(project.folder / "project"))


@each(*rows_of(__file__, "nor_one_that_an_override_puts_among_items"))
def test_nor_one_that_an_override_puts_among_items(patch: str, project: Shell) -> None:
    override = (
        "  overrides:\n  - target: {kind: AuthPolicy, name: closed}\n"
        f"    spokes: {{all: true}}\n    {patch}\n"
    )
    e2e.write(project.folder / "project", {"placement.yaml": PLACEMENT + override})
    before = snapshot(project.folder)
    assert CONTENT not in project.refuse("build", "project").err
    assert snapshot(project.folder) == before


def test_names_of_rbac_that_differ_in_case_are_one_file(project: Shell) -> None:
    group = "rbac.authorization.k8s.io"
    hub = "---\n".join(attached(f"{group}/v1", "Policy", name) for name in ("Reader", "reader"))
    assert "error SR1507" in refused(project, hub, (group, "Policy"))


def test_a_long_name_is_written_and_found_again(project: Shell) -> None:
    group, name = ".".join(["g" * 60] * 3), ".".join(["n" * 60] * 4)
    e2e.write(
        project.folder / "project",
        {
            "hub/x.yaml": attached(f"{group}/v1", "Policy", name),
            "hub/class.yaml": listing((group, "Policy")),
        },
    )
    project.succeed("build", "project")
    project.succeed("check", "project", "--only", "tree")
    project.succeed("explain", "project", f"Policy/infra/{name}")


def written(project: Path) -> list[bytes]:
    """The bytes of every file of the output."""
    return [path.read_bytes() for path in (project / "clusters").rglob("*") if path.is_file()]
