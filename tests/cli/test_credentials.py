"""No command shows a credential that stands in a policy, in whatever form; equal ones are told."""

import json

import pytest

from tests.cli.judged import AT_CRDS
from tests.cli.project import AUTH, PLACEMENT, Shell
from tests.support import each, manifest, rows_of, text_of
from tests.support.crds import crd
from tests.support.git import needs_git

pytestmark = needs_git

OLD, NEW, OTHER = "old-S3cret-0123456789", "new-S3cret-0123456789", "third-S3cret-0123456789"
POLICY = AUTH + text_of(__file__, "credentials_policy.yaml")
OVERRIDE = PLACEMENT.replace("realm: europe", f"realm: europe, apiKey: {OTHER}") + text_of(
    __file__, "credentials_override.yaml"
)
SECRETS = (OLD, NEW, OTHER)


@pytest.fixture
def changed(shell: Shell) -> Shell:
    """A project whose policy has other credentials than what is committed."""
    shell.write({"hub/auth.yaml": POLICY % (OLD, OLD), "placement.yaml": OVERRIDE})
    shell.succeed("build")
    shell.commit()
    shell.write({"hub/auth.yaml": POLICY % (NEW, NEW)})
    return shell


@each(*rows_of(__file__, "no_command_shows_one"), ids=" ".join)
def test_no_command_shows_one(command: tuple[str, ...], changed: Shell) -> None:
    done = changed.run(*command)
    assert done.status in {0, 1}
    for secret in SECRETS:
        assert secret not in done.out + done.err
        assert secret[:16] not in done.out + done.err


def test_a_difference_says_that_it_is_another_one(changed: Shell) -> None:
    done = changed.run("diff", "--format=json")
    fields = [
        (field["old"], field["new"])
        for difference in json.loads(done.out)["differences"]
        for field in difference.get("fields", ())
    ]
    assert len(fields) > 1
    for old, new in fields:
        assert "<redacted:" in old
        assert "<redacted:" in new
        assert old != new


def test_what_is_in_force_says_which_are_equal(changed: Shell) -> None:
    done = changed.run("effective", "--spoke=us", "--format=json")
    in_force = json.loads(done.out)["effectivePolicies"]
    text = json.dumps(next(item["rules"] for item in in_force if item["rules"]))
    assert text.count("<redacted:1>") == 2


def test_a_message_about_one_does_not_quote_it(shell: Shell) -> None:
    shell.write(
        {
            "fleet.yaml": AT_CRDS,
            "crds/auth.yaml": crd(),
            "hub/auth.yaml": AUTH + f"  clientSecret: {OLD}\n  password: {NEW}\n",
        }
    )
    done = shell.run("check", "--format=json")
    assert OLD not in done.out + done.err
    assert NEW not in done.out + done.err


def test_nor_does_one_about_an_override_or_a_spokes_value(shell: Shell) -> None:
    text = OVERRIDE.replace('"{{ spoke.values.apiKey }}"', '"{{ spoke.values.apiKey | int }}"')
    shell.write({"hub/auth.yaml": POLICY % (OLD, OLD), "placement.yaml": text})
    done = shell.run("build")
    assert done.status == 2
    assert "SR1406" in done.err
    assert OTHER not in done.err


@each(
    "*X", "!X a", "!!X a", "!!int X", "&X [", "'X", '"X\\q"', "[X", "X: a: b", "%X", "@X", "X\x01"
)
def test_what_is_no_yaml_is_not_quoted_where_it_may_be_one(value: str, shell: Shell) -> None:
    shell.write({"hub/auth.yaml": f"{AUTH}  password: {value.replace('X', OLD)}\n"})
    for command in (("build",), ("check", "--format=json"), ("check", "--format=github")):
        done = shell.run(*command)
        assert done.status == 2
        assert OLD not in done.out + done.err


KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
HEAD = manifest("Secret shop/tls")
BROKEN_SECRETS = {
    "an unindented key": f"stringData:\n  tls.key: |\n-----BEGIN KEY-----\n{KEY}\n-----END KEY--\n",
    "a quoted one": f'data:\n  tls.key: "\n---\n{KEY}: {KEY}\n',
    "a key as a key": f"data:\n---\n{KEY}: [\n",
    "a list": f"stringData:\n  tls.key: |\n---\n- {KEY}\n- {{{KEY}: 1, {KEY}: 2}}\n",
    "an object below it": f"stringData: {{}}\n---\nkind: A\napiVersion: v1\nspec: {KEY}\n",
}


@each("build", "check", "explain", "diff", "status")
@each(*BROKEN_SECRETS)
def test_a_secret_that_lost_its_indentation_is_not_quoted(
    name: str, command: str, shell: Shell
) -> None:
    shell.write({"hub/tls.yaml": HEAD + BROKEN_SECRETS[name]})
    done = shell.run(command)
    assert done.status == 2
    assert "hub/tls.yaml:" in done.err
    assert KEY[:6] not in done.out + done.err
