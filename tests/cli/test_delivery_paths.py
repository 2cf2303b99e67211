"""Where engines look for the trees: at the top of a repository, unless somebody says otherwise."""

import subprocess

import pytest

from tests.cli.project import FLEET, PROJECT, Shell
from tests.support import cases, each, rows_of

ARGOCD = "argocd: {repoURL: https://git.example.com/x.git%s}"
FLUX = "flux: {%s}"


def below(shell: Shell, engine: str) -> None:
    """Put the project into a folder of a repository."""
    subprocess.run(["git", "init", "-q"], cwd=shell.folder, check=True)
    files = {**PROJECT, "fleet.yaml": f"{FLEET}  delivery:\n    {engine}\n"}
    shell.write({f"team/policies/{path}": text for path, text in files.items()})


@cases((ARGOCD % "", "argocd"), (FLUX % "", "flux"), ids=["argocd", "flux"])
@each("build", "check")
def test_a_project_below_the_top_has_to_say_it(
    command: str, engine: str, name: str, empty: Shell
) -> None:
    below(empty, engine)
    done = empty.refuse(command, "team/policies")
    assert (
        f"team/policies/fleet.yaml:5: error SR1805 spec.delivery.{name}.path: clusters/ is looked "
        "for at the top of the repository, and the project is in team/policies/\n"
        "    write `path: team/policies/clusters`; or `path: clusters`, if the trees are at the "
        "top of a repository of their own\n"
    ) in done.err
    assert not (empty.folder / "team/policies/clusters").exists()


@each("team/policies/clusters", "clusters")
@each(ARGOCD % ", path: %s", FLUX % "path: %s")
def test_what_is_said_counts(engine: str, path: str, empty: Shell) -> None:
    below(empty, engine % path)
    empty.succeed("build", "team/policies")
    made = empty.folder / "team/policies/clusters/_fleet"
    assert all(path in file.read_text() for file in made.rglob("*.yaml"))


def test_without_a_repository_nobody_can_tell(empty: Shell) -> None:
    files = {**PROJECT, "fleet.yaml": f"{FLEET}  delivery:\n    {ARGOCD % ''}\n"}
    empty.write({f"team/policies/{path}": text for path, text in files.items()})
    empty.succeed("build", "team/policies")


def test_the_top_of_a_repository_is_where_they_look(shell: Shell) -> None:
    subprocess.run(["git", "init", "-q"], cwd=shell.folder, check=True)
    shell.write({"fleet.yaml": f"{FLEET}  delivery:\n    {ARGOCD % ''}\n"})
    shell.succeed("build")


@each("argocd", "flux")
def test_init_says_it(engine: str, empty: Shell) -> None:
    subprocess.run(["git", "init", "-q"], cwd=empty.folder, check=True)
    empty.succeed(
        "init", "team/policies", "--delivery", engine, "--repo-url", "https://git.example.com/x.git"
    )
    fleet = (empty.folder / "team/policies/fleet.yaml").read_text()
    assert "      path: team/policies/clusters # from the top" in fleet
    empty.succeed("check", "team/policies", "--strict")


@each("build", "check")
def test_a_folder_that_argo_cd_would_take_for_a_spoke_s_is_told(command: str, shell: Shell) -> None:
    shell.write(
        {
            "fleet.yaml": f"{FLEET}  delivery:\n    {ARGOCD % ''}\n",
            "clusters/old/notes.txt": "mine\n",
        }
    )
    done = shell.run(command)
    assert done.status == (2 if command == "build" else 1)
    assert (
        "clusters/old:1: error SR1212: clusters/old does not belong to a spoke: the ApplicationSet "
        "would make an Application of it, for a cluster of that name\n"
    ) in done.err
    assert (shell.folder / "clusters/old/notes.txt").is_file()


def test_who_lists_the_spokes_takes_nothing_else(shell: Shell) -> None:
    shell.write(
        {"fleet.yaml": f"{FLEET}  delivery:\n    {FLUX % ''}\n", "clusters/old/a.txt": "mine\n"}
    )
    assert "SR1212" not in shell.run("build").err


@cases(*rows_of(__file__, "a_file_above_the_output_that_hides_some_of_it"))
def test_a_file_above_the_output_that_hides_some_of_it(
    file: str, text: str, is_told: bool, empty: Shell
) -> None:
    """What engines read is judged in the whole repository, not in the output alone."""
    below(empty, FLUX % "path: team/policies/clusters")
    empty.succeed("build", "team/policies")
    empty.write({file: text})
    for command, status in (("build", 2), ("check", 1)):
        done = empty.run(command, "team/policies")
        assert (f"{file}:{text.count(chr(10))}: error" in done.err) is is_told
        assert done.status == (status if is_told else 0)


def test_attributes_that_nobody_can_ask_git_about_are_told(
    empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    below(empty, FLUX % "path: team/policies/clusters")
    empty.succeed("build", "team/policies")
    empty.write({"team/.gitattributes": "*.png filter=lfs\n"})
    monkeypatch.setenv("PATH", "")
    done = empty.succeed("check", "team/policies")
    assert "team/.gitattributes:1: warning SR1211: nobody can tell what it changes" in done.err
