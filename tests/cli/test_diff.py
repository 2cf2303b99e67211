"""`spokerender diff` as a plan: what is new, lost, moved, or each spoke's own."""

import json
import re

from tests.cli.project import OVERRIDES, PLACEMENT, Shell
from tests.support.git import run_git

MANY = PLACEMENT.replace(
    "  - name: us\n    values: {realm: america}\n",
    "".join(f"  - name: s{i}\n    values: {{realm: r{i}}}\n" for i in range(5)),
)
ALL_NEW = ["new 2 spokes with 3 objects each: eu, us", "1 difference (1 new) on 2 spokes"]


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
    shell.succeed("build")
    shell.commit()
    moved = PLACEMENT + "    as: {namespace: edge}\n"
    shell.write({"placement.yaml": moved.replace("  rules:", "  - name: new\n  rules:")})
    out = shell.run("diff").out
    assert "    so named by 1 object: HTTPRoute shop/shop" in out
    told = [line for line in out.splitlines() if not line.startswith(" ")]
    assert told == [
        "new spoke new with 3 objects",
        "moved AuthPolicy infra/closed to AuthPolicy edge/closed on 2 spokes: eu, us",
        "moved Gateway infra/web to Gateway edge/web on 2 spokes: eu, us",
        "3 differences (2 moved, 1 new) on 3 spokes",
        "not shown: 2 kustomization.yaml, only to list the files above",
        "newly needed on the clusters:",
    ]
    assert [*json.loads(shell.run("diff", "--format", "json").out)["leftOut"].values()] == [2]


def test_a_value_of_each_spoke_is_one_entry_with_a_placeholder(shell: Shell) -> None:
    run_git(shell.folder, "init", "--quiet")
    overrides = OVERRIDES.replace("{names: [eu]}", "{all: true}")
    shell.write({"placement.yaml": MANY + overrides})
    shell.succeed("build")
    shell.commit()
    changed = overrides.replace("{{ spoke.values.realm }}", "of-{{ spoke.values.realm }}-now")
    shell.write({"placement.yaml": MANY + changed})
    out = shell.run("diff").out.splitlines()
    assert out[0] == "changed AuthPolicy infra/closed on all 6 spokes"
    change = '"{{ spoke.values.realm }}" -> "of-{{ spoke.values.realm }}-now"'
    assert out[1].startswith(f"    spec.realm: {change}  (hub/auth.yaml:6, ")
    assert len(out) == 3
    (difference,) = json.loads(shell.run("diff", "--format", "json").out)["differences"]
    first = difference["varying"][0]
    assert (first["spokes"], first["new"]) == (["eu"], "of-europe-now")


def committed(shell: Shell) -> None:
    run_git(shell.folder, "init", "--quiet")
    shell.succeed("build")
    shell.commit()


def test_hostnames_are_readable_in_groups(shell: Shell) -> None:
    """The changes of most spokes first; each is whole, however alike they are."""
    regions = {"eu": "eu, s0", "us": "s1, s2, s3", "ap": "s4"}
    overrides = "".join(
        f"  - target: {{kind: HTTPRoute}}\n    spokes: {{names: [{names}]}}\n"
        f"    merge: {{spec: {{hostnames: [api.{region}.example.com]}}}}\n"
        for region, names in regions.items()
    )
    before = re.sub(r"api\.[a-z]+", "api.a.shop", overrides)
    shell.write({"placement.yaml": f"{MANY}  overrides:\n{before}"})
    committed(shell)
    shell.write({"placement.yaml": f"{MANY}  overrides:\n{overrides}"})
    out = shell.run("diff", "--kind", "HTTPRoute").out.splitlines()
    assert out[0] == "changed HTTPRoute shop/shop on all 6 spokes"
    assert out[1].startswith("    spec.hostnames[0]: 3 different changes")
    assert out[2:5] == [
        "        api.a.shop.example.com -> api.us.example.com on 3 spokes: s1, s2, s3",
        "        api.a.shop.example.com -> api.eu.example.com on 2 spokes: eu, s0",
        "        api.a.shop.example.com -> api.ap.example.com on s4",
    ]


def test_filters(shell: Shell) -> None:
    shell.write({"placement.yaml": PLACEMENT})
    committed(shell)
    shell.write({"placement.yaml": PLACEMENT + "    as: {namespace: edge}\n"})
    one = shell.run("diff", "--spoke", "eu", "--kind", "gateway")
    assert one.out.splitlines()[0] == "moved Gateway infra/web to Gateway edge/web on eu"
    assert (one.status, one.out.splitlines()[-1]) == (1, "1 difference (1 moved) on 1 spoke")
    assert one.err == "1 difference of other objects\n"
    for name in ("closed", "infra/closed", "edge/closed"):
        assert shell.run("diff", "--name", name).out.startswith("moved AuthPolicy infra/closed")
    none = shell.run("diff", "--name", "nothing")
    assert (none.status, none.out) == (0, "")
    assert "no spoke" in shell.run("diff", "--spoke", "su").err
