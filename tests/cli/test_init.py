"""`spokerender init`: a project that is right from its first minute."""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from spokerender.formats import yamlio
from tests.cli.project import AUTH, PROJECT, RULES, WEB, Shell
from tests.edge.files.trees import snapshot
from tests.support import cases, each, rows_of, text_of

URL = ("--repo-url", "https://git.example.org/x.git")
ENGINES = ("argocd", "flux", "ocm", "none")
RUNNERS = ("github", "gitlab", "none")
OURS = ("fleet.yaml", "placement.yaml")
WIRING = {
    "argocd": ["argocd/applicationset.yaml"],
    "flux": ["flux/kustomizations.yaml"],
    "ocm": ["ocm/eu.yaml", "ocm/no.yaml", "ocm/us.yaml"],
    "none": [],
}


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def data(path: Path) -> Any:
    documents, problems = yamlio.read(path.read_bytes(), path.name)
    assert problems == ()
    return [document.value for document in documents]


@each(*ENGINES)
@each(*RUNNERS)
def test_check_is_clean_at_once(ci: str, delivery: str, empty: Shell) -> None:
    options = ["--spokes", "eu,us,no", "--delivery", delivery, "--ci", ci, *URL]
    empty.pass_silently("init", *options)
    checked = empty.pass_silently("check", "--strict")
    assert checked.out.startswith("clusters: up to date")
    wiring = empty.folder / "clusters/_fleet"
    assert (files(wiring) if wiring.is_dir() else []) == WIRING[delivery]
    for name in ("eu", "us", "no"):
        assert any(path.startswith("shop/") for path in files(empty.folder / "clusters" / name))


@each(*OURS)
def test_an_editor_knows_our_files(name: str, empty: Shell) -> None:
    empty.run("init")
    text = (empty.folder / name).read_text()
    assert text.startswith("# yaml-language-server: $schema=schema.json\n")
    schema = json.loads((empty.folder / "schema.json").read_text())
    Draft202012Validator(schema).validate(data(empty.folder / name)[0])


@cases(("github", ".github/workflows/policies.yaml"), ("gitlab", ".gitlab-ci.yml"))
def test_ci_is_yaml_with_a_schema_too(ci: str, path: str, empty: Shell) -> None:
    empty.run("init", "--ci", ci)
    assert (empty.folder / path).read_text().startswith("# yaml-language-server: $schema=https://")
    assert len(data(empty.folder / path)) == 1


def test_a_folder_that_is_not_there(empty: Shell) -> None:
    done = empty.pass_silently("init", "a/b", "--repo-url", "https://git.example.org/x.git")
    assert "Next:\n  cd a/b\n  spokerender explain --spoke eu-west-1\n" in done.out
    empty.succeed("check", "a/b")
    assert data(empty.folder / "a/b/fleet.yaml")[0]["metadata"] == {"name": "b"}
    (wiring,) = data(empty.folder / "a/b/clusters/_fleet/argocd/applicationset.yaml")
    source = wiring["spec"]["template"]["spec"]["source"]
    assert source["repoURL"] == "https://git.example.org/x.git"


def test_around_a_hub_that_is_there(empty: Shell) -> None:
    """As `import` leaves it: its Gateways are placed, and what hangs on them follows."""
    empty.write({"hub/web.yaml": WEB.replace("gatewayClassName: hub", "gatewayClassName: istio")})
    empty.write({"hub/auth.yaml": AUTH + RULES})
    before = snapshot(empty.folder / "hub")
    done = empty.pass_silently("init", "--spokes", "eu", "--delivery", "none", "--ci", "none")
    assert snapshot(empty.folder / "hub") == before
    assert not (empty.folder / "clusters").exists()
    assert done.out.endswith(
        "Next:\n  see in placement.yaml which gateway goes where, and as what\n"
        "  spokerender build\n  spokerender explain --spoke eu\n"
    )
    empty.succeed("build")
    assert files(empty.folder / "clusters/eu") == [
        "infra/authpolicy.kuadrant.io_closed.yaml",
        "infra/gateway.gateway.networking.k8s.io_web.yaml",
        "kustomization.yaml",
        "shop/httproute.gateway.networking.k8s.io_shop.yaml",
    ]
    empty.succeed("check")


def test_what_the_routes_of_a_hub_need_is_offered(empty: Shell) -> None:
    """The Services that its backends name are lines to uncomment; they ship as soon as one does."""
    service = "kind: Service\nmetadata: {name: shop, namespace: shop}\nspec: {selector: {app: a}}\n"
    web = WEB.replace("gatewayClassName: hub", "gatewayClassName: istio")
    backend = "  rules: [{backendRefs: [{name: shop, port: 80}]}]\n"
    empty.write({"hub/web.yaml": web + backend, "hub/service.yaml": "apiVersion: v1\n" + service})
    empty.succeed("init", "--spokes", "eu", "--delivery", "none", "--ci", "none")
    fleet = (empty.folder / "fleet.yaml").read_text()
    assert '    # - {group: "", kind: Service}\n' in fleet
    assert '\n    - {group: "", kind: Service}' not in fleet
    empty.succeed("build")
    assert "shop/service_shop.yaml" not in files(empty.folder / "clusters/eu")
    empty.write({"fleet.yaml": fleet.replace("    # - {", "    - {")})
    assert (done := empty.run("build")).status == 0, done.err
    assert "shop/service_shop.yaml" in files(empty.folder / "clusters/eu")


def test_the_first_edit_of_what_it_guessed_loses_nothing(empty: Shell) -> None:
    """Where gateways go is the owner's to say: nothing is rendered by a guess, to be guarded."""
    empty.write({"hub/web.yaml": WEB.replace("gatewayClassName: hub", "gatewayClassName: istio")})
    empty.write({"hub/auth.yaml": AUTH})
    empty.run("init", "--spokes", "eu,us", "--delivery", "none", "--ci", "none")
    placement = (empty.folder / "placement.yaml").read_text()
    empty.write({"placement.yaml": placement.replace("{all: true}", "{names: [eu]}")})
    done = empty.run("build")
    assert (done.status, done.err.count("error")) == (0, 0)


def test_a_sample_that_was_replaced_is_gone_with_its_tree(empty: Shell) -> None:
    """As its README says it."""
    empty.run("init", "--delivery", "none", "--ci", "none")
    readme = (empty.folder / "README.md").read_text()
    assert "\nrm -r hub clusters && kubectl get " in readme


@each(*OURS)
def test_a_project_is_never_overwritten(name: str, empty: Shell) -> None:
    empty.write({name: "# mine\n"})
    before = snapshot(empty.folder)
    assert f"{name}:1: error SR3008: {name} is there already" in empty.refuse("init").err
    assert snapshot(empty.folder) == before


def test_a_readme_that_is_there_is_left_alone(empty: Shell) -> None:
    empty.write({"README.md": "mine\n", ".gitattributes": "* text\n"})
    done = empty.succeed("init")
    assert done.err.count("warning SR3009") == 2
    assert (empty.folder / "README.md").read_text() == "mine\n"
    assert (empty.folder / ".gitattributes").read_text() == "* text\n"
    assert "created README.md" not in done.out


def test_argo_cd_needs_a_repository(empty: Shell) -> None:
    assert "--repo-url URL" in empty.refuse("init", "--delivery", "argocd").err
    assert files(empty.folder) == []


PLAIN = ("--spokes", "eu", "--delivery", "none", "--ci", "none")


def test_a_hub_with_errors_gets_a_project_all_the_same(empty: Shell) -> None:
    empty.write({"hub/web.yaml": WEB, "hub/odd.yaml": "kind: ConfigMap\n"})
    done = empty.run("init", *PLAIN)
    assert done.status == 1
    assert "hub/odd.yaml:1: error SR1002" in done.err
    assert {*OURS} <= {*files(empty.folder)}
    (empty.folder / "hub/odd.yaml").unlink()
    empty.succeed("build")


HELM = rows_of(__file__, "helm")
NAMED = "hub/ names these, and has no file of them. Add it, or correct what is said of them"
CURED = text_of(__file__, "init_cured.yaml")
ELSEWHERE = text_of(__file__, "init_elsewhere.yaml")


def test_what_comes_from_elsewhere_is_declared_and_builds(empty: Shell) -> None:
    """A Gateway and a route that a chart makes: what hangs on them is rendered at once."""
    empty.write({"hub/shop.yaml": f"{ELSEWHERE}---\n{HELM}"})
    empty.succeed("init", *PLAIN)
    fleet = (empty.folder / "fleet.yaml").read_text()
    assert f"  external: # TO CHECK: {NAMED}\n{CURED}" in fleet
    assert "HelmRelease" not in fleet
    assert "\n      mode: existing" in (empty.folder / "placement.yaml").read_text()
    empty.succeed("build")
    assert empty.run("check").status == 0
    assert files(empty.folder / "clusters/eu") == [
        "kustomization.yaml",
        "shop/authpolicy.kuadrant.io_pay.yaml",
        "shop/httproute.gateway.networking.k8s.io_cart.yaml",
    ]


def test_a_gateway_from_elsewhere_is_created_nowhere(empty: Shell) -> None:
    empty.write({"hub/shop.yaml": ELSEWHERE})
    empty.succeed("init", *PLAIN)
    placement = (empty.folder / "placement.yaml").read_text()
    empty.write({"placement.yaml": placement.replace("mode: existing", "mode: create")})
    done = empty.refuse("build")
    assert "spec.rules[0].mode: Gateway edge/public is declared under spec.external" in done.err


def test_what_a_rule_says_of_its_listeners_counts(empty: Shell) -> None:
    empty.write({"hub/shop.yaml": ELSEWHERE})
    empty.succeed("init", *PLAIN)
    listeners = "listeners: [{name: https, port: 443, protocol: HTTPS, hostname: a.example.com}]"
    placement = (empty.folder / "placement.yaml").read_text()
    empty.write({"placement.yaml": placement + f"      as: {{{listeners}}}\n"})
    assert '"http" is not in Gateway edge/public on the spoke' in empty.refuse("build").err


CROSSING = "  rules: [{backendRefs: [{name: cart, namespace: backends, port: 80}]}]\n"


def test_grants_and_patterns_from_elsewhere_count(empty: Shell) -> None:
    """What a rule names in another namespace needs a grant, which may be in no file."""
    route = ELSEWHERE.partition("---\n")[0]
    empty.write({"hub/shop.yaml": route + CROSSING})
    empty.succeed("init", *PLAIN)
    empty.succeed("build")
    assert "ReferenceGrant" in empty.run("check").err
    grant = "    - {kind: ReferenceGrant, namespace: 'back*', name: '*'}\n"
    fleet = (empty.folder / "fleet.yaml").read_text()
    empty.write(
        {"fleet.yaml": fleet.replace("    - kind: Gateway\n", f"{grant}    - kind: Gateway\n")}
    )
    assert "ReferenceGrant" not in empty.run("check").err


def test_what_it_writes_about_crds_and_complete_kinds_counts(empty: Shell) -> None:
    """No line is a comment that does nothing when somebody takes its # away."""
    web = WEB.replace("gatewayClassName: hub", "gatewayClassName: istio")
    empty.write({"hub/web.yaml": web + "  rules: [{backendRefs: [{name: lost, port: 80}]}]\n"})
    empty.run("init", *PLAIN)
    fleet = (empty.folder / "fleet.yaml").read_text()
    assert re.search(r"^  crds: \[gateway-api@v", fleet, re.MULTILINE)
    assert "GatewayClass" not in fleet
    empty.run("build")
    assert "shop/lost" not in empty.run("check").err
    empty.write({"fleet.yaml": fleet.replace("# completeKinds", "completeKinds")})
    assert "shop/lost" in empty.run("check").err


def test_an_object_without_a_namespace_is_told_as_the_cause(empty: Shell) -> None:
    """Its Gateway is not declared a second time: what is missing is the namespace."""
    gateway, separator, route = WEB.partition("---\n")
    other = route.replace("name: shop", "name: other")
    hub = gateway.replace("  namespace: infra\n", ""), route, other
    empty.write({"hub/web.yaml": separator.join(hub)})
    done = empty.run("init", *PLAIN)
    assert done.status == 1
    assert "warning SR1006 Gateway default/web" in done.err
    assert "write namespace: infra into its metadata" in done.err
    assert "external" not in (empty.folder / "fleet.yaml").read_text().partition("completeKinds")[0]


def test_what_stands_where_the_tree_goes(empty: Shell) -> None:
    empty.write({"clusters/eu-west-1/shop": "a file, not a folder\n"})
    before = snapshot(empty.folder)
    assert "error SR1205" in empty.refuse("init").err
    assert snapshot(empty.folder) == before


def test_a_link_is_not_written_through(
    empty: Shell, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (empty.folder / ".github").symlink_to(outside)
    assert empty.run("init").status == 2
    assert files(outside) == []
    assert files(empty.folder) == []


@each("Eu", "eu,eu", "eu,,us", "_eu", "a.b")
def test_names_that_no_cluster_can_have(spokes: str, empty: Shell) -> None:
    assert "cluster" in empty.refuse("init", "--spokes", spokes).err
    assert files(empty.folder) == []


def test_a_terminal_is_asked(empty: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["one, two", "flux", ""])
    asked: list[str] = []

    def answer(prompt: str = "") -> str:
        asked.append(prompt)
        return next(answers)

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", answer)
    empty.succeed("init")
    assert len(asked) == 3
    assert (empty.folder / "clusters/_fleet/flux/kustomizations.yaml").is_file()
    assert (empty.folder / ".github/workflows/policies.yaml").is_file()
    assert {"one", "two"} <= {path.name for path in (empty.folder / "clusters").iterdir()}


def test_a_second_init_changes_nothing(shell: Shell) -> None:
    shell.write(PROJECT)
    before = snapshot(shell.folder)
    assert shell.run("init").status == 2
    assert snapshot(shell.folder) == before


COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@each(*ENGINES)
def test_its_readme_followed_word_for_word(
    delivery: str, empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty.run("init", "policies", "--delivery", delivery, *URL)
    monkeypatch.chdir(empty.folder / "policies")
    steps = COMMANDS.findall(Path("README.md").read_text())[0].splitlines()
    assert len(steps) == 3
    for step in steps:
        program, *arguments = shlex.split(step)
        assert program == "spokerender"
        done = empty.run(*arguments)
        assert (done.status, done.err) == (0, ""), step
    empty.succeed("check", "--strict")
    assert Path("clusters/ap-south-1/shop").is_dir()
    assert "domain: ap-south-1.example.com" in Path("placement.yaml").read_text()
