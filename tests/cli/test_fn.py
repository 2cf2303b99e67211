"""`spokerender fn`: a KRM function by its specification, and under the programs that run them."""

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft4Validator  # type: ignore[import-untyped]

from spokerender.formats import yamlio
from spokerender.model.plan import HEADER
from tests.cli.project import AUTH, FLEET, PLACEMENT, PROJECT, Done, Shell
from tests.conftest import ROOT
from tests.support import cases, each, end_to_end as e2e, manifest, rows_of
from tests.support.programs import installed
from tests.support.project import rendered_folder

EXAMPLES = sorted(path.name for path in (ROOT / "examples").iterdir() if path.is_dir())
PATH, INDEX = "config.kubernetes.io/path", "config.kubernetes.io/index"
INTERNAL = "internal.config.kubernetes.io/"
PROGRAM = str(Path(sys.executable).with_name("spokerender"))


def values(text: str) -> list[dict[str, Any]]:
    documents, problems = yamlio.read(text.encode(), "")
    assert problems == ()
    return [document.value for document in documents]


def item(data: Mapping[str, Any], path: str, index: int = 0) -> dict[str, Any]:
    """An object as an orchestrator gives it."""
    marks = {PATH: path, INDEX: str(index), f"{INTERNAL}path": path, f"{INTERNAL}index": str(index)}
    metadata = data.get("metadata", {})
    annotations = {**metadata.get("annotations", {}), **marks, f"{INTERNAL}id": "7"}
    return {**data, "metadata": {**metadata, "annotations": annotations}}


def items(files: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        item(value, path, index)
        for path, text in files.items()
        for index, value in enumerate(values(text))
    ]


def resource_list(
    given: Iterable[Mapping[str, Any]], config: str | None = None, version: str = "v1"
) -> str:
    data: dict[str, Any] = {
        "apiVersion": f"config.kubernetes.io/{version}",
        "kind": "ResourceList",
        "items": list(given),
    }
    if config is not None:
        data["functionConfig"] = values(config)[0]
    return yamlio.emit(data)


@pytest.fixture
def fn(empty: Shell, monkeypatch: pytest.MonkeyPatch) -> Any:
    def call(stdin: str | bytes, *arguments: str) -> tuple[Done, dict[str, Any]]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        out = io.BytesIO()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out, isatty=lambda: False))
        done = empty.run("fn", *arguments)
        (made,) = values(out.getvalue().decode())
        assert list(made)[:3] == ["apiVersion", "kind", "items"]
        return Done(done.status, out.getvalue().decode(), done.err), made

    return call


def by_path(made: Mapping[str, Any]) -> dict[str, Any]:
    """The items by their paths, as they are without the annotations of orchestrators."""
    found = {}
    for item in made["items"]:
        marks = item["metadata"].pop("annotations")
        assert marks[PATH] == marks[f"{INTERNAL}path"]
        assert marks[INDEX] == marks[f"{INTERNAL}index"] == "0"
        ours = (PATH, INDEX)
        kept = {k: v for k, v in marks.items() if k not in ours and not k.startswith(INTERNAL)}
        item["metadata"] |= {"annotations": kept} if kept else {}
        if not item["metadata"]:
            del item["metadata"]
        found[marks[PATH]] = item
    return found


def tree(folder: Path) -> dict[str, Any]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        f"clusters/{path.relative_to(folder).as_posix()}": values(path.read_text())[0]
        for path in paths
    }


def unmarked(each: dict[str, Any]) -> dict[str, Any]:
    """An item without the annotations of orchestrators."""
    (found,) = by_path({"items": [each]}).values()
    return dict(found)


HUB = {path: text for path, text in PROJECT.items() if path.startswith("hub/")}


@each("v1", "v1beta1")
@cases(
    (PLACEMENT, {}), (FLEET + "  {}\n", {"placement.yaml": PLACEMENT}), ids=["Placement", "Fleet"]
)
def test_what_it_gives_is_what_a_build_writes(
    config: str, more: Mapping[str, str], version: str, empty: Shell, fn: Any
) -> None:
    given = items({**HUB, **more})
    done, made = fn(resource_list(given, config, version))
    assert (done.status, done.err) == (0, "")
    assert made["apiVersion"] == f"config.kubernetes.io/{version}"
    assert made["items"][: len(given)] == given, "what was given stays, with every annotation"
    assert made["functionConfig"] == values(config)[0]
    rendered = by_path({"items": made["items"][len(given) :]})
    empty.write(PROJECT)
    empty.run("build")
    assert rendered == tree(empty.folder / "clusters")
    assert done.out.count(HEADER.decode()) == len(rendered), "a file of ours says so"


def test_delivery_and_namespaces_are_given_too(empty: Shell, fn: Any) -> None:
    settings = FLEET + "  namespaces: create\n  delivery: {flux: {}}\n"
    _, made = fn(resource_list(items({**HUB, "placement.yaml": PLACEMENT}), settings))
    empty.write({**PROJECT, "fleet.yaml": settings})
    empty.run("build")
    wanted = tree(empty.folder / "clusters")
    given = {each["metadata"]["annotations"][PATH] for each in made["items"]}
    assert wanted.keys() <= given


@each("object", "spoke")
def test_one_spoke_as_a_generator_of_kustomize_asks_for_it(
    layout: str, empty: Shell, fn: Any
) -> None:
    """Its one item is the functionConfig itself; the hub is read from the folder."""
    empty.write(PROJECT)
    config = FLEET.replace("spec:", "metadata: {name: x, annotations: {a: b}}\nspec:")
    config = config.replace("{a: b}", '{config.kubernetes.io/local-config: "true"}')
    config += f"  layout: {layout}\n"
    done, made = fn(resource_list(values(config), config), "--spoke", "eu")
    assert done.status == 0
    kinds = sorted((each["kind"], each["metadata"]["name"]) for each in made["items"])
    assert kinds == [("AuthPolicy", "closed"), ("Gateway", "web"), ("HTTPRoute", "shop")]
    places = [each["metadata"]["annotations"] for each in made["items"]]
    if layout == "spoke":
        assert [(marks[PATH], marks[INDEX]) for marks in places] == [
            ("manifests.yaml", str(index)) for index in range(3)
        ]
    else:
        assert places[0][PATH] == "infra/authpolicy.kuadrant.io_closed.yaml"


def test_a_generator_goes_by_the_folders_own_fleet_file(empty: Shell, fn: Any) -> None:
    empty.write({**PROJECT, "fleet.yaml": FLEET + "  layout: spoke\n"})
    for config in (PLACEMENT, None):
        done, made = fn(resource_list([], config), "--spoke", "eu")
        assert done.status == 0
        paths = {each["metadata"]["annotations"][PATH] for each in made["items"]}
        assert paths == {"manifests.yaml"}


@each("kind", "apiVersion", "metadata")
@each("{}", "[[]]", "{a: {}}", "1", "null", '""')
def test_an_item_that_is_no_object_is_told(value: str, key: str, fn: Any) -> None:
    text = manifest("ConfigMap a")
    text = re.sub(rf"(?m)^{key}: .*$", f"{key}: {value}", text)
    given = [*items({**HUB, "placement.yaml": PLACEMENT}), *values(text)]
    done, made = fn(resource_list(given, FLEET + "  {}\n"))
    assert done.status == 2
    assert "error SR10" in done.err
    assert made["items"] == given


@each("9" * 5000, "-1", "٣", "1.5", "")
def test_an_odd_index_is_none(index: str, fn: Any) -> None:
    given = items({**HUB, "placement.yaml": PLACEMENT})
    for item in given:
        item["metadata"]["annotations"] |= {INDEX: index, f"{INTERNAL}index": index}
    done, _ = fn(resource_list(given, FLEET + "  {}\n"))
    assert (done.status, done.err) == (0, "")


def test_no_alias_is_ever_given(fn: Any) -> None:
    """Kustomize refuses aliases, which writers make of what is shared."""
    done, _ = fn(resource_list(items(HUB), PLACEMENT))
    assert "*id" not in done.out
    assert "&id" not in done.out


def test_again_with_what_it_gave(fn: Any) -> None:
    """As the next run of kpt has it: what was rendered is replaced, nothing is added twice."""
    first, made = fn(resource_list(items(HUB), PLACEMENT))
    second, again = fn(first.out)
    assert (second.status, second.err) == (0, "")
    assert again == made


def test_losses_are_refused_as_by_a_build(fn: Any) -> None:
    first, _ = fn(resource_list(items(HUB), PLACEMENT))
    fewer = re.sub(r"( *)- name: us\n", r"\1- name: us-2\n", first.out)
    done, made = fn(fewer)
    assert done.status == 2
    assert "error SR1901: spoke us would be removed" in done.err
    result = made["results"][0]
    assert (result["severity"], result["tags"]["code"]) == ("error", "SR1901")
    assert len(made["items"]) == len(values(fewer)[0]["items"]), "given back as it was"


def test_what_is_not_ours_stays(fn: Any) -> None:
    mine = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "x"}}
    given = [*items(HUB), item(mine, "clusters/eu/mine.yaml")]
    done, made = fn(resource_list(given, PLACEMENT))
    assert done.status == 0
    assert "warning SR3016" in done.err
    assert given[-1] in made["items"]


def test_what_stands_in_the_way_is_refused(fn: Any) -> None:
    mine = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "x"}}
    path = "clusters/eu/infra/authpolicy.kuadrant.io_closed.yaml"
    given = [*items(HUB), item(mine, path)]
    done, made = fn(resource_list(given, PLACEMENT))
    assert (done.status, made["items"]) == (2, given)
    assert f"{path}:1: error SR3008" in done.err


def schema_of(fixtures: Path) -> dict[str, Any]:
    """The specification's own schema, as JSON Schema."""
    path = fixtures / "extensions/krm/spec-openapi-ResourceList-v1.yaml"
    (swagger,) = values(path.read_text())
    return {"$ref": "#/definitions/ResourceList", "definitions": swagger["definitions"]}


def test_errors_are_in_the_results_and_in_the_exit_status(fn: Any, fixtures: Path) -> None:
    wrong = {**HUB, "hub/auth.yaml": AUTH.replace("    name: web", "    name: wbe")}
    given = items(wrong)
    done, made = fn(resource_list(given, PLACEMENT))
    assert (done.status, made["items"]) == (2, given)
    result = made["results"][0]
    assert result["message"].startswith("Gateway infra/wbe")
    assert result["severity"] == "error"
    assert result["resourceRef"] == {
        "apiVersion": "kuadrant.io/v1",
        "kind": "AuthPolicy",
        "name": "closed",
        "namespace": "infra",
    }
    assert result["field"] == {"path": "spec.targetRef"}
    assert result["file"] == {"path": "hub/auth.yaml", "index": 0}
    assert result["tags"]["code"] == "SR1010"
    assert "error SR1010 AuthPolicy infra/closed" in done.err
    Draft4Validator(schema_of(fixtures)).validate(made)


def test_warnings_are_results_and_fail_only_with_strict(fn: Any) -> None:
    rule = "  - gateways: {names: [infra/web]}\n    spokes: {selector: {matchLabels: {a: b}}}\n"
    given = resource_list(items(HUB), PLACEMENT + rule)
    done, made = fn(given)
    assert done.status == 0
    assert made["results"][0]["severity"] == "warning"
    strict, refused = fn(given, "--strict")
    assert strict.status == 2
    assert len(refused["items"]) < len(made["items"])


@cases(*rows_of(__file__, "bad_input_is_told_by_results"))
def test_bad_input_is_told_by_results(stdin: str, code: str, fn: Any) -> None:
    done, made = fn(stdin)
    assert done.status == 2
    assert made["kind"] == "ResourceList"
    assert code in {each["tags"]["code"] for each in made["results"]}
    assert f"error {code}" in done.err


def test_a_configuration_that_is_not_named(fn: Any) -> None:
    done, _ = fn(resource_list([], "{kind: {a: b}}"))
    assert "the functionConfig is without an apiVersion or a kind, neither" in done.err


def test_a_result_that_is_about_no_object_says_its_field(fn: Any) -> None:
    """A result has a field only of an object that it refers to."""
    _, made = fn(resource_list(items(HUB), PLACEMENT.replace("spokes:", "speks:")))
    (message, *_) = [each["message"] for each in made["results"]]
    assert message.startswith('spec.speks: unknown key "speks"')


@each(False, True)
def test_files_of_workspaces_are_no_hub(is_published: bool, empty: Shell, fn: Any) -> None:
    """They come with all files of a project; what publishing reads is on the disk as well."""
    project = ROOT / "examples/tenants"
    shutil.copytree(project, empty.folder, dirs_exist_ok=True)
    shutil.rmtree(empty.folder / "clusters")
    if not is_published:
        shutil.rmtree(empty.folder / "published")
    paths = [path for path in sorted(empty.folder.rglob("*.yaml")) if path.name != "fleet.yaml"]
    given = {path.relative_to(empty.folder).as_posix(): path.read_text() for path in paths}
    done, made = fn(resource_list(items(given), (project / "fleet.yaml").read_text()))
    assert done.status == 0, done.err
    found: dict[str, list[dict[str, Any]]] = {}
    for item in made["items"]:
        marks = item["metadata"]["annotations"]
        path, marks[INDEX], marks[f"{INTERNAL}index"] = marks[PATH], "0", "0"
        found.setdefault(path, []).append(unmarked(item))
    wanted = {
        path.relative_to(project).as_posix()
        for folder in ("clusters", "published")
        for path in (project / folder).rglob("*.yaml")
    }
    assert wanted <= found.keys()
    assert all(found[path] == values((project / path).read_text()) for path in wanted)
    assert found.keys() == {*given, *wanted}


def test_a_spoke_that_is_not_there(fn: Any) -> None:
    done, made = fn(resource_list(items(HUB), PLACEMENT), "--spoke", "ue")
    assert done.status == 2
    assert made["results"][0]["tags"]["code"] == "SR2004"


@each("kustomize-5.8.1-generator", "kpt-1.0.0-beta.56-eval")
def test_what_the_programs_really_send(name: str, fn: Any, fixtures: Path) -> None:
    """Their own envelopes with our functionConfig in the place of the recorded one's."""
    path = fixtures / "extensions/krm" / f"{name}.stdin.yaml"
    (given,) = values(path.read_text())
    recorded = given["functionConfig"]
    config = {**values(PLACEMENT)[0]}
    config["metadata"] = {**recorded["metadata"], "name": "shop"}
    generated = [
        {**config, "metadata": each["metadata"] | {"name": "shop"}}
        for each in given["items"]
        if each["kind"] == recorded["kind"]
    ]
    others = [each for each in given["items"] if each["kind"] != recorded["kind"]]
    given |= {"functionConfig": config, "items": [*generated, *others, *items(HUB)]}
    done, made = fn(yamlio.emit(given))
    assert (done.status, [r for r in made.get("results", []) if r["severity"] == "error"]) == (
        0,
        [],
    )
    paths = {each["metadata"].get("annotations", {}).get(PATH, "") for each in made["items"]}
    assert "clusters/eu/infra/authpolicy.kuadrant.io_closed.yaml" in paths


@each(*EXAMPLES)
def test_every_example_comes_as_a_build_writes_it(
    name: str, fn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those with metapolicies have texts of many lines in which a spoke's own values stand."""
    monkeypatch.chdir(ROOT / "examples" / name)
    found = rendered_folder(Path())
    for spoke in sorted(found.bundles):
        done, made = fn(resource_list(()), "--spoke", spoke)
        assert done.status == 0, done.err
        assert {e2e.identity(each): unmarked(each) for each in made["items"]} == e2e.objects(
            found, spoke
        )


@pytest.mark.krm
def test_kpt_runs_it(shell: Shell) -> None:
    kpt = shutil.which("kpt")
    if kpt is None:
        pytest.skip("kpt is not installed")
    shell.run("build")
    built = tree(shell.folder / "clusters")
    shutil.rmtree(shell.folder / "clusters")
    command = [kpt, "fn", "eval", ".", "--exec", f"{PROGRAM} fn", "--fn-config", "placement.yaml"]
    for _ in range(2):  # the second time over what the first one wrote
        done = subprocess.run(
            command, cwd=shell.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert tree(shell.folder / "clusters") == built
    broken = (shell.folder / "hub/auth.yaml").read_text().replace("    name: web", "    name: wbe")
    shell.write({"hub/auth.yaml": broken})
    done = subprocess.run(command, cwd=shell.folder, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Gateway infra/wbe" in done.stderr
    assert tree(shell.folder / "clusters") == built


@pytest.mark.krm
def test_kustomize_runs_it(shell: Shell) -> None:
    function = f"exec: {{path: {PROGRAM}, args: [fn, --spoke, eu]}}"
    shell.write(
        {
            "kustomization.yaml": "generators: [generator.yaml]\n",
            "generator.yaml": PLACEMENT.replace(
                "  name: shop\n",
                "  name: shop\n  annotations:\n    config.kubernetes.io/function: |\n"
                f"      {function}\n",
            ),
        }
    )
    command = [installed("kustomize"), "build", "--enable-alpha-plugins", "--enable-exec", "."]
    done = subprocess.run(command, cwd=shell.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shell.run("build")
    written = tree(shell.folder / "clusters/eu").values()
    key = json.dumps
    wanted = sorted((each for each in written if each["kind"] != "Kustomization"), key=key)
    assert sorted(values(done.stdout), key=key) == wanted


@pytest.mark.krm
def test_the_guide_to_kustomize_works_on_a_new_project(empty: Shell) -> None:
    """As docs/guides/krm.md says it: the fleet file itself is the generator."""
    empty.succeed("init", "--spokes", "eu,us", "--ci", "none")
    function = f"exec: {{path: {PROGRAM}, args: [fn, --spoke, eu]}}"
    fleet = (empty.folder / "fleet.yaml").read_text()
    annotated = re.sub(
        r"(?m)^  name: .*$",
        rf"\g<0>\n  annotations:\n    config.kubernetes.io/function: |\n      {function}",
        fleet,
    )
    empty.write({"fleet.yaml": annotated, "kustomization.yaml": "generators: [fleet.yaml]\n"})
    empty.succeed("check")
    command = [installed("kustomize"), "build", "--enable-alpha-plugins", "--enable-exec", "."]
    done = subprocess.run(command, cwd=empty.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = tree(empty.folder / "clusters/eu").values()
    kinds = sorted(each["kind"] for each in written if each["kind"] != "Kustomization")
    assert sorted(each["kind"] for each in values(done.stdout)) == kinds
