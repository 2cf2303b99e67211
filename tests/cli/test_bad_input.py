"""Bad input: exit 2, every problem at once with its place, field and cure; the disk stays as it is.

What is said in each case is in `bad_input.txt`, whole, below the case's name.
"""

from collections.abc import Mapping
from pathlib import Path

from spokerender import __version__
from tests.cli.project import AUTH, CLASS, FLEET, OVERRIDES, PLACEMENT, WEB, Shell
from tests.edge.files.trees import snapshot
from tests.support import each

Files = Mapping[str, str | bytes | None]
"""Files that are other than in the project; None for those that are not there."""

SAYS = {
    name: text
    for section in Path(__file__)
    .with_name("bad_input.txt")
    .read_text(encoding="utf-8")
    .replace("VERSION", __version__)
    .split("=== ")[1:]
    for name, _, text in [section.partition("\n")]
}
NO_HUB: Files = dict.fromkeys(["hub/auth.yaml", "hub/class.yaml", "hub/web.yaml"])


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


def policy(old: str, new: str) -> Files:
    return {"hub/auth.yaml": changed(AUTH, old, new)}


def policy_on(kind: str, name: str) -> Files:
    """An AuthPolicy on something else than the Gateway."""
    old = "kind: Gateway\n    name: web\n    sectionName: https"
    return policy(old, f"kind: {kind}\n    name: {name}")


def parameters(old: str, new: str) -> Files:
    return {"hub/class.yaml": changed(CLASS, old, new)}


def placement(old: str, new: str) -> Files:
    return {"placement.yaml": changed(PLACEMENT, old, new)}


def override(old: str, new: str) -> Files:
    return {"placement.yaml": changed(PLACEMENT + OVERRIDES, old, new)}


def settings(text: str) -> Files:
    return {"fleet.yaml": f"{FLEET}  {text}\n"}


def merge_instead_of(patch: str) -> Files:
    return override('merge: {spec: {realm: "{{ spoke.values.realm }}"}}', patch)


AGAIN = "  - gateways: {names: [infra/web]}\n    spokes: {names: [eu]}\n"
OTHER = """\
  - gateways: {names: [edge/web]}
    spokes: {names: [us]}
    as: {name: other, namespace: infra}
"""
IN_EDGE = "\n---\n".join(
    changed(text, "namespace: infra", "namespace: edge") for text in (WEB.partition("---")[0], AUTH)
)

CASES: Mapping[str, Files] = {
    # The hub.
    "no hub": NO_HUB,
    "a hub without manifests": {**NO_HUB, "hub/README.md": "Nothing here yet.\n"},
    "a hub without objects": {**NO_HUB, "hub/empty.yaml": "# Nothing here yet.\n"},
    "not YAML": policy("name: closed", "name: [closed"),
    "not UTF-8": {"hub/more.yaml": b"\xff\n"},
    "conflict markers": policy("  name: closed\n", "<<<<<<< HEAD\n  name: closed\n=======\n"),
    "a misspelt kind": {"hub/web.yaml": changed(WEB, "kind: Gateway\n", "kind: Gatway\n")},
    "a key twice": policy("    name: web\n", "    name: web\n    kind: Gateway\n"),
    "no object": {"hub/more.yaml": "openapi: 3.1.0\n"},
    "a placeholder for a name": policy("name: closed", "name: ${NAME}"),
    "an identity twice": {"hub/again.yaml": AUTH},
    "a reference without a name": policy("    name: web\n", ""),
    "a policy without its Gateway": policy("    name: web", "    name: wbe"),
    "a policy without its listener": policy("sectionName: https", "sectionName: http"),
    "a policy without its route": policy_on("HTTPRoute", "shop"),
    "a policy without its ListenerSet": policy_on("ListenerSet", "more"),
    "too large a hub": settings("maxHubBytes: 1000"),
    # What is synced.
    "no parameters": {"hub/class.yaml": CLASS.partition("---\n")[0]},
    "parameters without params": parameters("  params: |", "  parameters: |"),
    "parameters that are not JSON": {
        "hub/class.yaml": CLASS.partition("  params")[0] + "  params: '{\"policiesToSync\": [}'\n"
    },
    "an unknown parameter": parameters("policiesToSync", "policyToSync"),
    "a kind that nobody knows": parameters("kind: AuthPolicy", "kind: AuthPolice"),
    "nothing says what to sync": {
        "hub/class.yaml": CLASS.partition("---\n")[0].partition("  parametersRef")[0]
    },
    "an unknown class": {"hub/class.yaml": None},
    # Our own files.
    "no placement": {"placement.yaml": None},
    "a placement with the other ending": {"placement.yaml": None, "placement.yml": PLACEMENT},
    "a fleet file with the other ending": {"fleet.yml": FLEET},
    "no project": {**NO_HUB, "placement.yaml": None},
    "an unknown key in the placement": placement("    spokes: {", "    spoke: {"),
    "an unknown key in the fleet file": settings("layuot: spoke"),
    "another version of the tool": settings("requires: '>=7'"),
    "a spoke named eu/1": placement("name: eu\n", "name: eu/1\n"),
    "a spoke named ..": placement("name: eu\n", "name: ..\n"),
    "a spoke named EU": placement("name: eu\n", "name: EU\n"),
    "an empty selector": placement("{all: true}", "{selector: {}}"),
    # Placement.
    "a rule without its gateway": placement("infra/web", "infra/wbe"),
    "a rule without its spoke": placement("{all: true}", "{names: [eu, su]}"),
    "a gateway twice on a spoke": {"placement.yaml": PLACEMENT + AGAIN},
    "two objects of one identity on a spoke": {
        "hub/edge.yaml": IN_EDGE,
        "placement.yaml": PLACEMENT + OTHER,
    },
    "too long a name": placement("{all: true}", "{all: true}\n    as: {name: " + 254 * "a" + "}"),
    # Overrides.
    "an override that matches nothing": override("name: closed}", "name: close}"),
    "an undefined name": override("values.realm", "values.relam"),
    "a forbidden attribute": override("values.realm", "__class__"),
    "a path that is not there": merge_instead_of(
        "patch: [{op: replace, path: /spec/rules/0, value: 1}]"
    ),
    "an override of what the policy is on": merge_instead_of(
        "merge: {spec: {targetRef: {name: other}}}"
    ),
    "an override of who the policy is": merge_instead_of("merge: {metadata: {name: other}}"),
    # The disk.
    "a file of somebody else where ours goes": {
        "clusters/eu/infra/authpolicy.kuadrant.io_closed.yaml": "kind: AuthPolicy\n"
    },
    "the folder that Flux was bootstrapped with": {
        "clusters/eu/flux-system/gotk-sync.yaml": "kind: GitRepository\n"
    },
    # Everything at once.
    "several mistakes": {
        **policy("    name: web", "    name: wbe"),
        **placement("{all: true}", "{names: [eu, su]}"),
    },
    "mistakes in the hub and in the placement file": {
        **policy("name: closed", "name: [closed"),
        **placement("    spokes: {", "    spoke: {"),
    },
}


def arrange(shell: Shell, files: Files) -> None:
    shell.write({path: text for path, text in files.items() if text is not None})
    for path, text in files.items():
        if text is None:
            (shell.folder / path).unlink(missing_ok=True)
    if not any((shell.folder / "hub").iterdir()):
        (shell.folder / "hub").rmdir()


def test_every_case_has_its_text() -> None:
    assert SAYS.keys() == CASES.keys()


@each(*CASES)
def test_it_is_told_and_nothing_changes(name: str, shell: Shell) -> None:
    arrange(shell, CASES[name])
    before = snapshot(shell.folder)
    done = shell.run("build")
    assert done.err == SAYS[name]
    assert (done.status, done.out) == (2, "")
    assert snapshot(shell.folder) == before


@each(*CASES)
def test_check_tells_the_same(name: str, shell: Shell) -> None:
    """But for what only writing could run into: no wrong input there, so infos are no matter."""
    arrange(shell, CASES[name])
    done = shell.run("check")
    if "clusters/" not in SAYS[name]:
        assert (done.status, done.err) == (2, SAYS[name])
        return
    without_infos = SAYS[name].replace("2 infos not shown; -v shows them\n", "")
    assert (done.status, done.err) == (1, without_infos.replace(", 2 infos", ""))
