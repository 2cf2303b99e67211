"""What is outside the project, and what is a Secret, does not show in what is told of it."""

from collections.abc import Callable
from pathlib import Path

from tests.cli.project import FLEET, PROJECT, Shell
from tests.edge.files.trees import snapshot
from tests.support import each, end_to_end as e2e, rows_of

HIDDEN = "hunter2"
CONTENTS = {
    "a line": f"{HIDDEN}\n",
    "lines": f"root:{HIDDEN}:0:0\nuser:{HIDDEN}:1:1\n",
    "a key twice": f"{HIDDEN}: 1\n{HIDDEN}: 2\n",
    "no key": f"? [{HIDDEN}]\n: 1\n",
    "an alias": f"a: *{HIDDEN}\n",
    "a tag": f"a: !{HIDDEN} b\n",
    "a number": f"a: !!int {HIDDEN}\n",
    "an object": f"apiVersion: {HIDDEN}/v1/v2\nkind: A\nmetadata: {{name: a}}\n",
    "a kind": f"apiVersion: example.com/v1\nkind: '{HIDDEN}!'\nmetadata: {{name: a}}\n",
    "a spec": f"apiVersion: example.com/v1\nkind: A\nmetadata: {{name: a}}\nspec: {HIDDEN}\n",
    "a fleet": f"apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec: {{{HIDDEN}: 1}}\n",
    "a placement": f"apiVersion: spokerender.io/v1alpha1\nkind: Placement\nspec: {HIDDEN}\n",
}


def linked(name: str) -> Callable[[Path], None]:
    """A link in the project to a file beside it."""

    def plant(project: Path) -> None:
        (project / name).unlink(missing_ok=True)
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).symlink_to("../" * len(Path(name).parts) + "elsewhere/file")

    return plant


def named(key: str) -> Callable[[Path], None]:
    """The file itself, named in fleet.yaml."""

    def plant(project: Path) -> None:
        text = f"{FLEET}  {key}: [hub, ../elsewhere/file]\n"
        if key != "hub":
            text = f"{FLEET}  {key}: [../elsewhere/file]\n"
        e2e.write(project, {"fleet.yaml": text})

    return plant


PLANTS = {
    "a linked hub file": linked("hub/a.yaml"),
    "a linked placement": linked("placement.yaml"),
    "a linked fleet file": linked("fleet.yaml"),
    "a named hub file": named("hub"),
    "a named placement": named("placement"),
    "a named CRD": named("crds"),
    "a named publishing": named("publishing"),
}


@each(*CONTENTS.values(), ids=CONTENTS)
@each(*PLANTS.values(), ids=PLANTS)
def test_no_file_outside_shows_its_text(
    plant: Callable[[Path], None], content: str, empty: Shell
) -> None:
    e2e.write(empty.folder, {"elsewhere/file": content})
    e2e.write(empty.folder / "project", PROJECT)
    plant(empty.folder / "project")
    before = snapshot(empty.folder)
    done = empty.run("check", "project", "--format", "json")
    assert HIDDEN not in done.out + done.err
    assert snapshot(empty.folder) == before


@each(".git/config", ".env", ".hidden/file")
def test_nor_does_a_hidden_file_that_is_linked(place: str, shell: Shell) -> None:
    shell.write({place: f"{HIDDEN}: [\n"})
    (shell.folder / "hub/a.yaml").symlink_to(f"../{place}")
    done = shell.run("build")
    assert done.status == 2
    assert HIDDEN not in done.out + done.err
    assert "does not belong to the project" in done.err


def test_what_is_named_in_the_repository_is_told_as_it_is(empty: Shell) -> None:
    (empty.folder / ".git").mkdir()
    e2e.write(empty.folder / "project", {**PROJECT, "fleet.yaml": FLEET + "  hub: [../shared]\n"})
    e2e.write(empty.folder, {"shared/a.yaml": "visible: 1\nvisible: 2\n"})
    assert "key `visible` is in this mapping twice" in empty.run("build", "project").err


def test_a_template_that_a_link_leads_to_is_not_read(empty: Shell) -> None:
    e2e.write(empty.folder, {"elsewhere/file": f"{{{{ {HIDDEN} }}}}\n"})
    delivery = "  templates: own\n  delivery: {flux: {}}\n"
    e2e.write(empty.folder / "project", {**PROJECT, "fleet.yaml": FLEET + delivery})
    linked("own/flux/kustomizations.yaml.j2")(empty.folder / "project")
    done = empty.run("build", "project")
    assert done.status == 2
    assert HIDDEN not in done.out + done.err
    assert "a link leads out of the project" in done.err


SECRETS = rows_of(__file__, "secrets")


@each(*SECRETS)
@each("Secret", "secret", "'Secret '")
def test_a_malformed_secret_shows_nothing_of_its_content(
    kind: str, rest: str, shell: Shell
) -> None:
    shell.write({"hub/s.yaml": f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\n{rest}"})
    for form in ("text", "json"):
        done = shell.run("check", "--format", form)
        assert HIDDEN not in done.out + done.err
