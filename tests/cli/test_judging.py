"""What `check` judges besides the tree: the aspects asked for, suppressions, lost objects."""

import json
import subprocess

from tests.cli.judged import SIGN, SUBSETS, TRUE, only, suppressing
from tests.cli.project import AUTH, ROUTES, Shell
from tests.support import each


@each(*SUBSETS, [], ids="+".join)
def test_only_what_is_asked_for_is_checked(aspects: list[str], wrong: Shell) -> None:
    done = wrong.run("check", *only(aspects))
    shown = done.out + done.err
    assert {name for name, sign in SIGN.items() if sign in shown} == set(aspects or SIGN)
    assert done.status == 1


@each(*SUBSETS, [], ids="+".join)
def test_nothing_is_wrong(aspects: list[str], fleet: Shell) -> None:
    done = fleet.run("check", *only(aspects))
    clean = f"{' and '.join(aspects)}: no error, no warning on 2 spokes\n"
    told = TRUE if "tree" in (aspects or SIGN) else clean
    more = ROUTES if "validation" in (aspects or SIGN) else ""
    assert (done.status, done.out, done.err) == (0, told + more, "")


@each(*SIGN)
def test_asked_for_twice(aspect: str, wrong: Shell) -> None:
    assert wrong.run("check", *only([aspect, aspect])) == wrong.run("check", *only([aspect]))


def test_nothing_else_can_be_asked_for(fleet: Shell) -> None:
    assert "'tree', 'policies', 'validation'" in fleet.refuse("check", "--only", "everything").err


# Suppressions.


def test_a_suppressed_error_is_told_on_request_and_counts_no_more(wrong: Shell) -> None:
    (wrong.folder / "hub/second.yaml").unlink()
    wrong.write({"fleet.yaml": suppressing("SR2301", "AuthPolicy/infra/closed")})
    wrong.run("build")
    done = wrong.run("check", "-v")
    assert (done.status, done.out) == (0, TRUE + ROUTES)
    told = done.err[done.err.index("SR2301") :]
    assert told.startswith("SR2301 AuthPolicy infra/closed spec.realm: Too long")
    assert "known since May" in told
    assert "SR2301" not in wrong.run("check").err


def test_one_of_several_spokes_is_suppressed(fleet: Shell) -> None:
    """The finding of the others stays what it is."""
    long = {"hub/auth.yaml": AUTH + "  realm: too-long\n"}
    entry = suppressing("SR2301", "authpolicy.kuadrant.io/infra/closed", "us")
    fleet.write({**long, "fleet.yaml": entry})
    fleet.run("build")
    done = fleet.run("check", "--format", "json")
    assert done.status == 1
    told = {
        r["severity"]: r for r in json.loads(done.out)["results"] if r["tags"]["code"] == "SR2301"
    }
    assert told["error"]["spokes"] == ["eu"]
    assert told["info"]["spokes"] == ["us"]
    assert told["info"]["tags"]["suppressed"] == "known since May"


def test_a_suppressed_error_lets_a_build_through(shell: Shell) -> None:
    """The policy is on a Gateway that no listener of the spoke has: a build would refuse it."""
    shell.write({"hub/auth.yaml": AUTH.replace("sectionName: https", "sectionName: http")})
    refused = shell.run("build")
    assert refused.status == 2
    code = refused.err.partition("error ")[2][:6]
    shell.write(
        {
            "fleet.yaml": suppressing(code, "AuthPolicy/infra/closed").replace(
                "  crds: [crds/]\n", ""
            )
        }
    )
    shell.pass_silently("build")
    shell.succeed("check", "--only", "tree")


@each(*SUBSETS, [], ids="+".join)
def test_a_stale_suppression_is_told_by_a_full_check_alone(
    aspects: list[str], fleet: Shell
) -> None:
    """Else nobody knows whether it is."""
    fleet.write({"fleet.yaml": suppressing("SR2301", "AuthPolicy/infra/closed")})
    is_full = not aspects
    assert ("matches no finding" in fleet.succeed("check", *only(aspects)).err) == is_full
    assert fleet.run("check", "--strict", *only(aspects)).status == int(is_full)
    assert "matches no finding" not in fleet.run("build").err


# Against a revision.


def test_against_with_only_one_aspect(fleet: Shell) -> None:
    """What was lost is looked for whatever else is."""
    for command in ("init --quiet", "add --all", "commit --quiet --message Start"):
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"]
        subprocess.run(["git", *identity, *command.split()], cwd=fleet.folder, check=True)
    (fleet.folder / "hub/auth.yaml").unlink()
    fleet.succeed("build", "--allow-delete", "AuthPolicy/infra/closed")
    for aspects in [*SUBSETS, []]:
        done = fleet.run("check", *only(aspects), "--against", "HEAD")
        assert done.status == 1
        assert "error SR1901 AuthPolicy infra/closed: would go" in done.err
        fleet.succeed("check", *only(aspects))
    told = fleet.run("check", "--only", "validation", "--against", "HEAD", "--format", "json")
    assert "SR1901" in {result["tags"]["code"] for result in json.loads(told.out)["results"]}
