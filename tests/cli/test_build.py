"""`spokerender build`: what is written, what is said of it, and what it takes to delete."""

import json
import re
from textwrap import dedent

import pytest

from spokerender.edge import files
from spokerender.edge.files import disk
from tests.cli.project import ANSWERED, AUTH, CLASS, FLEET, OVERRIDES, PLACEMENT, WEB, Shell
from tests.edge.files.trees import snapshot
from tests.support import cases, each, end_to_end as e2e, rows_of, text_of

TREE = {
    f"{spoke}/{path}"
    for spoke in ("eu", "us")
    for path in (
        "infra/authpolicy.kuadrant.io_closed.yaml",
        "infra/gateway.gateway.networking.k8s.io_web.yaml",
        "kustomization.yaml",
        "shop/httproute.gateway.networking.k8s.io_shop.yaml",
    )
}
LONELY = WEB.partition("---\n")[0].replace("name: web", "name: lonely")
NOBODY_PLACES_IT = """\
hub/lonely.yaml:1: warning SR1404 Gateway infra/lonely: the Gateway is placed on no spoke
    name it in a rule of the placement, or take it out of the hub
"""
CLOSED = "AuthPolicy/infra/closed"
REFUSED = text_of(__file__, "build_refused.txt")


def test_the_first_build_writes_and_the_second_has_nothing_to_do(shell: Shell) -> None:
    done = shell.pass_silently("build")
    assert done.out == (
        "clusters: 8 created, 0 unchanged\n  created the folder with 4 files on all 2 spokes\n"
    )
    written = snapshot(shell.folder / "clusters")
    assert written.keys() == TREE
    again = shell.run("build")
    assert (again.status, again.out, again.err) == (0, "clusters: up to date, 8 files\n", "")
    assert snapshot(shell.folder / "clusters") == written


def test_a_change_reads_whole_only_what_differs(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a thousand spokes one policy changes: the other files are compared, and that is all."""
    shell.run("build")
    names: list[str] = []
    read_whole = disk.read_whole

    def read_and_note(parent: int, name: str) -> bytes:
        names.append(name)
        return read_whole(parent, name)

    monkeypatch.setattr(disk, "read_whole", read_and_note)
    shell.write({"placement.yaml": PLACEMENT + OVERRIDES})
    shell.succeed("build")
    assert set(names) == {"authpolicy.kuadrant.io_closed.yaml"}


def test_a_change_writes_what_differs(shell: Shell) -> None:
    shell.run("build")
    shell.write({"placement.yaml": PLACEMENT + OVERRIDES})
    done = shell.pass_silently("build")
    assert done.out == (
        "clusters: 1 updated, 7 unchanged\n"
        "  updated infra/authpolicy.kuadrant.io_closed.yaml on eu\n"
    )


def test_the_output_folder_can_be_named(shell: Shell) -> None:
    shell.pass_silently("build", ".", "--output", "elsewhere/trees")
    assert snapshot(shell.folder / "elsewhere" / "trees").keys() == TREE
    assert not (shell.folder / "clusters").exists()


def test_a_folder_is_named_from_where_the_user_is(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.write({"hub/more.yaml": "kind: A\nkind: B\n"})
    monkeypatch.chdir(shell.folder.parent)
    done = shell.run("build", shell.folder.name)
    assert done.status == 2
    assert done.err.startswith(f"{shell.folder.name}/hub/more.yaml:2:1: error SR1001: ")


def test_a_dash_prints_one_stream_and_writes_nothing(shell: Shell) -> None:
    before = snapshot(shell.folder)
    done = shell.pass_silently("build", "-o", "-")
    assert snapshot(shell.folder) == before
    parts = re.split(r"^---\n# (.*)\n", done.out, flags=re.MULTILINE)
    assert parts[0] == ""
    files = {path: text.encode() for path, text in zip(parts[1::2], parts[2::2], strict=True)}
    shell.run("build")
    assert files == snapshot(shell.folder / "clusters")


def test_one_file_a_spoke(shell: Shell) -> None:
    shell.write({"fleet.yaml": f"{FLEET}  layout: spoke\n"})
    shell.succeed("build")
    assert snapshot(shell.folder / "clusters").keys() == {
        f"{spoke}/{name}"
        for spoke in ("eu", "us")
        for name in ("kustomization.yaml", "manifests.yaml")
    }


def test_warnings_are_told_and_do_not_stop_a_build(shell: Shell) -> None:
    shell.write({"hub/lonely.yaml": LONELY})
    done = shell.run("build")
    counted = "1 warning; spokerender check prints it, and suppressions in fleet.yaml accept it\n"
    assert (done.status, done.err) == (0, counted)
    assert shell.run("build", "-q").err == ""
    done = shell.run("build", "-v")
    assert NOBODY_PLACES_IT in done.err
    done = shell.run("check", "--only", "tree")
    assert (done.status, done.err) == (0, f"{NOBODY_PLACES_IT}1 warning\n")


def test_a_first_mapping_of_hostnames_says_what_a_check_will_refuse(shell: Shell) -> None:
    assert shell.run("init", "new", "--delivery", "none", "--ci", "none").status == 0
    placement = shell.folder / "new/placement.yaml"
    mapped = placement.read_text()
    placement.write_text(mapped.partition("      as:")[0])
    shell.succeed("build", "new", "-q")
    placement.write_text(mapped)
    before = snapshot(shell.folder / "new/clusters")
    flag = "--allow-unserved=HTTPRoute/shop/shop"
    assert f"build {flag} --reason=WHY" in shell.run("build", "new").err
    for path, data in before.items():
        (shell.folder / "new/clusters" / path).write_bytes(data)
    shell.succeed("build", "new", flag, "--reason=names of their own")
    assert "lost: unserved" in (shell.folder / "new/fleet.yaml").read_text()


def test_strict_makes_warnings_errors(shell: Shell) -> None:
    shell.write({"hub/lonely.yaml": LONELY})
    before = snapshot(shell.folder)
    assert shell.refuse("build", "--strict").err.startswith(NOBODY_PLACES_IT)
    assert snapshot(shell.folder) == before


def test_infos_on_request(shell: Shell) -> None:
    done = shell.run("build", "--verbose")
    assert done.err == dedent("""\
        hub/class.yaml:1: info SR1501 GatewayClass hub: not shipped: a GatewayClass is never rendered
        hub/class.yaml:9: info SR1501 ConfigMap infra/hub: not shipped: it hangs on no gateway of the hub
        2 infos
        """)  # noqa: E501  (as it is printed)


def test_as_json(shell: Shell) -> None:
    told = json.loads(shell.pass_silently("build", "--format", "json").out)
    assert {key: told[key] for key in ("output", "created", "updated", "deleted", "unchanged")} == {
        "output": "clusters",
        "created": 8,
        "updated": 0,
        "deleted": 0,
        "unchanged": 0,
    }
    assert [result["tags"]["code"] for result in told["results"]] == ["SR1501", "SR1501"]


def test_errors_as_json(shell: Shell) -> None:
    shell.write({"hub/more.yaml": "kind: A\nkind: B\n"})
    done = shell.run("build", "--format", "json")
    assert (done.status, done.err) == (2, "")
    errors = [r for r in json.loads(done.out)["results"] if r["severity"] == "error"]
    assert [(error["tags"]["code"], error["file"]) for error in errors] == [
        ("SR1001", {"path": "hub/more.yaml", "index": 0, "line": 2, "column": 1})
    ]


def test_what_lives_on_the_spokes_need_not_be_in_the_hub(shell: Shell) -> None:
    """It is declared once, and what is on it is told not to ship: nobody knows where it is."""
    shell.write(
        {
            "hub/auth.yaml": AUTH.replace("kind: Gateway", "kind: HTTPRoute").replace(
                "name: web\n    sectionName: https", "name: legacy"
            ),
            "fleet.yaml": FLEET
            + "  external: [{kind: HTTPRoute, namespace: infra, name: legacy}]\n",
        }
    )
    done = shell.succeed("build", "--verbose")
    assert (
        "hub/auth.yaml:1: warning SR1513 AuthPolicy infra/closed: not shipped: it hangs on no "
        "gateway of the hub\n"
    ) in done.err


def lose_the_policy(shell: Shell) -> None:
    shell.write({"hub/web.yaml": ANSWERED})
    shell.run("build")
    (shell.folder / "hub" / "auth.yaml").unlink()


def test_the_loss_of_a_security_policy_is_refused(shell: Shell) -> None:
    lose_the_policy(shell)
    before = snapshot(shell.folder)
    done = shell.run("build")
    assert (done.status, done.out, done.err) == (2, "", REFUSED)
    assert snapshot(shell.folder) == before


def test_it_goes_if_it_is_allowed_by_name(shell: Shell) -> None:
    lose_the_policy(shell)
    done = shell.pass_silently("build", "--allow-delete", CLOSED)
    assert done.out == (
        "clusters: 2 updated, 2 deleted, 4 unchanged\n"
        "  updated kustomization.yaml on all 2 spokes\n"
        "  deleted infra/authpolicy.kuadrant.io_closed.yaml on all 2 spokes\n"
    )


def test_it_goes_if_it_is_acknowledged(shell: Shell) -> None:
    lose_the_policy(shell)
    entry = f"{{ref: {CLOSED}, spokes: [eu, us], reason: replaced}}"
    shell.write({"fleet.yaml": f"{FLEET}  deletions: [{entry}]\n"})
    shell.succeed("build")


def test_a_reason_is_written_down(shell: Shell) -> None:
    shell.write({"fleet.yaml": f"# Ours.\n{FLEET}  layout: object # the default\n"})
    lose_the_policy(shell)
    shell.pass_silently("build", "--allow-delete", CLOSED, "--reason", "moved to the routes")
    written = (shell.folder / "fleet.yaml").read_text(encoding="utf-8")
    assert written.startswith(f"# Ours.\n{FLEET}  layout: object # the default\n")
    (settings,) = e2e.parsed(written.encode())
    assert settings["spec"]["deletions"] == [
        {"ref": CLOSED, "spokes": ["eu", "us"], "lost": "goes", "reason": "moved to the routes"}
    ]


def test_a_spoke_that_leaves_is_refused_and_then_allowed(shell: Shell) -> None:
    shell.run("build")
    shell.write(
        {"placement.yaml": PLACEMENT.replace("  - name: us\n    values: {realm: america}\n", "")}
    )
    before = snapshot(shell.folder)
    assert "--allow-delete=us" in shell.refuse("build").err
    assert snapshot(shell.folder) == before
    shell.succeed("build", "--allow-delete", "us")
    left = snapshot(shell.folder / "clusters")
    assert left.keys() == {path for path in TREE if path.startswith("eu/")}


def test_a_spoke_with_nothing_placed_keeps_its_folder(shell: Shell) -> None:
    shell.write(
        {"placement.yaml": PLACEMENT.replace("spokes: {all: true}", "spokes: {names: [eu]}")}
    )
    shell.succeed("build")
    (kustomization,) = e2e.parsed((shell.folder / "clusters/us/kustomization.yaml").read_bytes())
    assert kustomization["resources"] == []


@cases(*rows_of(__file__, "an_output_that_overlaps_what_is_read_is_refused"))
def test_an_output_that_overlaps_what_is_read_is_refused(
    output: str, what: str, shell: Shell
) -> None:
    settings = f"{FLEET}  templates: own/templates\n  crds: [crds/]\n"
    shell.write({"fleet.yaml": settings, "own/templates/a.j2": "", "crds/a.yaml": ""})
    (shell.folder / "linked").symlink_to("hub")
    before = snapshot(shell.folder)
    done = shell.refuse("build", "-o", output)
    assert f"error SR1210: {output.rstrip('/')}: the output and {what} overlap\n" in done.err
    assert snapshot(shell.folder) == before


def test_the_output_of_the_settings_overlaps_nothing_either(shell: Shell) -> None:
    shell.write({"fleet.yaml": f"{FLEET}  output: placement.yaml/x\n"})
    assert "SR1210" in shell.run("build").err


@each("..", "../..", "../clusters", "../clusters/us", "../clusters/us/kustomization.yaml")
@each("hub", "hub/below", "crds")
def test_nothing_that_is_read_leads_into_the_output_by_a_link(
    folder: str, target: str, shell: Shell
) -> None:
    """Neither before there is an output, nor with one."""
    crds = {"fleet.yaml": f"{FLEET}  crds: [crds/]\n", "crds/a.yaml": "", "hub/below/a.yaml": ""}
    if folder == "hub/below":
        target = f"../{target}"
    for command in ("check", "build"):
        shell.write(crds)
        link = shell.folder / folder / "link.yaml"
        link.symlink_to(target)
        before = snapshot(shell.folder)
        done = shell.run("build")
        said = "error SR1210: the link leads to a path that overlaps the output, clusters\n"
        assert (done.status, done.out) == (2, "")
        assert f"{folder}/link.yaml:1: {said}" in done.err
        assert snapshot(shell.folder) == before
        link.unlink()
        assert shell.run(command).status in {0, 1}


def test_two_builds_at_once(shell: Shell) -> None:
    with files.locked(shell.folder / "clusters"):
        done = shell.run("build")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("spokerender: ")
    assert "clusters" in done.err


@each(500, pytest.param(10_000, marks=pytest.mark.weekly))
def test_a_hub_of_many_documents(size: int, shell: Shell) -> None:
    documents = [AUTH.replace("name: closed", f"name: p{number}") for number in range(size)]
    shell.write({"hub/auth.yaml": "---\n".join(documents)})
    done = shell.pass_silently("build")
    assert done.out.startswith(f"clusters: {2 * size + 6:,} created, 0 unchanged\n")


def test_a_stream_of_one_spoke(shell: Shell) -> None:
    whole, one = shell.run("build", "-o", "-"), shell.run("build", "-o", "-", "--spoke", "eu")
    assert (one.status, one.err) == (0, "")
    assert [line for line in one.out.splitlines() if line.startswith("# eu/")] == [
        "# eu/infra/authpolicy.kuadrant.io_closed.yaml",
        "# eu/infra/gateway.gateway.networking.k8s.io_web.yaml",
        "# eu/shop/httproute.gateway.networking.k8s.io_shop.yaml",
    ]
    assert all(part in whole.out for part in one.out.split("---\n"))


def test_a_stream_of_a_spoke_that_is_not_there(shell: Shell) -> None:
    assert "error SR2004" in shell.refuse("build", "-o", "-", "--spoke", "ue").err


def test_one_spoke_is_never_written_alone(shell: Shell) -> None:
    assert shell.run("build", "--spoke", "eu").status == 2
    assert not (shell.folder / "clusters").exists()


def test_a_selector_that_finds_nobody_is_named_where_spokes_would_be_emptied(shell: Shell) -> None:
    shell.succeed("build")
    selector = "{selector: {matchLabels: {env: prod}}}"
    shell.write({"placement.yaml": PLACEMENT.replace("{all: true}", selector)})
    done = shell.run("build")
    assert done.status == 2
    lines = [line.strip() for line in done.err.splitlines()]
    why = lines.index(
        "placement.yaml:13 may be the cause: the selector selects no spoke today "
        "(no spoke has the label env)"
    )
    assert lines[why + 1].startswith("if that is meant, build with --allow-delete=")
    assert "SR1901" in lines[0]


def test_a_list_that_lacks_a_kind_is_named_where_its_objects_would_go(shell: Shell) -> None:
    shell.succeed("build")
    listed = "    - {group: kuadrant.io, version: v1, kind: AuthPolicy}\n"
    assert listed in CLASS
    shell.write({"hub/class.yaml": CLASS.replace(listed, "")})
    done = shell.run("build")
    assert done.status == 2
    lines = [line.strip() for line in done.err.splitlines()]
    why = lines.index(
        "hub/auth.yaml:1 may be the cause: not shipped: AuthPolicy.kuadrant.io is not listed to "
        "sync, so gateway infra/web is without it (list the kind in the GatewayClass's parameters "
        "or in fleet.yaml, or take the policy out of the hub)"
    )
    assert "AuthPolicy infra/closed: would go" in lines[why - 2]
    assert lines[why + 1].startswith("if that is meant, build with")
