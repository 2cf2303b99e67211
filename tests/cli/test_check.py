"""`spokerender check` and `diff`: is the tree true, and what would a build change."""

import json
import subprocess

import pytest

from tests.cli.project import (
    AUTH,
    BASIS,
    OVERRIDES,
    PLACEMENT,
    ROUTES,
    RULES,
    THING,
    THINGS,
    UNVALIDATED,
    Done,
    Shell,
)
from tests.edge.files.trees import snapshot
from tests.support import text_of

ADDED = """\
new 2 spokes with 3 objects each: eu, us
1 difference (1 new) on 2 spokes
"""
CHANGED = """\
changed AuthPolicy infra/closed on eu
    spec.realm: added europe  (hub/auth.yaml:6, override placement.yaml:17)
1 difference (1 changed) on 1 spoke
"""


def git(shell: Shell, *arguments: str) -> None:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
    command = ["git", *identity, *arguments]
    subprocess.run(command, cwd=shell.folder, check=True, capture_output=True)


@pytest.fixture
def repository(shell: Shell) -> Shell:
    """A repository in which the project and its tree are committed."""
    shell.run("build")
    git(shell, "init", "--quiet")
    git(shell, "add", "--all")
    git(shell, "commit", "--quiet", "--message", "Start")
    return shell


def test_a_true_tree(shell: Shell) -> None:
    shell.run("build")
    done = shell.run("check")
    assert (done.status, done.out, done.err) == (0, f"clusters: up to date, 8 files\n{BASIS}", "")


def test_no_tree_yet(shell: Shell) -> None:
    before = snapshot(shell.folder)
    done = shell.run("check")
    verdict = "clusters: stale, 8 files would change; run spokerender build\n" + BASIS
    assert (done.status, done.out, done.err) == (1, ADDED + verdict, "")
    assert snapshot(shell.folder) == before


def test_a_stale_tree(shell: Shell) -> None:
    shell.run("build")
    shell.write({"placement.yaml": PLACEMENT + OVERRIDES})
    before = snapshot(shell.folder)
    done = shell.run("check", "--only", "tree")
    verdict = "clusters: stale, 1 file would change; run spokerender build\n"
    assert (done.status, done.out, done.err) == (1, CHANGED + verdict, "")
    assert snapshot(shell.folder) == before


def test_an_edited_tree(shell: Shell) -> None:
    """Only a comment is other: the object is not, but the file is not what a build writes."""
    shell.run("build")
    path = shell.folder / "clusters/eu/infra/authpolicy.kuadrant.io_closed.yaml"
    path.write_bytes(path.read_bytes() + b"# mine\n")
    done = shell.run("check")
    assert done.status == 1
    assert done.out.endswith(
        "clusters: stale, 1 file would change; run spokerender build\n" + BASIS
    )


def test_strict_counts_warnings(shell: Shell) -> None:
    shell.write(
        {
            "placement.yaml": PLACEMENT
            + PLACEMENT[PLACEMENT.index("  - gateways") :].replace(
                "{all: true}", "{selector: {matchLabels: {tier: gold}}}"
            )
        }
    )
    shell.run("build")
    shell.succeed("check")
    done = shell.run("check", "--strict")
    assert done.status == 2
    assert "warning SR1403" in done.err


def test_check_as_json(shell: Shell) -> None:
    shell.run("build")
    shell.write({"placement.yaml": PLACEMENT + OVERRIDES})
    done = shell.run("check", "--format", "json")
    assert (done.status, done.err) == (1, "")
    (difference,) = json.loads(done.out)["differences"]
    assert difference["spokes"] == ["eu"]


def test_nothing_to_review(repository: Shell) -> None:
    repository.pass_silently("diff")


def test_the_working_tree_against_what_is_committed(repository: Shell) -> None:
    """Whether it is built already or not."""
    repository.write({"placement.yaml": PLACEMENT + OVERRIDES})
    first = repository.run("diff")
    assert (first.status, first.out, first.err) == (1, CHANGED, "")
    repository.run("build")
    assert repository.run("diff") == first
    assert repository.run("diff", "--against", "HEAD") == first


def test_no_such_revision(repository: Shell) -> None:
    done = repository.refuse("diff", "--against", "nowhere")
    assert done.err.startswith("spokerender: ")
    assert "nowhere" in done.err


def test_no_repository(shell: Shell) -> None:
    assert "not a git repository" in shell.refuse("diff", "--against", "HEAD").err


def test_what_was_lost_since_a_revision_is_refused(repository: Shell) -> None:
    """Also if the tree is true again: somebody allowed it on the command line, and nobody knows."""
    (repository.folder / "hub" / "auth.yaml").unlink()
    repository.succeed("build", "--allow-delete", "AuthPolicy/infra/closed")
    repository.succeed("check")
    done = repository.run("check", "--against", "HEAD")
    assert (done.status, done.out) == (1, "clusters: up to date, 6 files\n" + ROUTES)
    assert "error SR1901 AuthPolicy infra/closed: would go" in done.err


def test_a_rename_that_keeps_its_target_protected_is_no_loss(repository: Shell) -> None:
    repository.write({"hub/auth.yaml": AUTH.replace("name: closed", "name: shut") + RULES})
    repository.pass_silently("build")
    repository.pass_silently("check", "--against", "HEAD")


def test_what_is_acknowledged_may_go(repository: Shell) -> None:
    (repository.folder / "hub" / "auth.yaml").unlink()
    name = "AuthPolicy/infra/closed"
    repository.succeed("build", "--allow-delete", name, "--reason", "moved")
    repository.pass_silently("check", "--against", "HEAD")


def test_what_was_not_validated_is_told_at_the_end(shell: Shell) -> None:
    """Nobody takes a clean check for one that has looked at everything, a quiet one least."""
    shell.write({"hub/thing.yaml": THING, "fleet.yaml": THINGS})
    shell.run("build")
    assert shell.succeed("check").out.partition("\n")[2] == BASIS + UNVALIDATED
    assert shell.run("check", "-q") == Done(0, "", UNVALIDATED)
    assert shell.run("check", "--only", "validation").out.endswith(BASIS + UNVALIDATED)
    assert "validated" not in shell.run("check", "--only", "tree").out


def test_what_was_validated_is_not(fleet: Shell) -> None:
    assert fleet.run("check").out.endswith(ROUTES)


def test_what_nobody_has_heard_of_is_told_without_a_crd(shell: Shell) -> None:
    written = (shell.folder / "hub/web.yaml").read_text()
    assert "parentRefs:" in written
    wrong = written.replace("parentRefs:", "parentRef: []\n  parentRefs:")
    shell.write({"hub/web.yaml": wrong})
    shell.run("build")
    done = shell.succeed("check")
    assert "warning SR2313 HTTPRoute shop/shop " in done.err
    assert 'field "spec.parentRef" in ' in done.err
    assert "    on all 2 spokes\n" in done.err
    assert shell.run("check", "--strict").status == 1


SELECTING = text_of(__file__, "check_selecting.yaml")
LISTENING = "{gatewayClassName: hub, listeners: [{name: a, port: 80, protocol: HTTP}]}"
PLACED_APART = "".join(
    f"---\napiVersion: gateway.networking.k8s.io/v1\nkind: {kind}\n"
    f"metadata: {{name: {name}, namespace: infra}}\nspec: {spec}\n"
    for kind, name, spec in (
        ("Gateway", "kept", LISTENING),
        ("Gateway", "web", LISTENING),
        *(("HTTPRoute", f"r{i}", "{parentRefs: [{name: kept}], rules: [{}]}") for i in range(6)),
    )
)


def test_gateways_that_go_as_a_rule_selects_nobody_are_refused(empty: Shell) -> None:
    """A label that changed would delete them, and they are no large part of the tree."""
    listed = "spec: {policiesToSync: [{group: gateway.networking.k8s.io, kind: HTTPRoute}]}\n"
    empty.write(
        {
            "hub/all.yaml": PLACED_APART,
            "fleet.yaml": f"apiVersion: spokerender.io/v1alpha1\nkind: Fleet\n{listed}",
            "placement.yaml": SELECTING,
        }
    )
    empty.succeed("build")
    empty.write({"placement.yaml": SELECTING.replace("{tier: edge}}}\n  -", "{tier: x}}}\n  -")})
    refused = "error SR1901: Gateway infra/web would go: the rule at placement.yaml:"
    for command, status in ((("check", "--only", "tree"), 1), (("build",), 2)):
        done = empty.run(*command)
        assert (done.status, refused in done.err) == (status, True)
    empty.succeed("build", "--allow-delete", "Gateway/infra/web")
    empty.succeed("check", "--only", "tree")
