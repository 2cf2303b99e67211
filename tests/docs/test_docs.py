"""The documentation is true: what is made is current, commands run, links lead somewhere."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from spokerender.cli import COMMANDS
from spokerender.findings.codes.table import FINDING_KINDS
from spokerender.wings.combined import build_schema
from tests.cli.project import call
from tests.conftest import ROOT
from tests.docs import libraries, reference
from tests.support import cases, cyaml, each

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MADE = {
    "placement.md": reference.placement,
    "fleet.md": reference.fleet,
    "findings.md": reference.findings,
    "definitions.md": reference.metapolicies,
    "publishing.md": reference.publishing,
    "requests.md": reference.requests,
    "cel.md": libraries.cel,
    "functions.md": libraries.spoke,
}
BLOCK = re.compile(r"^( *)```sh\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
YAML = re.compile(r"^( *)```yaml\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PLAIN = re.compile(r"spokerender [^|&;<>$`*?\n#{}'\"\\\\]+")
EXITS = re.compile(r" # exits with (\d)$")
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")
COMMAND = re.compile(r"`spokerender (\w+)")
IN_CODE = re.compile(r"`([\w./<>-]+/[\w./<>-]*)`")
NAME_IN_MODULE = re.compile(r"`(_?[A-Z][A-Z_]+)` in `([\w.-]+/[\w./-]+\.py)`")
GUIDES = tuple(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md"))
"""What tells a contributor where things are."""
NOT_OURS = {"module/", "hub/", "clusters/"}
"""A folder of a copied program, and of a project."""

each_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix()
)


@pytest.mark.golden
@cases(*MADE.items(), ids=MADE)
def test_what_is_made_is_current(name: str, make: Callable[[], str], update_golden: bool) -> None:
    if update_golden:
        (DOCS / name).write_text(make(), encoding="utf-8")
    assert (DOCS / name).read_text(encoding="utf-8") == make(), "run make golden"


def steps(page: Path) -> Iterator[tuple[str, int]]:
    """Every command of a page and how it ends; a here-document belongs to its command."""
    for indent, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        lines = [line.removeprefix(indent) for line in block.splitlines()]
        while lines:
            line = lines.pop(0)
            status = EXITS.search(line)
            if "<<'END'" in line:
                end = lines.index("END") + 1
                line, lines = "\n".join((line, *lines[:end])), lines[end:]
            yield EXITS.sub("", line), int(status[1]) if status else 0


@each_page
def test_its_commands_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, in an empty folder, as somebody who follows the page runs them.

    Commands of ours that need no shell run in this process. The tutorial takes five CPU seconds.
    """
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "test",
        "GIT_AUTHOR_EMAIL": "test@example.com",
        "GIT_COMMITTER_NAME": "test",
        "GIT_COMMITTER_EMAIL": "test@example.com",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path
    for command, status in steps(page):
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        monkeypatch.chdir(folder)
        if PLAIN.fullmatch(command):
            ours = call(*command.split()[1:])
            assert ours.status == status, f"{command}\n{ours.out}{ours.err}"
            continue
        done = subprocess.run(
            ["bash", "-e", "-c", command],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == status, f"{command}\n{done.stdout}{done.stderr}"


def test_the_pages_have_commands() -> None:
    assert sum(1 for page in PAGES for _ in steps(page)) > 30


@each_page
def test_its_own_files_are_of_our_schema(page: Path) -> None:
    """What stands in a block of YAML is read as an editor reads it."""
    validator = Draft202012Validator(build_schema())
    for _, block in YAML.findall(page.read_text(encoding="utf-8")):
        if "apiVersion: spokerender.io/" in block and "…" not in block:
            for document in cyaml.safe_load_all(block):
                assert [error.message for error in validator.iter_errors(document)] == [], block


@each_page
def test_its_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_links_to_a_finding_lead_to_its_section() -> None:
    codes = {kind.code.casefold() for kind in FINDING_KINDS}
    linked = (re.findall(r"findings\.md#(\w+)", page.read_text("utf-8")) for page in PAGES)
    assert {code for codes in linked for code in codes} - codes == set()
    headings = re.findall(r"^### (SR\d+)$", reference.findings(), re.MULTILINE)
    assert {code.casefold() for code in headings} == codes


@each(*(page for page in PAGES if page.name not in MADE), ids=lambda page: page.name)
def test_its_commands_are_there(page: Path) -> None:
    assert set(COMMAND.findall(page.read_text(encoding="utf-8"))) <= COMMANDS.keys()


def test_the_readme_lists_every_command() -> None:
    rows = re.findall(r"^\| `spokerender (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert set(rows) == COMMANDS.keys()


def test_every_page_is_listed() -> None:
    listed = set(LINK.findall((DOCS / "README.md").read_text(encoding="utf-8")))
    pages = {path.relative_to(DOCS).as_posix() for path in PAGES} - {"README.md"}
    assert listed == pages


@each(*GUIDES, ids=lambda page: page.name)
def test_its_paths_are_there(page: Path) -> None:
    """As they stand, or below the package; `<vendor>` and the like stand for any name."""
    paths = set(IN_CODE.findall(page.read_text(encoding="utf-8"))) - NOT_OURS
    patterns = [re.sub("<[^>]+>", "*", path) for path in sorted(paths)]
    assert [
        pattern
        for pattern in patterns
        if not any(any(root.glob(pattern)) for root in (ROOT, ROOT / "render/spokerender"))
    ] == []


@each(*GUIDES, ids=lambda page: page.name)
def test_its_tables_are_there(page: Path) -> None:
    for name, path in NAME_IN_MODULE.findall(page.read_text(encoding="utf-8")):
        module = next(filter(Path.exists, (ROOT / path, ROOT / "render/spokerender" / path)))
        text = module.read_text(encoding="utf-8")
        assert re.search(rf"^{name}\b", text, re.MULTILINE), f"{name} in {path}"
