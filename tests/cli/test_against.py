"""`--against`: what a revision had, wherever its project and its output were, and what may go."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent, indent

import pytest

from spokerender.model.plan import HEADER
from tests.cli.project import AUTH, CLASS, FLEET, OVERRIDES, PLACEMENT, PROJECT, WEB, Shell
from tests.support import cases, each, manifest, rows_of
from tests.support.crds import crd
from tests.support.git import needs_git
from tests.support.metapolicies import definition

pytestmark = needs_git

CLOSED = "AuthPolicy/infra/closed"
GOES = "error SR1901 AuthPolicy infra/closed: would go"
NAMED = FLEET.replace("kind: Fleet\n", "kind: Fleet\nmetadata: {name: shop}\n")


@pytest.fixture
def repository(shell: Shell) -> Shell:
    """A repository in which the project and its tree are committed."""
    shell.write({"fleet.yaml": NAMED + "  layout: object\n"})
    shell.succeed("build")
    shell.commit()
    return shell


def without_policy(shell: Shell, *options: str) -> None:
    """Take the policy out of the hub, and build."""
    (shell.folder / "hub" / "auth.yaml").unlink()
    shell.succeed("build", *options)


@each("check", "diff")
def test_the_output_was_another_folder(command: str, repository: Shell) -> None:
    repository.write({"fleet.yaml": NAMED + "  output: trees\n"})
    shutil.rmtree(repository.folder / "clusters")
    without_policy(repository)
    done = repository.run(command, "--against", "HEAD")
    assert done.status == 1
    assert (
        GOES if command == "check" else "removed AuthPolicy infra/closed"
    ) in done.err + done.out
    assert "added" not in done.out


def test_an_output_that_is_named_is_the_one_that_is_compared(repository: Shell) -> None:
    repository.write({"fleet.yaml": NAMED + "  output: trees\n"})
    without_policy(repository)
    done = repository.run("check", "-o", "clusters", "--against", "HEAD", "--only", "policies")
    assert GOES in done.err
    repository.succeed("check", "-o", "elsewhere", "--against", "HEAD", "--only", "policies")


def moved(shell: Shell, names: Sequence[str] = (*PROJECT, "fleet.yaml", "clusters")) -> None:
    """Move the project one folder down."""
    (shell.folder / "fleets").mkdir()
    for name in {name.partition("/")[0] for name in names}:
        if (shell.folder / name).exists():
            shutil.move(shell.folder / name, shell.folder / "fleets" / name)


def read_folder(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


MOVED = "  output: trees\n"
LEFT = "clusters, where the output was, would lose"


@cases(("", "us"), ("eu", "eu"), ("eu/infra/authpolicy*", "eu"), ("*", "eu and us"))
def test_what_engines_read_is_compared_where_the_output_was(
    gone: str, spoke: str, repository: Shell
) -> None:
    """A moved output changes nothing for those who apply the old one: it may stay, whole.

    `build` leaves it to whoever moved the output.
    """
    clusters = repository.folder / "clusters"
    before = read_folder(clusters)
    repository.write({"fleet.yaml": NAMED + MOVED})
    repository.succeed("build")
    assert read_folder(clusters) == before
    assert "SR1901" not in repository.run("check", "--against", "HEAD").err
    for path in clusters.glob(gone) if gone else ():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if not gone:
        repository.write({"clusters/us/kustomization.yaml": f"{HEADER.decode()}resources: []\n"})
    before = read_folder(clusters)
    repository.succeed("build")
    assert read_folder(clusters) == before
    for command in ("check", "review"):
        done = repository.run(command, "--against", "HEAD")
        text = " ".join((done.err + done.out).split())
        assert (done.status, f"{spoke}: clusters, where the output was" in text) == (1, True)
    entry = f"  deletions: [{{spokes: [{spoke.replace(' and', ',')}], reason: trees is read}}]\n"
    repository.write({"fleet.yaml": NAMED + MOVED + entry})
    for command in ("check", "review"):
        assert "error SR1901" not in repository.run(command, "--against", "HEAD").err


@each("ApplicationSet", "Application")
def test_engines_that_read_the_new_output_take_what_they_took(kind: str, shell: Shell) -> None:
    delivered = DELIVERED.replace("com/a}", f"com/a, kind: {kind}}}")
    shell.write({"fleet.yaml": delivered})
    shell.succeed("build")
    shell.commit()
    shell.write({"fleet.yaml": delivered + MOVED})
    shell.succeed("build")
    assert "SR19" not in shell.run("check", "--against", "HEAD").err
    shell.write({"fleet.yaml": delivered.replace("com/a", "com/a, path: evil") + MOVED})
    assert shell.run("build", f"--allow-open={kind}/argocd/spokes").status in (0, 2)
    assert "SR1901" in shell.run("check", "--against", "HEAD").err


def test_an_output_that_was_may_become_what_is_rendered_now(repository: Shell) -> None:
    clusters, trees = (repository.folder / name for name in ("clusters", "trees"))
    shutil.copytree(clusters, trees)
    repository.write({"fleet.yaml": NAMED + MOVED, "placement.yaml": PLACEMENT + OVERRIDES})
    repository.succeed("build")
    shutil.rmtree(clusters)
    shutil.copytree(trees, clusters)
    assert "SR1901" not in repository.run("check", "--against", "HEAD").err


@each(True, False)
def test_the_project_was_another_folder(has_fleet_file: bool, repository: Shell) -> None:
    """Its tree has moved along, so somebody has to say that nobody reads the old one."""
    if not has_fleet_file:
        (repository.folder / "fleet.yaml").unlink()
        repository.commit()
    moved(repository)
    done = repository.run("check", "fleets", "--against", "HEAD")
    assert (done.status, done.err.count("error SR1901"), LEFT in done.err) == (1, 1, True)
    entry = "  deletions: [{spokes: [eu, us], reason: moved}]\n"
    repository.write({"fleets/fleet.yaml": NAMED + "  layout: object\n" + entry})
    assert "SR1901" not in repository.run("check", "fleets", "--against", "HEAD").err
    (repository.folder / "fleets/hub/auth.yaml").unlink()
    repository.succeed("build", "fleets", "--allow-delete", CLOSED)
    done = repository.run("check", "fleets", "--against", "HEAD")
    assert done.status == 1
    assert GOES in done.err


def test_a_project_that_is_new_has_nothing_to_lose(repository: Shell) -> None:
    repository.write({f"more/{path}": text for path, text in PROJECT.items()})
    repository.succeed("build", "more")
    repository.pass_silently("check", "more", "--against", "HEAD", "--strict")
    done = repository.run("check", "more", "--against", "HEAD", "--verbose")
    assert "info SR1905: HEAD has no project at more" in done.err


def test_which_project_it_was_is_not_guessed(repository: Shell) -> None:
    """Two are gone, of one name or of none; where names tell them apart, they do."""
    for name in ("a", "b"):
        repository.write({f"{name}/{path}": text for path, text in PROJECT.items()})
    repository.commit()
    shutil.move(repository.folder / "a", repository.folder / "c")
    shutil.rmtree(repository.folder / "b")
    repository.succeed("build", "c")
    done = repository.run("check", "c", "--against", "HEAD")
    assert done.status == 1
    assert "error SR1905: HEAD has no project at c, and it may have been a or b" in done.err
    for name in ("a", "b"):
        text = FLEET.replace("kind: Fleet\n", f"kind: Fleet\nmetadata: {{name: {name}}}\n")
        repository.write({f"{name}/fleet.yaml": f"{text}  layout: object\n"})
        repository.write({f"{name}/{path}": data for path, data in PROJECT.items()})
    shutil.rmtree(repository.folder / "c")
    repository.succeed("build", "a")
    repository.commit()
    shutil.move(repository.folder / "a", repository.folder / "c")
    shutil.rmtree(repository.folder / "b")
    (repository.folder / "c/hub/auth.yaml").unlink()
    repository.succeed("build", "c", "--allow-delete", CLOSED)
    assert GOES in repository.run("check", "c", "--against", "HEAD").err


def test_another_project_that_has_gone_is_another_one(repository: Shell) -> None:
    repository.write({f"new/{path}": text for path, text in PROJECT.items()})
    repository.write({"new/fleet.yaml": NAMED.replace("shop", "new") + "  layout: object\n"})
    for name in ("fleet.yaml", "placement.yaml"):
        (repository.folder / name).unlink()
    repository.succeed("build", "new")
    repository.pass_silently("check", "new", "--against", "HEAD", "--strict")


def test_a_fleet_file_that_was_wrong(repository: Shell) -> None:
    """It has to be mended some day, and that change is checked as well."""
    repository.write({"fleet.yaml": NAMED + "  layuot: object\n"})
    repository.commit()
    repository.write({"fleet.yaml": NAMED + "  layout: object\n"})
    without_policy(repository, "--allow-delete", CLOSED)
    done = repository.run("check", "--against", "HEAD")
    assert GOES in done.err
    assert "warning SR1904" in done.err
    assert "HEAD:fleet.yaml" in done.err


def test_the_advice_works_after_the_fact(repository: Shell) -> None:
    without_policy(repository, "--allow-delete", CLOSED)
    repository.commit()
    done = repository.run("check", "--against", "HEAD~1")
    assert done.status == 1
    assert "--allow-delete" not in done.err
    advice = rows_of(__file__, "the_advice_works_after_the_fact")
    assert advice in done.err
    entry = dedent(done.err.partition("fleet.yaml:\n    spec:\n")[2].partition("1 error")[0])
    repository.write({"fleet.yaml": NAMED + indent(entry, "  ")})
    repository.pass_silently("check", "--against", "HEAD~1", "--strict")


def test_an_acknowledgement_that_has_done_its_work_is_told(repository: Shell) -> None:
    without_policy(repository, "--allow-delete", CLOSED, "--reason", "moved")
    repository.pass_silently("check", "--against", "HEAD", "--strict")
    repository.commit()
    done = repository.succeed("check", "--against", "HEAD")
    assert f"fleet.yaml:7: warning SR1902 spec.deletions[0]: {CLOSED} on eu and us was" in done.err
    assert "remove the entry at fleet.yaml:7" in done.err


@each("vanishes", "opens", "vanishes again")
def test_an_acknowledgement_counts_once(way: str, shell: Shell) -> None:
    """For what it names, in the change that adds it: neither build nor check takes it later."""
    spokes = "".join(f"  - {{name: {name}, values: {{realm: a}}}}\n" for name in "abcd")
    head, _, rules = PLACEMENT.partition("  - name: eu")
    rules = rules.partition("  rules:")[2]
    opened = (
        "  overrides:\n  - target: {kind: AuthPolicy, name: closed}\n"
        "    spokes: {names: [SPOKES]}\n"
        "    merge: {spec: {rules: {authentication: {users: {jwt: null, anonymous: {}}}}}}\n"
    )
    placed = f"{head}{spokes}  rules:{rules}"
    auth = f"{AUTH}  rules: {{authentication: {{users: {{jwt: {{}}}}}}}}\n"
    fleet = NAMED + "  layout: object\n"
    shell.write({"placement.yaml": placed, "hub/auth.yaml": auth, "fleet.yaml": fleet})
    shell.succeed("build")
    shell.commit()
    shell.write({"placement.yaml": placed + opened.replace("SPOKES", "a, b")})
    refused = shell.run("build")
    assert refused.status == 2
    assert f"--allow-open={CLOSED}@a,b " in refused.err
    shell.succeed("build", f"--allow-open={CLOSED}", "--reason=x")
    shell.succeed("check", "--against", "HEAD")
    shell.commit()
    if way == "vanishes again":
        shell.write({"placement.yaml": placed})
        shell.succeed("build")
        shell.commit()
    if way == "vanishes":
        shell.write({"placement.yaml": placed, "hub/auth.yaml": ""})
    else:
        where = "a, b" if way == "vanishes again" else "a, b, c, d"
        shell.write({"placement.yaml": placed + opened.replace("SPOKES", where)})
    assert shell.run("build").status == 2
    name = "open" if way != "vanishes" else "delete"
    shell.succeed("build", f"--allow-{name}={CLOSED}")
    done = shell.run("check", "--against", "HEAD")
    assert (done.status, "error SR1901" in done.err) == (1, True)
    assert "warning SR1902" in done.err


@each(f"ref: {CLOSED}, spokes: [eu, ue]", f"ref: {CLOSED[:-2]}de, spokes: [eu]")
def test_a_wrong_name_in_an_acknowledgement_is_told(entry: str, repository: Shell) -> None:
    repository.write({"fleet.yaml": f"{NAMED}  deletions:\n  - {{{entry}, reason: x}}\n"})
    (repository.folder / "hub" / "auth.yaml").unlink()
    for command in (["build"], ["check", "--against", "HEAD"]):
        done = repository.run(*command)
        assert done.status != 0
        assert GOES in done.err
        assert "error SR1908" in done.err
        assert 'did you mean "AuthPolicy/infra/closed' in done.err


def test_create_becomes_existing(repository: Shell) -> None:
    rule = PLACEMENT.replace("spokes: {all: true}", "spokes: {all: true}\n    mode: existing")
    admits = "allowedRoutes: {namespaces: {from: All}}"
    listener = f"{{name: https, port: 443, protocol: HTTPS, {admits}}}"
    repository.write({"placement.yaml": f"{rule}    as: {{listeners: [{listener}]}}\n"})
    done = repository.run("build")
    assert done.status == 2
    assert "Gateway infra/web is deleted, and what stays is attached to it" in done.err


AUTH_CRD = crd(rows_of(__file__, "auth_crd"))


@each("object", "spoke")
def test_what_may_not_change_is_compared_with_the_base(layout: str, shell: Shell) -> None:
    """A CRD's transition rules, told once at the line that gave the field its value."""
    shell.write(
        {
            "fleet.yaml": f"{FLEET}  layout: {layout}\n  crds: [crd.yaml]\n",
            "crd.yaml": AUTH_CRD,
            "placement.yaml": PLACEMENT + OVERRIDES,
        }
    )
    shell.succeed("build")
    shell.commit()
    shell.write({"placement.yaml": (PLACEMENT + OVERRIDES).replace("europe", "emea")})
    shell.succeed("build")
    assert "immutable" not in shell.run("check").err
    done = shell.run("check", "--against", "HEAD")
    assert done.status == 1
    message = 'spec.realm: Invalid value: "string": realm is immutable'
    line = f"placement.yaml:17: error SR2303 AuthPolicy infra/closed {message}"
    assert [each for each in done.err.splitlines() if "immutable" in each] == [line]
    assert "immutable" not in shell.run("check", "--against", "HEAD", "--only", "policies").err


DELIVERED = (
    NAMED + "  delivery: {argocd: {repoURL: https://example.com/a}, flux: {sourceRef: {name: a}}}\n"
)


def test_delivery_goes_by_name_alone(shell: Shell) -> None:
    """An engine deletes with its own object what it has applied by it."""
    shell.write({"fleet.yaml": DELIVERED})
    shell.succeed("build")
    shell.commit()
    without_argo = DELIVERED.replace("argocd: {repoURL: https://example.com/a}, ", "")
    shell.write({"fleet.yaml": without_argo})
    goes = "error SR1901: ApplicationSet argocd/spokes would go: what an engine applied through it"
    for command in (("build",), ("check", "--against", "HEAD")):
        done = shell.run(*command)
        assert (done.status, goes in done.err) == ((2 if command == ("build",) else 1), True)
    assert (shell.run("review").status, "SR1901" in shell.run("review").out) == (1, True)
    entry = "  deletions: [{ref: ApplicationSet/argocd/spokes, reason: Flux does it}]\n"
    shell.write({"fleet.yaml": without_argo + entry})
    shell.succeed("build")
    shell.succeed("check", "--against", "HEAD")
    shell.succeed("review")
    shell.write({"fleet.yaml": NAMED + "  layout: object\n" + entry})
    assert "Kustomization flux-system/eu and Kustomization flux-system/us" in shell.run("build").err


DNS = rows_of(__file__, "dns")
LISTED = CLASS + "    - {group: kuadrant.io, version: v1, kind: DNSPolicy}\n"
SECURED = "  policyKinds: [{group: kuadrant.io, kind: DNSPolicy, security: true}]\n"


@each("security: false", "targets: [Service]")
def test_what_protects_is_what_was_said_to_before(now: str, repository: Shell) -> None:
    """The change that takes a policy away has no word in what it was good for."""
    said = f"  policyKinds: [{{group: kuadrant.io, kind: AuthPolicy, {now}}}]\n"
    repository.write({"fleet.yaml": NAMED + said, "hub/auth.yaml": ""})
    repository.run("build", f"--allow-delete={CLOSED}", "--reason=x")
    repository.write({"fleet.yaml": NAMED + said})
    repository.run("build")
    done = repository.run("check", "--against", "HEAD")
    assert (done.status, GOES in done.err) == (1, True)


@each((), ("-o", "clusters"))
def test_a_kind_that_protected_by_a_word_alone(named: Sequence[str], repository: Shell) -> None:
    kinds = {"hub/dns.yaml": DNS, "hub/class.yaml": LISTED}
    repository.write({"fleet.yaml": NAMED + SECURED, **kinds})
    repository.succeed("build")
    repository.commit()
    repository.write({"fleet.yaml": NAMED + "  layout: object\n", "hub/dns.yaml": ""})
    repository.succeed("build")
    done = repository.run("check", "--against", "HEAD", *named)
    assert (done.status, "SR1901 DNSPolicy infra/dns: would go" in done.err) == (1, True)


@cases(*rows_of(__file__, "trees_come_from_elsewhere"))
def test_trees_come_from_elsewhere(
    old: str, new: str, change: str, objects: int, shell: Shell
) -> None:
    """Another source of trees is refused as another destination is, until somebody names it."""
    shell.write({"fleet.yaml": DELIVERED})
    shell.succeed("build")
    shell.commit()
    fleet = DELIVERED.replace(old, new)
    shell.write({"fleet.yaml": fleet})
    refused = shell.run("build")
    assert refused.status == 2
    assert change in refused.err
    assert "fleet.yaml:5: error SR1901" in refused.err
    flags = set(re.findall(r"--allow-open=\S+", refused.err))
    assert len(flags) == objects
    shell.succeed("build", *flags, "--reason=meant")
    shell.succeed("check", "--against", "HEAD")
    shell.write({"fleet.yaml": fleet})
    assert change in shell.run("check", "--against", "HEAD").err
    done = shell.run("review", "--against", "HEAD", "--format", "json")
    told = json.loads(done.out)["consequences"]
    assert any(change in item["message"] and item["severity"] == "error" for item in told)
    assert {item["file"]["line"] for item in told} == {5}


@cases(*rows_of(__file__, "what_an_engine_does_otherwise_is_told"))
def test_what_an_engine_does_otherwise_is_told(
    old: str, new: str, change: str, shell: Shell
) -> None:
    shell.write({"fleet.yaml": DELIVERED})
    shell.succeed("build")
    shell.commit()
    shell.write({"fleet.yaml": DELIVERED.replace(old, new)})
    assert (change in shell.run("build").err) is True
    done = shell.run("check", "--against", "HEAD")
    assert (done.status, change in done.err) == (0, True)
    assert done.err.count("fleet.yaml:5: warning SR1907") == bool(change)


def test_trees_of_listed_spokes_come_from_elsewhere(shell: Shell) -> None:
    """An ApplicationSet with waves has a path for each spoke."""
    waves = DELIVERED.replace("example.com/a}", "example.com/a, waves: [{spokes: {all: true}}]}")
    shell.write({"fleet.yaml": waves})
    shell.succeed("build")
    shell.commit()
    shell.write({"fleet.yaml": waves.replace("all: true}}]", "all: true}}], path: other")})
    done = shell.run("review", "--against", "HEAD", "--format", "json")
    (told,) = json.loads(done.out)["consequences"]
    assert told["code"] == "SR1901"
    assert "elements.path.path: clusters/<spoke> -> other/<spoke>: " in told["message"]
    assert told["file"] == {"path": "fleet.yaml", "line": 5}


@cases(*rows_of(__file__, "delivery_that_changes_no_tree_is_not_refused"))
def test_delivery_that_changes_no_tree_is_not_refused(old: str, new: str, shell: Shell) -> None:
    for before, after in ((old, new), (new, old)):
        shell.write({"fleet.yaml": DELIVERED.replace(old, before)})
        shell.succeed("build")
        shell.write({"fleet.yaml": DELIVERED.replace(old, after)})
        assert "SR1901" not in shell.run("build").err


@each("", ", kind: Application", ", waves: [{spokes: {all: true}}]")
def test_more_and_fewer_spokes_come_from_where_they_did(options: str, shell: Shell) -> None:
    fleet = DELIVERED.replace("example.com/a}", f"example.com/a{options}}}")
    shell.write({"fleet.yaml": fleet})
    shell.succeed("build")
    shell.commit()
    asia = "  - name: asia\n    values: {realm: a}\n"
    shell.write({"placement.yaml": PLACEMENT.replace("  - name: us", f"{asia}  - name: us")})
    shell.succeed("build")
    assert "SR1907" not in shell.run("check", "--against", "HEAD").err
    shell.commit()
    shell.write({"placement.yaml": PLACEMENT})
    shell.succeed("build", "--allow-delete=asia", "--reason=x")
    assert "SR1907" not in shell.run("check", "--against", "HEAD").err


def test_a_condition_that_is_constant_on_one_spoke(shell: Shell) -> None:
    """Spokes that share everything else are told apart by what a value makes of a condition."""
    when = "  overrides:\n  - target: {kind: AuthPolicy, name: closed}\n    spokes: {all: true}\n"
    when += '    merge: {spec: {when: [{predicate: "{{ spoke.values.only }}"}]}}\n'
    spokes = PLACEMENT.replace("{realm: europe}", "{only: 'a.b || false'}")
    spokes = spokes.replace("{realm: america}", "{only: 'ONLY'}") + when
    auth = f"{AUTH}  rules: {{authentication: {{users: {{jwt: {{}}}}}}}}\n"
    shell.write({"hub/auth.yaml": auth, "placement.yaml": spokes.replace("ONLY", "a.c || false")})
    shell.succeed("build")
    shell.write({"placement.yaml": spokes.replace("ONLY", "a.c && false")})
    done = shell.run("build")
    assert done.status == 2
    assert f"--allow-open={CLOSED}@us " in done.err


@cases(
    ("example.com/a}", "example.com/a, destination: {name: prod}}", "ApplicationSet/argocd/"),
    ("{name: a}", "{name: a}, controllers: spokes", "Kustomization/flux-system/"),
)
def test_a_tree_that_goes_elsewhere_is_a_loss(old: str, new: str, name: str, shell: Shell) -> None:
    shell.write({"fleet.yaml": DELIVERED})
    shell.succeed("build")
    shell.commit()
    fleet = DELIVERED.replace(old, new)
    shell.write({"fleet.yaml": fleet})
    refused = shell.run("build")
    assert refused.status == 2
    assert "a tree would no longer be applied to the cluster" in refused.err
    flags = re.findall(rf"--allow-open={name}\S+", refused.err)
    assert flags
    shell.succeed("build", *flags, "--reason=meant")
    done = shell.run("check", "--against", "HEAD")
    assert (done.status, "SR1901" in done.err) == (0, False)
    shell.write({"fleet.yaml": fleet})
    assert shell.run("check", "--against", "HEAD").status == 1


HOSTNAME = "shop.example.com"
SERVED = WEB.replace("    port: 443\n", f"    port: 443\n    hostname: {HOSTNAME}\n").replace(
    "  parentRefs:", f"  hostnames: [{HOSTNAME}]\n  parentRefs:"
)
UNSERVED = f"nothing serves {HOSTNAME} any more (Gateway infra/web [https] > HTTPRoute shop/shop"
ACCEPTED = rows_of(__file__, "accepted")


@each(1, 2)
def test_a_hostname_that_is_served_nowhere_any_more(times: int, repository: Shell) -> None:
    """The gateway's changes; the second time the route's changes with it."""
    repository.write({"hub/web.yaml": SERVED})
    repository.succeed("build")
    repository.commit()
    repository.write({"hub/web.yaml": SERVED.replace(HOSTNAME, "store.example.com", times)})
    done = repository.succeed("build")
    by = "11: warning SR1910 Gateway infra/web" if times == 1 else "22: warning SR1910 HTTPRoute"
    assert f"hub/web.yaml:{by}" in done.err
    assert UNSERVED in done.err
    assert ("warning SR2234 HTTPRoute shop/shop" in done.err) == (times == 1)
    done = repository.run("check", "--against", "HEAD", "--only", "tree")
    assert done.status == 1
    assert "error SR1910" in done.err
    assert UNSERVED in done.err
    assert done.err.count("lost: unserved") == 1
    done = repository.run("check")
    assert done.status == (times == 1)
    assert done.err.count("SR2234") == (times == 1)
    repository.write({"fleet.yaml": NAMED + "  layout: object\n" + ACCEPTED})
    done = repository.succeed("check", "--against", "HEAD", "--only", "tree")
    assert "SR1910" not in done.err
    repository.commit()
    repository.succeed("check", "--against", "HEAD~1", "--only", "tree")
    repository.write({"hub/web.yaml": SERVED.replace(HOSTNAME, "other.example.com")})
    repository.succeed("build")
    done = repository.run("check", "--against", "HEAD", "--only", "tree")
    assert done.status == (times == 2)


def test_an_acknowledged_hostname_that_is_served_still(repository: Shell) -> None:
    repository.write({"hub/web.yaml": SERVED})
    repository.succeed("build")
    repository.commit()
    repository.write({"fleet.yaml": NAMED + "  layout: object\n" + ACCEPTED})
    done = repository.run("check", "--against", "HEAD")
    assert done.status == 1
    assert (
        "error SR1908 spec.deletions[0]: HTTPRoute/shop/shop on eu and us is acknowledged, and "
        "does not lose a hostname" in done.err
    )


def test_a_loss_names_the_line_that_causes_it(shell: Shell) -> None:
    """An override, another policy or a label: annotations stand where somebody can mend it."""
    auth = f"{AUTH}  rules: {{authentication: {{users: {{jwt: {{}}}}}}}}\n"
    shell.write({"hub/auth.yaml": auth})
    shell.succeed("build")
    opened = PLACEMENT + OVERRIDES.replace('realm: "{{ spoke.values.realm }}"', "rules: null")
    shell.write({"placement.yaml": opened})
    assert "placement.yaml:17: error SR1901 AuthPolicy infra/closed: " in shell.run("build").err
    shell.write({"placement.yaml": PLACEMENT, "hub/auth.yaml": AUTH})
    assert "hub/auth.yaml:6: error SR1901 AuthPolicy infra/closed: " in shell.run("build").err


def test_a_policy_or_a_spoke_that_goes_names_a_line(repository: Shell) -> None:
    """The lines that went since the last commit are named, by a build as since a revision."""
    us = "  - name: us\n    values: {realm: america}\n"
    assert us in PLACEMENT
    line = PLACEMENT[: PLACEMENT.index(us)].count("\n") + 1
    (repository.folder / "hub" / "auth.yaml").unlink()
    repository.write({"placement.yaml": PLACEMENT.replace(us, "")})
    built, checked = repository.run("build"), repository.run("check", "--against", "HEAD")
    for done in (built, checked):
        assert f"HEAD:hub/auth.yaml:1: {GOES}" in done.err
        assert f"placement.yaml:{line}: error SR1901: spoke us would be removed" in done.err


def test_a_spoke_that_is_not_selected_any_more_names_its_label(shell: Shell) -> None:
    selected = PLACEMENT.replace("{all: true}", "{selector: {matchLabels: {web: here}}}")
    selected = selected.replace("    values: ", "    labels: {web: here}\n    values: ")
    shell.write({"placement.yaml": selected})
    shell.succeed("build")
    shell.commit()
    first, second, third = selected.partition("name: us\n    labels: {web: here")
    gone = f"{first}{second.replace('here', 'gone')}{third}"
    auth = (shell.folder / "hub" / "auth.yaml").read_text()
    labelled = auth.replace("  name: closed\n", "  name: closed\n  labels: {a: b}\n")
    shell.write({"placement.yaml": gone, "hub/auth.yaml": labelled})
    errors = shell.run("check", "--against", "HEAD").err
    line = first.count("\n") + 2
    assert re.findall(r"^(\S+) error SR1901", errors, re.MULTILINE) == [f"placement.yaml:{line}:"]


def gateway_class(name: str, controller: str) -> str:
    return (
        "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\n"
        f"metadata: {{name: {name}}}\nspec: {{controllerName: {controller}}}\n"
    )


ISTIO = gateway_class("istio", "istio.io/gateway-controller")
NGINX = gateway_class("istio", "gateway.nginx.org/nginx-gateway-controller")
ENVOY = gateway_class("istio", "gateway.envoyproxy.io/gatewayclass-controller")
NONE, OTHER = (gateway_class("istio", f"{name}.example/a") for name in ("none", "other"))
MESH = f"{ISTIO}---\n{ISTIO.replace('name: istio', 'name: mesh')}"
LABELLED = ISTIO.replace("{name: istio}", "{name: istio, labels: {a: b}}")
UNKNOWN = "and whether that carries out the policies on it is not known"


@cases(*rows_of(__file__, "a_class_whose_controller_ignores_policies_protects_nothing"))
def test_a_class_whose_controller_ignores_policies_protects_nothing(
    before: str, after: str, downstream: str, told: str, shell: Shell
) -> None:
    """Each side is judged by the classes of its own hub, though no tree has them."""
    shell.write({"fleet.yaml": NAMED + "  layout: object\n", "hub/istio.yaml": before})
    shell.succeed("build")
    shell.commit()
    params = CLASS.replace("downstreamClass: istio", f"downstreamClass: {downstream}")
    shell.write({"hub/istio.yaml": after, "hub/class.yaml": params})
    assert (shell.run("build").status == 2) is (downstream == "nobody")
    found = [shell.run(command, "--against", "HEAD") for command in ("check", "review")]
    for done in found if told else ():
        assert done.status == 1
    assert (told in found[0].err) if told else "SR1901" not in found[0].err


CA = manifest("ConfigMap infra/ca") + "data: {ca.crt: %s}\n"


@cases(*rows_of(__file__, "another_certificate_by_which_others_are_believed"))
def test_another_certificate_by_which_others_are_believed(
    needing: str, field: str, repository: Shell
) -> None:
    """It is an object of the hub, so no tree shows it."""
    files = {"hub/web.yaml": WEB, "hub/needing.yaml": needing} if WEB[:99] not in needing else {}
    repository.write({"hub/ca.yaml": CA % "one", **(files or {"hub/web.yaml": needing})})
    repository.run("build")
    repository.commit()
    assert "SR1909" not in repository.run("check", "--against", "HEAD").err
    repository.write({"hub/ca.yaml": CA % "two"})
    repository.run("build")
    told = repository.run("check", "--against", "HEAD").err
    assert ("ConfigMap infra/ca has other data" in told) is bool(field)
    assert field in told


def test_a_check_of_a_definition_that_goes(repository: Shell) -> None:
    declared = NAMED + "  metapolicies: [quota.yaml]\n"
    has = definition("checks: [{when: spec.perMinute > 5, message: too many}]")
    repository.write({"fleet.yaml": declared, "quota.yaml": has})
    repository.succeed("build")
    repository.commit()
    repository.write({"quota.yaml": definition("checks: []")})
    for command in (["check", "--against", "HEAD"], ["review"]):
        done = repository.run(*command)
        words = " ".join((done.err + done.out).split())
        assert "MetapolicyDefinition quota" in words
        assert ": checks: when: spec.perMinute > 5" in words


@each(True, False)
def test_a_base_without_a_committed_tree_is_rendered(is_valid: bool, repository: Shell) -> None:
    """As `review` has it; a base that can't be rendered either is refused."""
    shutil.rmtree(repository.folder / "clusters")
    if not is_valid:
        repository.write({"placement.yaml": PLACEMENT + "  rulez: []\n"})
    repository.commit()
    repository.write({"placement.yaml": PLACEMENT})
    without_policy(repository)
    for command in ("check", "review"):
        done = repository.run(command, "--against", "HEAD")
        lost = GOES if command == "check" else "error SR2501"
        words = lost if is_valid else "has no committed tree to compare with"
        assert (done.status, words in done.err + done.out) == (1 if is_valid else 2, True)


@cases(*rows_of(__file__, "an_entry_for_what_is_not_lost_is_told"))
def test_an_entry_for_what_is_not_lost_is_told(
    entry: str, severity: str, repository: Shell
) -> None:
    repository.write({"fleet.yaml": f"{NAMED}  deletions: [{{{entry}, reason: x}}]\n"})
    for command in ("check", "review"):
        done = repository.run(command, "--against", "HEAD")
        found = re.findall("(error|warning) SR1908", done.err + done.out)
        assert found == [severity] * bool(severity)
        assert ("fleet.yaml:5" in done.err + done.out) is bool(severity)


ROLLOUT = "  rollout: {groups: [{name: one, spokes: {names: [eu]}}, {name: rest}]}\n"


@cases(("", ROLLOUT, "us"), (ROLLOUT, ROLLOUT, ""), (ROLLOUT, ROLLOUT.replace("eu", "us"), "eu"))
def test_a_rollout_that_holds_back_a_change_is_told(
    before: str, after: str, waits: str, repository: Shell
) -> None:
    if before:
        repository.write({"fleet.yaml": f"{NAMED}{before}  layout: object\n"})
        repository.succeed("build")
        repository.commit()
    stricter = AUTH + "  rules: {authentication: {users: {jwt: {issuerUrl: https://a.example}}}}\n"
    repository.write({"fleet.yaml": f"{NAMED}{after}  layout: object\n", "hub/auth.yaml": stricter})
    repository.succeed("build")
    for command in ("check", "review"):
        done = repository.run(command, "--against", "HEAD")
        text = " ".join((done.err + done.out).split())
        assert (f"one: {waits} keeps what is there" in text) is bool(waits), text
        assert ("fleet.yaml:5" in text) is bool(waits), text
