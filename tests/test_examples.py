"""The examples: each renders to what is committed beside it, and says how to get there.

`pytest --update-golden -m golden` writes the trees anew; read the difference before committing it.
"""

import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from deepdiff import DeepDiff
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from spokerender.cli import run
from spokerender.edge import files
from spokerender.findings.results import Severity
from spokerender.model.plan import is_ours
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.combined import build_schema
from tests.conftest import ROOT
from tests.support import cases, each, end_to_end as e2e, manifest
from tests.support.git import commit, run_git
from tests.support.judging import judged
from tests.support.project import rendered_folder

EXAMPLES = ROOT / "examples"
FLAGSHIP = "shop"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
SCHEMA = EXAMPLES / "schema.json"

example = pytest.mark.parametrize("name", NAMES)

SHOWN = re.compile(r"^```\n(\$ spokerender .*?)^```$", re.MULTILINE | re.DOTALL)
"""A block of a README that shows a command and what it prints."""


def shown() -> Iterator[tuple[str, str]]:
    """The commands that READMEs show, each with its output as it stands there."""
    for folder in (ROOT, *(EXAMPLES / name for name in NAMES)):
        text = (folder / "README.md").read_text(encoding="utf-8")
        for block in SHOWN.findall(text):
            command, _, output = block.removeprefix("$ spokerender ").partition("\n")
            yield command, output


TRANSCRIPTS = tuple(shown())


@cache
def rendered(name: str) -> Rendered:
    return rendered_folder(EXAMPLES / name)


def committed_in(name: str) -> Path:
    """Where the tree of an example is; the flagship's is the repository's own."""
    return ROOT / "clusters" if name == FLAGSHIP else EXAMPLES / name / "clusters"


def tree_at(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def by_object(tree: Mapping[str, bytes]) -> dict[str, Any]:
    """The documents of a tree, as a failure should name them."""
    return {path: e2e.parsed(data) for path, data in tree.items()}


def rewrite(output: Path, found: Rendered) -> None:
    with files.locked(output):
        files.apply(output, files.compare(output, found.tree), found.tree)


def test_there_are_examples() -> None:
    assert FLAGSHIP in NAMES
    assert len(NAMES) >= 6
    assert len(rendered(FLAGSHIP).bundles) >= 6


@pytest.mark.golden
@example
def test_it_renders_to_what_is_committed(name: str, *, update_golden: bool) -> None:
    found, output = rendered(name), committed_in(name)
    if update_golden:
        rewrite(output, found)
    golden, fresh = tree_at(output), e2e.tree(found)
    if golden != fresh:
        assert DeepDiff(by_object(golden), by_object(fresh)) == {}
    assert golden == fresh


@pytest.mark.golden
def test_the_schema_is_what_the_models_say(*, update_golden: bool) -> None:
    text = json.dumps(build_schema(), indent=2, ensure_ascii=False) + "\n"
    if update_golden:
        SCHEMA.write_text(text, encoding="utf-8")
    assert SCHEMA.read_text(encoding="utf-8") == text


@example
def test_nothing_of_the_tree_is_written_by_hand(name: str) -> None:
    assert all(map(is_ours, tree_at(committed_in(name)).values()))


@example
def test_nothing_is_wrong_with_it(name: str) -> None:
    """Not even a warning: it builds with --strict."""
    told = [result for result in rendered(name).results if result.severity is not Severity.INFO]
    assert told == []


@example
def test_every_spoke_is_judged_without_a_warning(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that `check` looks at; what is suppressed is told as an info, and not here."""
    monkeypatch.chdir(ROOT)
    output = ["-o", "clusters"] if name == FLAGSHIP else []
    status = run(["check", f"examples/{name}", "--strict", *output])
    folder = "clusters" if name == FLAGSHIP else f"examples/{name}/clusters"
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    assert out.startswith(f"{folder}: up to date, ")


@example
def test_every_command_has_an_answer_in_every_form(name: str) -> None:
    """What the flagship's answers are, stands whole in `tests/cli`."""
    assert judged(rendered(name)).judged


@each("v1.4.1", "v1.5.1", "v1.6.3", "v1.7.0")
def test_clusters_would_take_the_flagship(
    version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever of these releases they have, no object is refused; by the newest, a mistake is."""
    shop = shutil.copytree(EXAMPLES / FLAGSHIP, tmp_path / FLAGSHIP)
    fleet = shop / "fleet.yaml"
    text = fleet.read_text(encoding="utf-8")
    assert "gateway-api@v1.4.1/standard" in text
    fleet.write_text(text.replace("gateway-api@v1.4.1", f"gateway-api@{version}"), encoding="utf-8")
    assert run(["check", str(shop), "--only", "validation", "--verbose"]) == 0
    assert "SR23" not in capsys.readouterr().err, "an object is refused, or was not validated"
    if version != "v1.7.0":
        return
    routes = shop / "hub/teams/checkout/routes.yaml"
    text = routes.read_text(encoding="utf-8")
    routes.write_text(text.replace("timeouts:", "timeout:"), encoding="utf-8")
    assert run(["check", str(shop), "--only", "validation"]) == 1
    assert 'unknown field "spec.rules[1].timeout"' in capsys.readouterr().err


def test_there_are_transcripts() -> None:
    commands = [command for command, _ in TRANSCRIPTS]
    assert "effective examples/shop --route checkout" in commands
    assert {f"{word} examples/own-policy-kind" for word in ("check", "status", "effective")} <= {
        " ".join(command.split()[:2]) for command in commands
    }


@cases(*TRANSCRIPTS)
def test_what_readmes_show_is_what_is_printed(
    command: str, output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert run(shlex.split(command)) == 0
    out, err = capsys.readouterr()
    assert [line.rstrip() for line in (err + out).splitlines()] == output.splitlines()


def test_the_first_wave_is_as_its_readme_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = shutil.copytree(EXAMPLES / "placed-by-ocm", tmp_path / "placed")
    readme = (project / "README.md").read_text(encoding="utf-8").partition("## The first wave")[2]
    fleet, shown = re.findall(
        r"^```(?:yaml|console)\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL
    )[:2]
    run_git(project, "init", "--quiet")
    commit(project, {})
    (project / "fleet.yaml").write_text(fleet, encoding="utf-8")
    monkeypatch.chdir(project)
    assert run(["build"]) == 0
    commit(project, {})
    limits = project / "hub" / "limits.yaml"
    text = limits.read_text(encoding="utf-8")
    limits.write_text(text.replace("window: 10s", "window: 20s"), encoding="utf-8")
    capsys.readouterr()
    assert run(["build"]) == 0
    out, err = capsys.readouterr()
    assert ["$ spokerender build", *(err + out).splitlines()] == shown.splitlines()


def test_bounds_are_checked_as_the_readme_of_metapolicies_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fair share of berlin's three clients is 60 a minute, and that of oslo's one 20."""
    project = shutil.copytree(EXAMPLES / "metapolicies", tmp_path / "bounded")
    readme = (project / "README.md").read_text(encoding="utf-8")
    (definition,) = re.findall(r"^```yaml\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    (project / "definitions" / "ratebounds.yaml").write_text(definition, encoding="utf-8")
    target = "targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}"
    spec = f"{target}, minValue: 30, maxValue: 100, value: 50"
    bounds = manifest("RateBoundsPolicy edge/web", spec, api="policies.example.com/v1")
    (project / "hub" / "bounds.yaml").write_text(bounds, encoding="utf-8")
    monkeypatch.chdir(project)
    assert run(["build"]) == 2
    err = capsys.readouterr().err
    assert "shop-share has a limit that is not from 30 to 100\n    on oslo\n" in err
    (project / "hub" / "bounds.yaml").write_text(bounds.replace("30", "20"), encoding="utf-8")
    assert run(["build"]) == 0
    policy = project / "clusters/oslo/edge/ratelimitpolicy.kuadrant.io_web-default.yaml"
    assert "limit: 50" in policy.read_text(encoding="utf-8")


@example
def test_its_readme_names_the_command(name: str) -> None:
    text = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    output = " -o clusters" if name == FLAGSHIP else ""
    assert f"\nspokerender build examples/{name}{output}\n" in text


@example
def test_editors_are_told_the_schema_and_it_takes_the_files(name: str) -> None:
    folder = EXAMPLES / name
    patterns = ("fleet.yaml", "placement.yaml", "placement/*", "tests/*")
    ours = [path for pattern in patterns for path in folder.glob(pattern)]
    assert ours
    for path in ours:
        data = path.read_bytes()
        first = data.splitlines()[0].decode()
        place = first.removeprefix("# yaml-language-server: $schema=")
        assert (path.parent / place).resolve() == SCHEMA
        (document,) = e2e.parsed(data)
        problems = Draft202012Validator(build_schema()).iter_errors(document)
        assert [problem.message for problem in problems] == []
