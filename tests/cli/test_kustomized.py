"""What counts in an output is what engines make of it: by kustomize, links and files of others."""

import shutil
import subprocess

import pytest

from tests.cli.project import FLEET, PROJECT, Shell
from tests.edge.files.trees import snapshot
from tests.support import cases, each, end_to_end as e2e, rows_of
from tests.support.git import needs_git, run_git

POLICY = "infra/authpolicy.kuadrant.io_closed.yaml"
KUSTOMIZATION = "clusters/eu/kustomization.yaml"


@pytest.fixture
def built(shell: Shell) -> Shell:
    """A project with its tree."""
    shell.succeed("build")
    return shell


def edit(shell: Shell, path: str, old: str, new: str) -> None:
    text = (shell.folder / path).read_text()
    assert old in text
    (shell.folder / path).write_text(text.replace(old, new))


STEERING = rows_of(__file__, "steering")


@each(*STEERING)
def test_a_file_of_others_that_steers_an_engine_is_refused(path: str, built: Shell) -> None:
    built.write({f"clusters/eu/{path}": "patches: []\n"})
    before = snapshot(built.folder)
    for command in ("check", "build"):
        done = built.run(command)
        assert done.status != 0
        assert f"clusters/eu/{path} is not ours" in done.err
        assert "SR1211" in done.err
    assert snapshot(built.folder) == before


def test_also_one_that_is_a_link(built: Shell) -> None:
    (built.folder / "clusters/eu/Kustomization").symlink_to("../../hub/auth.yaml")
    done = built.run("build")
    assert (done.status, "SR1211" in done.err) == (2, True)


BOOTSTRAP = [
    f"_fleet/flux/eu/flux-system/{name}.yaml"
    for name in ("gotk-components", "gotk-sync", "kustomization")
]
"""What `flux bootstrap --path=clusters/_fleet/flux/eu` commits."""
BESIDE = rows_of(__file__, "beside")


@pytest.fixture
def delivered(shell: Shell) -> Shell:
    """A project with its tree, which Argo CD finds, and in Git."""
    engines = "{argocd: {repoURL: https://git.example.com/a.git}, flux: {}}"
    shell.write({"fleet.yaml": f"{FLEET}  delivery: {engines}\n"})
    shell.succeed("build")
    shell.commit()
    shell.succeed("check", "--against", "HEAD")
    return shell


@needs_git
@each(*BESIDE)
def test_so_is_one_beside_the_spokes_or_in_the_fleet_s_own_folder(
    path: str, delivered: Shell
) -> None:
    delivered.write({f"clusters/{path}": "resources: [https://example.com/more]\n"})
    before = snapshot(delivered.folder)
    for command in ("check", "build"):
        done = delivered.run(command)
        assert done.status != 0
        assert f"SR1211: clusters/{path} is not ours" in done.err
    assert snapshot(delivered.folder) == before


@needs_git
@each("README.md", "_fleet/README.md", ".gitignore", *BOOTSTRAP)
def test_notes_there_are_left_alone(path: str, delivered: Shell) -> None:
    delivered.write({f"clusters/{path}": "notes\n"})
    delivered.succeed("check", "--strict")


@needs_git
@each("in-cluster", "_fleet/argocd/more", "eu/more")
def test_a_submodule_that_is_not_checked_out_is_found(place: str, delivered: Shell) -> None:
    """Argo CD checks submodules out; a job in CI that does not sees an empty folder."""
    (delivered.folder / "clusters" / place).mkdir()
    delivered.succeed("check")
    name = run_git(delivered.folder, "rev-parse", "HEAD").strip()
    entry = f"160000,{name},clusters/{place}"
    run_git(delivered.folder, "update-index", "--add", "--cacheinfo", entry)
    done = delivered.run("check")
    assert (done.status, f"clusters/{place} is a submodule" in done.err) == (1, True)


@needs_git
@each("eu/.git", "eu/infra/.git/HEAD")
def test_one_that_is_checked_out_is_no_part_of_the_tree(place: str, delivered: Shell) -> None:
    delivered.write({f"clusters/{place}": "gitdir: ../elsewhere\n"})
    done = delivered.run("check")
    assert (done.status, f"SR1211: clusters/{place} is not ours" in done.err) == (1, True)


@needs_git
def test_what_was_a_submodule_hides_no_loss(delivered: Shell) -> None:
    name = run_git(delivered.folder, "rev-parse", "HEAD").strip()
    run_git(delivered.folder, "rm", "-r", "--cached", "--quiet", "clusters/eu")
    entry = f"160000,{name},clusters/eu"
    run_git(delivered.folder, "update-index", "--add", "--cacheinfo", entry)
    run_git(delivered.folder, "commit", "--quiet", "--message=hide")
    (delivered.folder / "hub/auth.yaml").unlink()
    shutil.rmtree(delivered.folder / "clusters")
    delivered.succeed("build")
    done = delivered.run("check", "--against", "HEAD")
    assert (done.status, "was a submodule" in done.err) == (2, True)


@needs_git
def test_nor_does_what_was_in_git_lfs(delivered: Shell) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n"
    written = (delivered.folder / KUSTOMIZATION).read_text()
    delivered.write({KUSTOMIZATION: pointer})
    delivered.commit()
    delivered.write({KUSTOMIZATION: written})
    done = delivered.run("check", "--against", "HEAD")
    assert (done.status, "was in Git LFS" in done.err) == (2, True)


@each("infra/kustomization.yml", "infra/Chart.yaml", "notes.md")
def test_what_no_engine_looks_at_is_left_alone(path: str, built: Shell) -> None:
    built.write({f"clusters/eu/{path}": "notes\n"})
    built.succeed("build")
    assert (built.folder / "clusters/eu" / path).read_text() == "notes\n"


@pytest.mark.kubectl
def test_kustomize_refuses_a_second_kustomization(built: Shell, kubectl: str) -> None:
    command = [kubectl, "kustomize", str(built.folder / "clusters/eu")]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    built.write({"clusters/eu/kustomization.yml": "resources: []\n"})
    assert subprocess.run(command, check=False, capture_output=True).returncode != 0


ATTACKS = rows_of(__file__, "attacks")


@needs_git
@cases(*ATTACKS.items(), ids=ATTACKS)
def test_a_kustomization_that_does_more_than_list_is_told(
    told: str, more: str, built: Shell
) -> None:
    with (built.folder / KUSTOMIZATION).open("a") as file:
        file.write(more)
    built.commit()
    done = built.run("check", "--against", "HEAD")
    assert done.status == 1  # what is on disk is stale as well
    assert f"SR1906: the kustomization.yaml in HEAD has {told}" in done.err
    done = built.succeed("build")
    assert f"SR1906: the kustomization.yaml in clusters has {told}" in done.err


@needs_git
def test_also_where_a_stranger_wrote_it(built: Shell) -> None:
    written = (built.folder / KUSTOMIZATION).read_text().partition("\n")[2]
    built.write({KUSTOMIZATION: f"{written}patches: []\n"})
    built.commit()
    (built.folder / KUSTOMIZATION).unlink()
    built.succeed("build")
    done = built.run("check", "--against", "HEAD")
    assert "SR1906: the kustomization.yaml in HEAD has patches" in done.err


@needs_git
def test_what_is_not_listed_has_protected_nothing(built: Shell) -> None:
    edit(built, KUSTOMIZATION, f"- {POLICY}\n", "")
    edit(built, KUSTOMIZATION.replace("eu", "us"), f"- {POLICY}\n", "")
    built.commit()
    (built.folder / "hub/auth.yaml").unlink()
    done = built.run("build")  # whoever asks here may have edited the listing too
    assert (done.status, "SR1901 AuthPolicy infra/closed" in done.err) == (2, True)
    shutil.rmtree(built.folder / "clusters")
    built.succeed("build")
    built.succeed("check", "--against", "HEAD")


@needs_git
def test_what_is_listed_has(built: Shell) -> None:
    built.commit()
    (built.folder / "hub/auth.yaml").unlink()
    assert built.run("build").status == 2
    shutil.rmtree(built.folder / "clusters")
    built.succeed("build")
    done = built.run("check", "--against", "HEAD")
    assert (done.status, "SR1901 AuthPolicy infra/closed" in done.err) == (1, True)


@needs_git
def test_a_listing_that_can_not_be_read_lets_all_count(built: Shell) -> None:
    with (built.folder / KUSTOMIZATION).open("a") as file:
        file.write("resources: [\n")
    built.commit()
    (built.folder / "hub/auth.yaml").unlink()
    assert built.run("build").status == 2


@needs_git
@each("check", "diff")
def test_an_output_that_leads_outside_is_not_read(command: str, empty: Shell) -> None:
    e2e.write(empty.folder / "project", PROJECT)
    e2e.write(empty.folder / "elsewhere/eu", {"kustomization.yaml": "secret: content\n"})
    empty.commit()
    (empty.folder / "project/clusters").symlink_to("../elsewhere")
    assert "a link leads outside" in empty.refuse(command, "project").err


@needs_git
@each("clusters", "clusters/eu", "clusters/eu/infra")
def test_a_link_in_the_place_of_what_is_protected_does_not_hide_its_loss(
    place: str, built: Shell
) -> None:
    built.commit()
    (built.folder / "hub/auth.yaml").unlink()
    shutil.move(built.folder / place, built.folder / "moved")
    for path in (built.folder / "moved").rglob("authpolicy*"):
        path.unlink()
    (built.folder / place).symlink_to(built.folder / "moved")
    done = built.run("check", "--against", "HEAD")
    assert done.status == 1
    assert "SR1901 AuthPolicy infra/closed" in done.err


@needs_git
def test_nor_does_another_output_in_the_same_change(built: Shell) -> None:
    built.commit()
    (built.folder / "hub/auth.yaml").unlink()
    built.write(
        {"fleet.yaml": "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec: {output: x/}\n"}
    )
    built.succeed("build")
    done = built.run("check", "--against", "HEAD")
    assert (done.status, "SR1901 AuthPolicy infra/closed" in done.err) == (1, True)


def test_a_link_among_the_files_of_a_spoke_is_not_written_through(built: Shell) -> None:
    target = built.folder / "elsewhere.yaml"
    target.write_text("precious\n")
    (built.folder / "clusters/eu" / POLICY).unlink()
    (built.folder / "clusters/eu" / POLICY).symlink_to(target)
    for command in ("check", "build"):
        done = built.run(command)
        assert done.status != 0
        assert "precious" not in done.out + done.err
    assert target.read_text() == "precious\n"
