"""The CRDs that `check` reads: where they are, and what wrong and hostile ones can do."""

import time

from tests.cli.judged import INVALID, TRUE
from tests.cli.project import FLEET, OVERRIDES, PLACEMENT, ROUTES, THING, THINGS, Done, Shell
from tests.support import each
from tests.support.crds import SCHEMA, crd


def test_an_invalid_object_is_told_where_its_value_was_written(wrong: Shell) -> None:
    done = wrong.run("check", "--only", "validation")
    assert (done.status, done.out) == (1, "validation: 1 error on 2 spokes\n" + ROUTES)
    assert done.err.splitlines() == [
        f"placement.yaml:17: {INVALID} spec.realm: Too long: may not be more than 6 bytes",
        "    on eu",
        "    shorten it from 8 to 6 characters",
        "1 error",
    ]


def test_what_is_known_invalid_is_still_built(wrong: Shell) -> None:
    """Only `check` judges: what an API server would say never keeps a build."""
    wrong.succeed("build")


def test_the_crd_may_be_in_the_hub(wrong: Shell) -> None:
    before = wrong.run("check", "--only", "validation")
    (wrong.folder / "crds/auth.yaml").rename(wrong.folder / "hub/crd.yaml")
    wrong.write({"fleet.yaml": f"{FLEET}  layout: object\n"})
    assert wrong.run("check", "--only", "validation") == before


def test_a_kind_without_a_crd_is_told_once_on_request(shell: Shell) -> None:
    shell.write({"hub/thing.yaml": THING, "fleet.yaml": THINGS})
    shell.run("build")
    quiet, loud = shell.run("check"), shell.run("check", "-v")
    assert "SR2307" not in quiet.err
    assert loud.status == quiet.status == 0
    told = [line for line in loud.err.splitlines() if "SR2307" in line]
    assert [line.partition("no CRD of ")[2].split(" is at hand")[0] for line in told] == [
        "Thing.example.com"
    ]
    assert all("2 of its objects were not validated" in line for line in told)


@each("text", "json", "github")
@each(False, True)
def test_a_folder_of_crds_that_has_none(there: bool, form: str, shell: Shell) -> None:
    """No folder, or one without a file that counts."""
    shell.write({"fleet.yaml": f"{FLEET}  crds: [./CRDs/v1.4/]\n"})
    if there:
        shell.write({"CRDs/v1.4/README.md": "To be filled.\n"})
    done = shell.run("check", "--format", form)
    assert done.status == 2
    what = "no .yaml, .yml, .json file in this folder" if there else "no such file or folder"
    assert f"./CRDs/v1.4/: {what}" in (done.err if form == "text" else done.out)
    assert bool(done.err) == (form == "text")
    assert shell.run("check", "--only", "tree").status == 1
    shell.succeed("build")


def test_only_what_reads_crds_asks_for_them(shell: Shell) -> None:
    shell.write({"fleet.yaml": f"{FLEET}  crds: [crds/]\n"})
    shell.pass_silently("check", "--only", "policies")


BROKEN = {
    "not YAML": ("{CustomResourceDefinition", "crds/auth.yaml:2:1: error SR2309: not YAML: "),
    "too deep": (
        f"# CustomResourceDefinition\n{'[' * 5_000}{']' * 5_000}\n",
        "crds/auth.yaml:2:101: error SR2309: nested deeper than 100 levels",
    ),
    "no schema": (
        crd().replace("openAPIV3Schema", "schema"),
        (
            "crds/auth.yaml:1: error SR2309 CustomResourceDefinition authpolicies.kuadrant.io: "
            "the CRD of AuthPolicy has no schema for v1"
        ),
    ),
    "a schema that makes no sense": (
        crd("{type: object, properties: {realm: {type: sring}}}"),
        "crds/auth.yaml:1: error SR2309: the CRD of AuthPolicy has a schema that no API server",
    ),
}


@each(*BROKEN)
def test_a_broken_crd(name: str, fleet: Shell) -> None:
    """It is an error of its own, told once and not at each object."""
    text, said = BROKEN[name]
    fleet.write({"crds/auth.yaml": text})
    done = fleet.run("check")
    assert (done.status, done.out.startswith(TRUE)) == (1, True)
    assert done.err.startswith(said)
    assert done.err.count("SR2309") == 1


def test_an_odd_format_in_a_crd_is_none(fleet: Shell) -> None:
    fleet.write({"crds/auth.yaml": crd(SCHEMA.replace("type: string", "type: string, format: []"))})
    assert fleet.run("check") == Done(0, TRUE + ROUTES, "")


def test_two_crds_of_one_kind(fleet: Shell) -> None:
    fleet.write({"crds/more.yaml": crd(SCHEMA.replace("6", "7"))})
    done = fleet.run("check")
    assert done.status == 1
    assert "error SR2310" in done.err
    assert "crds/auth.yaml:1" in done.err
    assert "crds/more.yaml:1" in done.err


def test_the_same_crd_twice_is_one(fleet: Shell) -> None:
    fleet.write({"crds/more.yaml": crd()})
    fleet.succeed("check")


# Hostile CRDs: whoever writes to the hub must not be able to stop the check.

BOMB = "self.targetRef.name" + ".replace('', self.targetRef.name)" * 40
HOSTILE = {
    "a loop in a loop": (
        (
            "{type: object, properties: {realm: {type: string}, targetRef: {type: object, "
            "x-kubernetes-preserve-unknown-fields: true}}, x-kubernetes-validations: [{rule: "
            f'"{"[1,2,3,4,5,6,7,8,9].all(x, " * 12}true{")" * 12}"}}]}}'
        ),
        "SR2308",
    ),
    "a text that doubles": (
        ("{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: "
         f'[{{rule: "{BOMB} != self.targetRef.kind"}}]}}'), "SR2308",
    ),
    "concatenation in macros": (
        "{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: "
        "[{rule: \"cel.bind(a, 'xxxxxxxxxx', "
        + "".join(
            f"cel.bind({b}, {a} + {a} + {a} + {a}, "
            for a, b in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True)
        )
        + "q != ''"
        + ")" * 17
        + '"}]}',
        "SR2308",
    ),
    "a huge source": (
        ("{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: "
         f'[{{rule: "{" && ".join(["true"] * 20_000)}"}}]}}'), "SR2308",
    ),
    "a huge regular expression": (
        ("{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {realm: "
         f"{{type: string, pattern: '{'(a{1000}){1000}' * 3}'}}}}}}"), "SR2308",
    ),
    "a regular expression that backtracks": (
        ("{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {realm: "
         "{type: string, pattern: '^(([a-z])+.)+[A-Z]([a-z])+$'}}}"), "SR2301",
    ),
    "a regular expression that is none": (
        ("{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {realm: "
         "{type: string, pattern: '(((('}}}"), "SR2308",
    ),
}  # fmt: skip


@each(*HOSTILE)
def test_a_hostile_crd_is_told_in_time(name: str, shell: Shell) -> None:
    schema, code = HOSTILE[name]
    long = (PLACEMENT + OVERRIDES).replace("europe", "a" * 5_000)
    shell.write({"hub/crd.yaml": crd(schema), "placement.yaml": long})
    began = time.monotonic()
    done = shell.run("check", "--only", "validation")
    assert time.monotonic() - began < 10
    assert done.status in {0, 1}
    assert f" {code}" in done.err
