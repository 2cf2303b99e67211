"""`spokerender crds add`: CRDs from files and standard input."""

import hashlib
import io
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.project import AUTH, FLEET, PROJECT, RULES, Shell
from tests.edge.files.trees import snapshot
from tests.support import cases, each, rows_of
from tests.support.crds import crd

NAME = "authpolicies.kuadrant.io.yaml"
OTHER = crd().replace("authpolicies", "planpolicies").replace("AuthPolicy", "PlanPolicy")


def sums(folder: Path) -> Mapping[str, str]:
    lines = re.findall(r"([0-9a-f]{64})  (.+)\n", (folder / "SHA256SUMS").read_text())
    return {name: digest for digest, name in lines}


def test_a_file_is_kept_with_its_checksum_and_named_in_the_fleet_file(shell: Shell) -> None:
    shell.write(
        {
            "all.yaml": f"{crd()}---\n# another\n{OTHER}---\n{AUTH}",
            "fleet.yaml": f"# ours\n{FLEET}  requires: '>=0.1'\n",
        }
    )
    done = shell.pass_silently("crds", "add", "all.yaml")
    folder = shell.folder / "crds"
    assert sorted(path.name for path in folder.iterdir()) == [
        "SHA256SUMS",
        NAME,
        "planpolicies.kuadrant.io.yaml",
    ]
    assert (folder / NAME).read_text() == crd()
    assert (folder / "planpolicies.kuadrant.io.yaml").read_text() == f"# another\n{OTHER}"
    assert sums(folder) == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.yaml")
    }
    assert (shell.folder / "fleet.yaml").read_text() == (
        f"# ours\n{FLEET}  requires: '>=0.1'\n  crds:\n  - crds/\n"
    )
    assert "updated fleet.yaml" in done.out


def test_check_validates_by_it(shell: Shell) -> None:
    shell.write({"all.yaml": crd(), "hub/auth.yaml": f"{AUTH}{RULES}  realm: much-too-long\n"})
    shell.succeed("build")
    validate = ("check", "--only", "validation")
    shell.succeed(*validate)
    shell.succeed("crds", "add", "all.yaml")
    checked = shell.run(*validate)
    assert checked.status == 1
    assert "error SR2301 AuthPolicy infra/closed spec.realm" in checked.err


def test_again_changes_nothing(shell: Shell) -> None:
    shell.write({"all.yaml": crd()})
    shell.run("crds", "add", "all.yaml")
    before = snapshot(shell.folder)
    done = shell.run("crds", "add", "all.yaml")
    assert (done.status, done.out) == (0, "1 unchanged\n")
    assert snapshot(shell.folder) == before


def test_a_new_release_replaces_what_was_added(shell: Shell) -> None:
    shell.write({"all.yaml": crd()})
    shell.run("crds", "add", "all.yaml")
    newer = crd().replace("kind: CustomResourceDefinition", "kind: CustomResourceDefinition # v2")
    shell.write({"all.yaml": newer})
    shell.succeed("crds", "add", "all.yaml")
    assert (shell.folder / "crds" / NAME).read_text() == newer
    assert sums(shell.folder / "crds")[NAME] == hashlib.sha256(newer.encode()).hexdigest()


@each(True, False)
def test_an_edited_file_is_never_replaced(has_sums: bool, shell: Shell) -> None:
    shell.write({"all.yaml": crd()})
    shell.run("crds", "add", "all.yaml")
    shell.write({f"crds/{NAME}": f"# mine\n{crd()}"})
    if not has_sums:
        (shell.folder / "crds/SHA256SUMS").unlink()
    before = snapshot(shell.folder)
    done = shell.refuse("crds", "add", "all.yaml")
    assert "error SR3018 CustomResourceDefinition authpolicies.kuadrant.io" in done.err
    assert snapshot(shell.folder) == before


def test_a_folder_of_ones_choice(empty: Shell) -> None:
    empty.write({**PROJECT, "in/all.yaml": crd()})
    empty.succeed("crds", "add", "in", "-o", "definitions/v1")
    assert (empty.folder / "definitions/v1" / NAME).is_file()
    assert (empty.folder / "fleet.yaml").read_text() == (
        "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec:\n  crds:\n  - definitions/v1/\n"
    )


@each(AUTH, "", "a: 1\n", "a: [", crd().replace("    kind: AuthPolicy\n", ""))
def test_what_is_no_crd_writes_nothing(text: str, shell: Shell) -> None:
    shell.write({"all.yaml": text})
    before = snapshot(shell.folder)
    assert re.search(r"error SR(3017|1001|1002)", shell.refuse("crds", "add", "all.yaml").err)
    assert snapshot(shell.folder) == before


@cases(*rows_of(__file__, "a_url_is_refused_without_its_credentials"))
def test_a_url_is_refused_without_its_credentials(url: str, shown: str, shell: Shell) -> None:
    """The message names the command that fetches it."""
    shell.write({"all.yaml": crd()})
    before = snapshot(shell.folder)
    done = shell.refuse("crds", "add", "all.yaml", url)
    assert "hunter2" not in done.err
    assert f"{shown}: files are read from disk and standard input only" in done.err
    assert "curl -fsSL URL | spokerender crds add -" in done.err
    assert snapshot(shell.folder) == before


def test_what_kubectl_prints(empty: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that `check` shows ends in this one."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(crd().encode())))
    empty.pass_silently("crds", "add", "-")
    assert (empty.folder / "crds" / "authpolicies.kuadrant.io.yaml").is_file()
