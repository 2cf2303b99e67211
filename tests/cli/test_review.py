"""`spokerender review` against revisions, merge bases, folders, and what can not be rendered."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from spokerender.model.plan import HEADER
from tests.cli.project import ANSWERED, FLEET, PLACEMENT, Shell
from tests.support import cases, rows_of
from tests.support.git import needs_git, run_git

pytestmark = needs_git

OPEN = "rules: {authentication: {all: {anonymous: {}}}}"
CLOSED = "rules: {authentication: {all: {apiKey: {}}}}"


def hub(rules: str) -> str:
    return f"""\
apiVersion: kuadrant.io/v1
kind: AuthPolicy
metadata: {{name: guard, namespace: shop}}
spec:
  targetRef: {{group: gateway.networking.k8s.io, kind: HTTPRoute, name: shop}}
  {rules}
"""


PAY = rows_of(__file__, "pay")


def commit(shell: Shell, message: str) -> None:
    shell.succeed("build")
    run_git(shell.folder, "add", "--all")
    run_git(shell.folder, "commit", "--quiet", f"--message={message}")


def begin(shell: Shell) -> None:
    files = {"hub/web.yaml": ANSWERED, "hub/guard.yaml": hub(CLOSED), "placement.yaml": PLACEMENT}
    shell.write(files)
    run_git(shell.folder, "init", "--quiet", "--initial-branch=main")
    commit(shell, "closed")


def review(shell: Shell, *arguments: str) -> tuple[int, dict[str, Any]]:
    done = shell.run("review", "--format", "json", *arguments)
    assert done.out, done.err
    return done.status, json.loads(done.out)


def codes(found: dict[str, Any]) -> set[str]:
    return {item["code"] for item in found["consequences"]}


def test_nothing_changed(shell: Shell) -> None:
    begin(shell)
    status, found = review(shell)
    assert (status, found["consequences"], found["changes"]) == (0, [], [])


def test_a_suppression_accepts_errors_of_the_change_that_adds_it(shell: Shell) -> None:
    begin(shell)
    shell.write({"hub/guard.yaml": hub(OPEN)})
    (error,) = review(shell)[1]["consequences"]
    name = error["resourceRef"]
    resource = f"{name['kind']}/{name['namespace']}/{name['name']}"
    entry = f"{{code: {error['code']}, resource: {resource}, reason: <b>it is a demo</b>}}"
    (shell.folder / "fleet.yaml").write_text(f"{FLEET}  suppressions: [{entry}]\n")
    status, found = review(shell, "--fail-on", "warning")
    severities = [(item["code"], item["severity"]) for item in found["consequences"]]
    assert (status, severities) == (0, [("SR2501", "warning"), ("SR1912", "info")])
    assert "(accepted: <b>it is a demo</b>)" in " ".join(shell.run("review", "-v").out.split())
    assert "(accepted: `<b>it` is a `demo</b>`)" in shell.run("review", "--format=markdown").out
    assert "&lt;b&gt;it is a demo&lt;/b&gt;" in shell.run("review", "--format=html").out
    shell.write({"hub/guard.yaml": hub(CLOSED)})
    commit(shell, "accepted")
    shell.write({"hub/guard.yaml": hub(OPEN)})
    status, found = review(shell)
    (again,) = found["consequences"]
    assert (status, again["severity"], again["code"]) == (1, "error", error["code"])
    assert again["cure"].startswith("its suppression is of an earlier change")


def test_what_an_earlier_change_did_not_build_is_told_where_it_is_built(shell: Shell) -> None:
    """Its sources are as they were, and what is applied is not: as `check --against` says."""
    begin(shell)
    shell.write({"hub/guard.yaml": hub(OPEN)})
    shell.commit("not built")
    shell.succeed("build", "--allow-open=AuthPolicy/shop/guard", "--reason=x")
    commit(shell, "built")
    status, found = review(shell, "--against", "HEAD~1")
    assert (status, codes(found)) == (0, {"SR2501"})
    assert {item["severity"] for item in found["consequences"]} == {"info"}
    assert len(found["changes"]) == 1
    assert review(shell, "--against", "HEAD~2")[1]["changes"] == found["changes"]


def test_what_the_last_commit_did_not_build_is_told_before_the_build(shell: Shell) -> None:
    """The sources are those of the base; its tree is not, and a folder in it is of no spoke."""
    begin(shell)
    shell.write({"hub/guard.yaml": hub(OPEN)})
    shell.commit("not built")
    status, found = review(shell, "--against", "HEAD")
    assert (status, codes(found)) == (1, {"SR2501"})
    assert "was not built whole: of eu" in found["before"]["note"]
    assert len(found["changes"]) == 1


def test_a_spoke_that_the_last_commit_left_in_the_tree_goes_with_the_build(shell: Shell) -> None:
    begin(shell)
    shutil.copytree(shell.folder / "clusters/eu", shell.folder / "clusters/old")
    (shell.folder / "clusters/eu/README.md").write_text("ours, not the tool's")
    shell.commit("a copy")
    _, found = review(shell, "--against", "HEAD")
    assert codes(found) == {"SR1901"}
    assert found["before"]["note"].endswith("of old the committed files are compared")


def test_an_open_door_fails_unless_nothing_is_to(shell: Shell) -> None:
    begin(shell)
    shell.write({"hub/guard.yaml": hub(OPEN)})
    status, found = review(shell)
    assert (status, "SR2501" in codes(found)) == (1, True)
    assert review(shell, "--fail-on", "never")[0] == 0


def test_each_path_is_told_by_its_parts(shell: Shell) -> None:
    """Programs find the gateway, the listener, the route and its rule, and what that matches."""
    begin(shell)
    shell.write({"hub/guard.yaml": hub(CLOSED), "hub/pay.yaml": PAY})
    commit(shell, "pay")
    shell.write({"hub/pay.yaml": PAY.replace("/pay", "/paid")})
    changed = [path for item in review(shell)[1]["consequences"] for path in item["paths"]]
    group = {"group": "gateway.networking.k8s.io"}
    web = group | {"kind": "Gateway", "namespace": "infra", "name": "web"}
    assert changed[0] == {
        "gateway": web,
        "listener": web | {"sectionName": "https"},
        "route": group
        | {"kind": "HTTPRoute", "namespace": "shop", "name": "pay", "sectionName": "first"},
        "match": [{"path": {"type": "PathPrefix", "value": "/paid"}}],
    }


def test_a_merge_base_leaves_out_what_others_did(shell: Shell) -> None:
    begin(shell)
    run_git(shell.folder, "checkout", "--quiet", "-b", "mine")
    run_git(shell.folder, "checkout", "--quiet", "main")
    shell.write({"hub/guard.yaml": hub(OPEN)})
    shell.succeed("build", "--allow-open", "AuthPolicy/shop/guard", "--reason", "x")
    shell.commit("open")
    run_git(shell.folder, "checkout", "--quiet", "mine")
    assert review(shell, "--against", "main...")[1]["consequences"] == []
    assert review(shell, "--against", "main")[1]["stricter"] != []


@cases(*rows_of(__file__, "markdown_links_the_line_of_a_cause_at_its_host"))
def test_markdown_links_the_line_of_a_cause_at_its_host(
    variables: dict[str, str], remote: str, link: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "CI_PROJECT_URL"):
        monkeypatch.delenv(name, raising=False)
    begin(shell)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if remote:
        run_git(shell.folder, "remote", "add", "origin", remote)
    base = run_git(shell.folder, "rev-parse", "HEAD").strip()
    shell.write({"hub/guard.yaml": hub(OPEN)})
    text, line = shell.run("review", "--format", "markdown").out, "`hub/guard.yaml:6`"
    # The host has no lines that are not committed.
    assert f"changes from HEAD at `{base[:8]}` to the working tree\n" in text
    assert f" {line}\n" in text
    shell.commit("open")
    head = run_git(shell.folder, "rev-parse", "HEAD").strip()
    text = shell.run("review", "--format", "markdown", "--against", "HEAD~1").out
    assert f"changes from `HEAD~1` at `{base[:8]}` to the working tree at `{head[:8]}`" in text
    assert (f"[{line}]({link.format(head)})" in text) if link else f" {line}\n" in text


def test_another_project(shell: Shell, tmp_path: Path) -> None:
    begin(shell)
    other = tmp_path / "other"
    shutil.copytree(shell.folder, other)
    (other / "hub" / "guard.yaml").write_text(hub(OPEN))
    _, found = review(shell, "--against", str(other))
    assert (found["consequences"], len(found["stricter"])) == ([], 1)


def test_a_base_that_cannot_be_rendered_is_read_from_its_tree(shell: Shell) -> None:
    begin(shell)
    shell.write({"placement.yaml": PLACEMENT + "  nonsense: 1\n"})
    run_git(shell.folder, "commit", "--quiet", "--all", "--message=broken")
    shell.write({"placement.yaml": PLACEMENT})
    status, found = review(shell)
    assert (status, found["consequences"], found["changes"]) == (0, [], [])
    assert not found["before"]["rendered"]
    assert "its committed tree is compared" in found["before"]["note"]
    shell.write({"hub/guard.yaml": hub(OPEN)})
    status, found = review(shell)
    assert (status, "SR2501" in codes(found)) == (1, True)


def test_an_unknown_revision_is_refused(shell: Shell) -> None:
    begin(shell)
    for name in ("nowhere", "nowhere..."):
        done = shell.run("review", "--against", name)
        assert done.status == 2
        assert "nowhere" in done.err


POLICY_FILE = "clusters/eu/shop/authpolicy.kuadrant.io_guard.yaml"


@cases(*rows_of(__file__, "what_changes_the_output_beside_its_sources_is_on_every_page"))
def test_what_changes_the_output_beside_its_sources_is_on_every_page(
    file: str, text: str | None, words: str, shell: Shell
) -> None:
    begin(shell)
    if text is None:
        (shell.folder / file).unlink()
    else:
        old = shell.folder / file
        first = HEADER.decode() if file == POLICY_FILE and old.exists() else ""
        shell.write({file: first + text})
    for form in ("text", "markdown", "html", "json"):
        done = shell.run("review", "--format", form)
        plain = " ".join(done.out.replace("`", "").split())
        assert (done.status, words in plain) == (1, True), plain
    shell.commit("edited")
    assert words in " ".join(shell.run("review", "--against", "HEAD~1").out.split())


def test_what_has_yet_to_be_built_is_no_edit(shell: Shell) -> None:
    begin(shell)
    shell.write({"hub/guard.yaml": hub(CLOSED).replace("name: guard", "name: other")})
    assert "edited by hand" not in shell.run("review").out
    shutil.rmtree(shell.folder / "clusters")
    assert "edited by hand" not in shell.run("review").out


def test_a_spoke_that_has_yet_to_be_built_has_no_folder(shell: Shell) -> None:
    begin(shell)
    shell.write(
        {"placement.yaml": PLACEMENT.replace("  - name: us", "  - name: asia\n  - name: us")}
    )
    assert "new spoke asia" in shell.pass_silently("review").out
