"""`spokerender diff` as a plan: what is new, lost, moved, or each spoke's own."""

from __future__ import annotations

import json

from tests.cli.project import OVERRIDES, PLACEMENT, Shell
from tests.support.git import run_git

MANY = PLACEMENT.replace(
    "  - name: us\n    values: {realm: america}\n",
    "".join(f"  - name: s{i}\n    values: {{realm: r{i}}}\n" for i in range(5)),
)
ALL_NEW = ["new 2 spokes: eu, us (3 objects each)", "1 difference (1 new) on 2 spokes"]


def commit(shell: Shell) -> None:
    run_git(shell.folder, "add", "--all")
    run_git(shell.folder, "commit", "--quiet", "--message", "x")


def test_without_a_repository_all_is_new(shell: Shell) -> None:
    done = shell.run("diff")
    assert (done.status, done.out.splitlines()) == (1, ALL_NEW)
    assert "not a git repository" in done.err
    assert shell.run("diff", "--against", "HEAD").status == 2


def test_without_a_commit_all_is_new(shell: Shell) -> None:
    run_git(shell.folder, "init", "--quiet")
    done = shell.run("diff")
    assert (done.status, done.out.splitlines()) == (1, ALL_NEW)
    assert "has no commit" in done.err


def test_a_spoke_that_comes_is_one_entry_and_so_is_what_moves(shell: Shell) -> None:
    run_git(shell.folder, "init", "--quiet")
    assert shell.run("build").status == 0
    commit(shell)
    moved = PLACEMENT + "    as: {namespace: edge}\n"
    shell.write({"placement.yaml": moved.replace("  rules:", "  - name: new\n  rules:")})
    told = [line for line in shell.run("diff").out.splitlines() if not line.startswith(" ")]
    assert told == [
        "new spoke new (3 objects)",
        "moved AuthPolicy infra/closed to AuthPolicy edge/closed on 2 spokes: eu, us",
        "moved Gateway infra/web to Gateway edge/web on 2 spokes: eu, us",
        "changed HTTPRoute shop/shop on 2 spokes: eu, us",
        "4 differences (1 changed, 2 moved, 1 new) on 3 spokes",
    ]


def test_a_value_of_each_spoke_is_one_entry_with_a_pattern(shell: Shell) -> None:
    run_git(shell.folder, "init", "--quiet")
    overrides = OVERRIDES.replace("{names: [eu]}", "{all: true}")
    shell.write({"placement.yaml": MANY + overrides})
    assert shell.run("build").status == 0
    commit(shell)
    changed = overrides.replace("{{ spoke.values.realm }}", "of-{{ spoke.values.realm }}-now")
    shell.write({"placement.yaml": MANY + changed})
    out = shell.run("diff").out.splitlines()
    assert out[0] == "changed AuthPolicy infra/closed on all 6 spokes"
    assert 'spec.realm: "…" -> "of-…-now", different on each spoke' in out[1]
    assert len(out) == 3
    (difference,) = json.loads(shell.run("diff", "--format", "json").out)["differences"]
    first = difference["varying"][0]
    assert (first["spokes"], first["new"]) == (["eu"], "of-europe-now")
