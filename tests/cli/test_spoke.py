"""`spokerender spoke`: the placement edited as people wrote it, and what follows from that."""

import json
import re
from difflib import unified_diff

import pytest

from tests.cli.project import FLEET, PROJECT, WEB, Shell
from tests.edge.files.trees import snapshot
from tests.support import cases, each, manifest, rows_of, text_of

PLACEMENT = text_of(__file__, "spoke.yaml")
RULES = text_of(__file__, "spoke_rules.yaml")
SUPPRESSED = (
    FLEET
    + "  suppressions:\n  - {code: SR2210, resource: HTTPRoute/shop/shop, spoke: us, reason: x}\n"
)


@pytest.fixture
def fleet(empty: Shell) -> Shell:
    """A project of two spokes with its tree; the placement is in two files."""
    empty.write(PROJECT)
    (empty.folder / "placement.yaml").unlink()
    empty.write(
        {
            "placement/a.yaml": PLACEMENT,
            "placement/b.yaml": RULES,
            "fleet.yaml": FLEET + "  placement: placement/\n",
        }
    )
    empty.succeed("build")
    return empty


def changes(shell: Shell, path: str = "placement/a.yaml", before: str = PLACEMENT) -> list[str]:
    """The lines that a command has taken away and added."""
    after = (shell.folder / path).read_bytes().decode()
    lines = unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
    return [line for line in lines if not re.match(r"@@|---|\+\+\+", line)]


def test_list(fleet: Shell) -> None:
    done = fleet.run("spoke", "list")
    assert not done.status, done.err
    assert done.out.splitlines() == [
        "SPOKE   LABELS      GATEWAYS    OBJECTS   DECLARED AT",
        "eu      tier=prod   infra/web   3         placement/a.yaml:8",
        "us      tier=prod   infra/web   3         placement/a.yaml:12",
    ]
    told = json.loads(fleet.run("spoke", "list", "--format", "json").out)["spokes"]
    assert told[0] == {
        "name": "eu",
        "labels": {"tier": "prod"},
        "gateways": ["infra/web"],
        "objects": 3,
        "declaredAt": "placement/a.yaml:8",
    }


def test_add(fleet: Shell) -> None:
    done = fleet.run("spoke", "add", "ap", "--label", "tier=dev", "--value", "weight=120")
    assert (done.status, done.err.count("error")) == (0, 0)
    assert changes(fleet) == [
        "+    - name: ap",
        "+      labels:",
        "+        tier: dev",
        "+      values:",
        "+        weight: 120",
    ]
    assert done.out.startswith("1 file updated\n  updated placement/a.yaml\n")
    assert "  ap: a new folder with nothing" in done.out
    assert [each["name"] for each in listed(fleet)] == ["ap", "eu", "us"]


def listed(shell: Shell) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(shell.run("spoke", "list", "--format", "json").out)[
        "spokes"
    ]
    return found


def test_add_one_like_another(fleet: Shell) -> None:
    """What its values say of its name says the new one's; what an option says counts more."""
    fleet.succeed("spoke", "add", "eu-2", "--like", "eu", "--value", "weight=4")
    added = "\n".join(line[1:] for line in changes(fleet))
    assert "name: eu-2" in added
    assert "realm: eu-2.example.com" in added
    assert "weight: 4" in added
    assert "tier: prod" in added


def test_add_tells_what_it_copied(fleet: Shell) -> None:
    done = fleet.run("spoke", "add", "ap", "--like", "eu", "--value", "weight=4")
    assert "  ap: copied from eu: labels.tier prod, values.realm ap.example.com\n" in done.out


def test_add_warns_of_hostnames_that_are_said_twice(fleet: Shell) -> None:
    """A copied value that does not have the spoke's name in it serves the same hosts twice."""
    text = PLACEMENT.replace("realm: eu.example.com", "domain: europe.example.com")
    text = text.replace('realm: "us.', 'domain: "us.').replace(
        "names: [eu, us]}   # both", "all: true}"
    )
    named = '      as: {hostnames: {"*.example.org": "*.{{ spoke.values.domain }}"}}\n'
    web = WEB + "  hostnames: [shop.example.org]\n"
    fleet.write({"placement/a.yaml": text + named, "hub/web.yaml": web})
    done = fleet.run("spoke", "add", "ap", "--like", "eu")
    assert done.status == 0, done.err
    assert re.search(r"placement/a.yaml:\d+: warning SR3020", done.err)
    assert "shop.europe.example.com" in done.err
    other = fleet.run("spoke", "add", "sa", "--like", "eu", "--value", "domain=sa.example.com")
    assert "SR3020" not in other.err


def test_what_everybody_gets_a_new_one_gets(fleet: Shell) -> None:
    everywhere = PLACEMENT.replace("spokes: {names: [eu, us]}", "spokes: {all: true}")
    fleet.write({"placement/a.yaml": everywhere})
    done = fleet.run("spoke", "add", "ap")
    assert "  ap: a new folder with 3 objects: infra/authpolicy.kuadrant.io_closed.yaml" in done.out
    fleet.succeed("build")
    fleet.succeed("check")


def test_rename_wherever_it_is_named(fleet: Shell) -> None:
    settings = SUPPRESSED + "  placement: placement/\n"
    fleet.write({"fleet.yaml": settings})
    done = fleet.succeed("spoke", "rename", "us", "us-2")
    assert changes(fleet) == [
        "-    - name: us",
        "+    - name: us-2",
        "-      spokes: {names: [eu, us]}   # both",
        "+      spokes: {names: [eu, us-2]}   # both",
    ]
    assert "spokes: {names: [us-2, eu]}" in (fleet.folder / "placement/b.yaml").read_text()
    assert "spoke: us-2," in (fleet.folder / "fleet.yaml").read_text()
    assert "build will refuse: spoke us would be removed" in done.out
    assert "this looks like a rename" in done.out
    assert "--allow-delete=us --reason=WHY" in done.out
    assert fleet.run("build").status == 2
    fleet.succeed("build", "--allow-delete=us")


WAVES = text_of(__file__, "spoke_waves.yaml")


def test_rename_and_remove_in_waves(fleet: Shell) -> None:
    fleet.write({"fleet.yaml": FLEET + WAVES})
    done = fleet.run("spoke", "rename", "us", "us-2")
    assert not done.status, done.err
    assert (fleet.folder / "fleet.yaml").read_text() == FLEET + WAVES.replace(
        "us,", "us-2,"
    ).replace("[us]", "[us-2]")
    assert "delivery.flux.waves[0]" in fleet.run("spoke", "remove", "eu").err
    done = fleet.run("spoke", "remove", "us-2")
    assert not done.status, done.err
    assert (fleet.folder / "fleet.yaml").read_text() == FLEET + WAVES.replace("us, ", "").replace(
        ", except: [us]", ""
    )


def test_remove(fleet: Shell) -> None:
    done = fleet.succeed("spoke", "remove", "us")
    assert changes(fleet) == [
        "-    # The second one.",
        "-    - name: us",
        "-      labels: {tier: prod}",
        "-      values:",
        '-        realm: "us.example.com"',
        "-      spokes: {names: [eu, us]}   # both",
        "+      spokes: {names: [eu]}   # both",
    ]
    assert "us: its folder goes, with 3 objects" in done.out
    assert "--allow-delete=us --reason=WHY" in done.out


def test_line_ends_stay(fleet: Shell) -> None:
    fleet.write({"placement/a.yaml": PLACEMENT.replace("\n", "\r\n").encode()})
    fleet.succeed("spoke", "remove", "us")
    data = (fleet.folder / "placement/a.yaml").read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 10


def test_documents_beside_it_stay(fleet: Shell) -> None:
    both = f"# first\n{RULES}--- # second\n{PLACEMENT}---\n# nothing\n"
    fleet.write({"placement/a.yaml": both})
    (fleet.folder / "placement/b.yaml").unlink()
    fleet.succeed("spoke", "rename", "us", "us-2")
    assert (fleet.folder / "placement/a.yaml").read_text() == both.replace(
        "name: us\n", "name: us-2\n"
    ).replace("[eu, us]", "[eu, us-2]").replace("[us, eu]", "[us-2, eu]")


@cases(*rows_of(__file__, "wrong_names_change_nothing"))
def test_wrong_names_change_nothing(arguments: str, code: str, fleet: Shell) -> None:
    before = snapshot(fleet.folder)
    assert f"error {code}" in fleet.refuse("spoke", *arguments.split()).err
    assert snapshot(fleet.folder) == before


@each("add Eu", "rename us _us", "add ap --label x", "add")
def test_wrong_arguments_change_nothing(arguments: str, fleet: Shell) -> None:
    before = snapshot(fleet.folder)
    assert fleet.run("spoke", *arguments.split()).status == 2
    assert snapshot(fleet.folder) == before


def test_the_last_spoke_stays(shell: Shell) -> None:
    one = PLACEMENT.replace("[eu, us]", "[eu]")
    start, end = one.index("    # The second"), one.index("  rules:")
    shell.write({"placement.yaml": one[:start] + one[end:]})
    done = shell.run("spoke", "remove", "eu")
    assert done.status == 2
    assert "placement.yaml:8: error SR3011" in done.err


def test_what_is_for_one_spoke_alone_is_named(fleet: Shell) -> None:
    fleet.write({"placement/b.yaml": RULES.replace("[us, eu]", "[us]")})
    before = snapshot(fleet.folder)
    done = fleet.run("spoke", "remove", "us")
    assert done.status == 2
    assert "placement/b.yaml:6: error SR3012: spec.overrides[0]" in done.err
    assert snapshot(fleet.folder) == before


HEAD = manifest("Placement shop", api="spokerender.io/v1alpha1")
FLOW = (
    "{apiVersion: spokerender.io/v1alpha1, kind: Placement, metadata: {name: x}, "
    "spec: {spokes: [{name: eu}, {name: us}], "
    "rules: [{gateways: {names: [infra/web]}, spokes: {all: true}}]}}\n"
)


@each(*rows_of(__file__, "a_file_that_can_not_be_edited_is_not"))
def test_a_file_that_can_not_be_edited_is_not(text: str, fleet: Shell) -> None:
    fleet.write({"placement/a.yaml": text})
    before = snapshot(fleet.folder)
    done = fleet.run("spoke", "add", "ap")
    assert done.status == 2
    assert re.search(r"placement/a.yaml:\d: error SR3013", done.err)
    assert snapshot(fleet.folder) == before


@cases(*rows_of(__file__, "flow_style_and_anchors_stay"))
def test_flow_style_and_anchors_stay(text: str, old: str, new: str, fleet: Shell) -> None:
    fleet.write({"placement/a.yaml": text})
    assert (done := fleet.run("spoke", "add", "ap")).status == 0, done.err
    assert (fleet.folder / "placement/a.yaml").read_text() == text.replace(old, new)


def test_a_list_that_is_not_begun_is(fleet: Shell) -> None:
    rules = "  rules:\n    - gateways: {names: [infra/web]}\n      spokes: {all: true}\n"
    fleet.write({"placement/a.yaml": HEAD + "spec:\n  spokes:\n" + rules})
    (fleet.folder / "placement/b.yaml").unlink()
    assert (done := fleet.run("spoke", "add", "ap")).status == 0, done.err
    assert "  spokes:\n  - name: ap\n  rules:\n" in (fleet.folder / "placement/a.yaml").read_text()


def test_what_would_not_render_is_not_written(fleet: Shell) -> None:
    """The rule needs a value that the new spoke has not."""
    text = PLACEMENT.replace(
        "spokes: {names: [eu, us]}   # both",
        'spokes: {all: true}\n      as: {labels: {realm: "{{ spoke.values.realm }}"}}',
    )
    fleet.write({"placement/a.yaml": text})
    before = snapshot(fleet.folder)
    assert 'has no "realm"' in fleet.refuse("spoke", "add", "ap").err
    assert snapshot(fleet.folder) == before


def test_a_link_is_not_written_through(fleet: Shell) -> None:
    path = fleet.folder / "placement/a.yaml"
    path.rename(fleet.folder / "elsewhere")
    path.symlink_to(fleet.folder / "elsewhere")
    done = fleet.run("spoke", "add", "ap")
    assert done.status == 2
    assert "it is a link" in done.err
    assert (fleet.folder / "elsewhere").read_text() == PLACEMENT
