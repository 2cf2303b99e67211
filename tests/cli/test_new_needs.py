"""What clusters newly need because of a change: told where the change is."""

import json

import pytest

from tests.cli.project import FLEET, WEB, Shell
from tests.support import each, text_of
from tests.support.git import run_git
from tests.wings.publishing.projects import CRD, PUBLISHING, RESOURCE, thing, write

TLS = WEB + text_of(__file__, "new_needs_tls.yaml")
TOLD = [
    "newly needed on the clusters:",
    "  + Namespace edge on all 2 spokes",
    "  + Secret edge/cert on all 2 spokes",
]


def needs(out: str) -> list[str]:
    lines = out.splitlines()
    start = lines.index(TOLD[0]) if TOLD[0] in lines else len(lines)
    return [line for line in lines[start:] if line.startswith(("newly", "  +"))]


@pytest.fixture
def changed(shell: Shell) -> Shell:
    run_git(shell.folder, "init", "--quiet")
    assert needs(shell.run("build").out) == []
    shell.commit("x")
    assert needs(shell.run("diff").out) == []
    placement = (shell.folder / "placement.yaml").read_text()
    assert "names: [infra/web]" in placement
    shell.write(
        {
            "hub/web.yaml": TLS,
            "placement.yaml": placement.replace("[infra/web]", "[infra/web, edge/more]"),
        }
    )
    return shell


def test_each_command_that_shows_a_change_tells_what_it_needs(changed: Shell) -> None:
    assert needs(changed.run("diff").out) == TOLD
    assert needs(changed.run("check").out) == TOLD
    assert needs(changed.run("build").out) == TOLD
    assert needs(changed.run("build").out) == []
    assert needs(changed.run("check").out) == []
    assert needs(changed.run("check", "--against", "HEAD").out) == TOLD
    assert needs(changed.run("diff", "--spoke", "eu").out)[1:] == [
        "  + Namespace edge on eu",
        "  + Secret edge/cert on eu",
    ]


@each("text", "json", "markdown", "html", "codequality")
def test_a_review_tells_it_in_each_format(form: str, changed: Shell) -> None:
    done = changed.succeed("review", "--fail-on", "info", "-v", "--format", form)
    for name in ("Namespace edge", "Secret edge/cert"):
        assert f"{name} must exist for Gateway edge/more" in done.out.replace("`", "")
    assert "hub/web.yaml" in done.out


def test_a_review_tells_once_what_spokes_need_by_their_own_names(changed: Shell) -> None:
    place = "/spec/listeners/0/tls/certificateRefs/0/name"
    override = f"""\
  overrides:
  - target: {{kind: Gateway, name: more}}
    spokes: {{all: true}}
    patch: [{{op: replace, path: {place}, value: "{{{{ spoke.name }}}}-tls"}}]
"""
    placement = (changed.folder / "placement.yaml").read_text()
    changed.write({"placement.yaml": placement + override})
    found = json.loads(changed.run("review", "--format", "json").out)["needed"]
    assert [item["message"] for item in found] == [
        "Namespace edge must exist for Gateway edge/more",
        "Secret edge/{{ spoke.name }}-tls must exist for Gateway edge/more",
    ]
    assert [item["spokes"] for item in found] == [["eu", "us"]] * 2


def test_a_spoke_in_one_file_needs_the_same(changed: Shell) -> None:
    changed.write({"hub/web.yaml": WEB, "fleet.yaml": FLEET + "  layout: spoke\n"})
    placement = (changed.folder / "placement.yaml").read_text()
    changed.write({"placement.yaml": placement.replace(", edge/more]", "]")})
    changed.succeed("build")
    changed.write({"hub/web.yaml": TLS, "placement.yaml": placement})
    assert needs(changed.run("check").out) == TOLD


def test_json_has_them_as_values(changed: Shell) -> None:
    (namespace, secret) = json.loads(changed.run("diff", "--format", "json").out)["needs"]
    assert namespace["resourceRef"]["kind"] == "Namespace"
    assert secret["resourceRef"]["name"] == "cert"
    assert secret["spokes"] == ["eu", "us"]
    assert "needs" in json.loads(changed.run("check", "--format", "json").out)
    assert "needs" in json.loads(changed.run("build", "--format", "json").out)


def test_what_an_unchanged_object_needs_already_is_not_new(changed: Shell) -> None:
    changed.succeed("build")
    run_git(changed.folder, "commit", "--quiet", "--all", "--message", "y")
    changed.commit("z")
    twice = TLS + TLS.split("---\n")[-1].replace("name: more", "name: twin").join(["---\n", ""])
    placement = (changed.folder / "placement.yaml").read_text()
    placement = placement.replace("edge/more]", "edge/more, edge/twin]")
    changed.write({"hub/web.yaml": twice, "placement.yaml": placement})
    out = changed.run("diff").out
    assert "added Gateway edge/twin" in out
    assert needs(out) == []


def test_what_is_rendered_is_not_needed(changed: Shell) -> None:
    changed.write({"fleet.yaml": FLEET + "  namespaces: create\n"})
    assert not [line for line in needs(changed.run("diff").out) if "Namespace" in line]


_KEYS = """\
  related:
  - {identifier: key, origin: kcp, kind: Secret, object: {reference: {path: spec.key}}}
"""


def _copy_things(shell: Shell, things: str) -> None:
    files = {"hub/published.yaml": RESOURCE + _KEYS, "workspaces/team-a/things.yaml": things}
    write(shell.folder, files)


def test_secrets_of_copies_are_needed_once_a_copy_follows_them(shell: Shell) -> None:
    (shell.folder / "hub/web.yaml").unlink()
    _copy_things(shell, thing("cart", "{key: one}"))
    shell.run("build")
    _copy_things(shell, thing("cart", "{key: one}") + thing("more", "{key: one}"))
    assert needs(shell.run("build").out) == []
    shell.commit()
    things = (
        thing("cart", "{key: two}") + thing("more", "{key: one}") + thing("new", "{key: three}")
    )
    _copy_things(shell, things)
    expected = [
        "newly needed on the clusters:",
        "  + Secret team-a/three, Secret shop/three in workspace team-a on eu",
        "  + Secret team-a/two, Secret shop/two in workspace team-a on eu",
    ]
    assert needs(shell.run("diff").out) == expected
    assert needs(shell.run("check").out) == expected
    assert needs(shell.run("build").out) == expected
    assert needs(shell.run("build").out) == []


def test_secrets_of_copies_that_a_selector_matches_are_told_by_their_labels(shell: Shell) -> None:
    (shell.folder / "hub/web.yaml").unlink()
    rewrite = "rewrite: {regex: {replacement: x}}"
    selector = f"selector: {{matchLabels: {{app: shop}}, {rewrite}}}"
    related = _KEYS.replace("reference: {path: spec.key}", selector)
    write(shell.folder, {"hub/published.yaml": RESOURCE + related})
    shell.run("build")
    write(
        shell.folder,
        {
            "hub/published.yaml": RESOURCE + related,
            "workspaces/team-a/things.yaml": thing("cart") + thing("new"),
            "workspaces/team-b/things.yaml": thing("cart", "{a: 1}"),
        },
    )
    assert needs(shell.run("check").out) == []
    write(
        shell.folder,
        {
            "hub/published.yaml": RESOURCE + related,
            "workspaces/team-c/things.yaml": thing("cart"),
            "publishing.yaml": PUBLISHING + "  - {name: team-c}\n",
        },
    )
    assert needs(shell.run("check").out) == [
        "newly needed on the clusters:",
        "  + Namespace team-c on eu",
        "  + Secret with labels app=shop in workspace team-c on eu",
    ]


def test_a_secret_that_a_copy_names_itself_is_told_once(shell: Shell) -> None:
    (shell.folder / "hub/web.yaml").unlink()

    def write_plugins(secret: str) -> None:
        files = {
            "crds/things.yaml": CRD,
            "hub/published.yaml": RESOURCE + _KEYS.replace("spec.key", "spec.imagePullSecret"),
            "workspaces/team-a/things.yaml": thing("cart", f"{{imagePullSecret: {secret}}}"),
            "workspaces/team-b/things.yaml": thing("cart", "{}"),
        }
        for old, new in (
            ("example.com", "extensions.istio.io"),
            ("Thing", "WasmPlugin"),
            ("things}", "wasmplugins}"),
            ("{name: things.", "{name: wasmplugins."),
        ):
            files = {path: text.replace(old, new) for path, text in files.items()}
        write(shell.folder, files)

    write_plugins("one")
    shell.run("build")
    write_plugins("two")
    assert needs(shell.run("check").out) == [
        "newly needed on the clusters:",
        "  + Secret team-a/two, Secret shop/two in workspace team-a on eu",
    ]
