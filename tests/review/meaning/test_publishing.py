"""What a change of what is published, or of workspaces, means for requests."""

import shutil
from functools import cache
from pathlib import Path

import pytest

from spokerender.findings.codes import review as codes
from spokerender.findings.errors import InputError
from spokerender.findings.results import FindingKind
from spokerender.pipeline import Project
from spokerender.review.comparison.states import FleetState
from tests.review.meaning.scenes import codes_of, compare, explain_files, judge_fleet, loud
from tests.support.project import rendered_folder

ROOT = Path(__file__).parents[3]
TENANTS = ROOT / "examples/tenants"
PUBLISHED, PUBLISHING = "hub/published.yaml", "publishing.yaml"
POLICIES = (TENANTS / PUBLISHED).read_text(encoding="utf-8").partition("---\n")[0]
MUTATION = POLICIES[POLICIES.index("      # Who is refused") : POLICIES.index("  related:")]
TEAM = "    - name: team-b\n      path: root:shop:team-b\n"
CART = "workspaces/team-a/cart.yaml"


@cache
def before() -> FleetState:
    return state(TENANTS)


def state(folder: Path) -> FleetState:
    return judge_fleet(rendered_folder(folder))


def after(folder: Path, path: str, old: str, new: str) -> FleetState:
    shutil.copytree(TENANTS, folder, ignore=shutil.ignore_patterns("clusters"))
    text = (folder / path).read_text(encoding="utf-8")
    assert old in text
    (folder / path).write_text(text.replace(old, new), encoding="utf-8")
    return state(folder)


def refuse(_: object) -> Project:
    """Read nothing, so that no line is tried."""
    raise InputError(())


@pytest.mark.parametrize(
    ("path", "old", "new", "code", "cause"),
    [
        (PUBLISHED, POLICIES, "", codes.ACCESS_REMOVED, PUBLISHED),
        (
            PUBLISHED,
            "  enableWorkspacePaths: true\n",
            "  enableWorkspacePaths: true\n  filter: {resource: {matchLabels: {a: b}}}\n",
            codes.ACCESS_REMOVED,
            PUBLISHED,
        ),
        (
            PUBLISHED,
            MUTATION,
            "      - delete: {path: spec.rules.authentication}\n",
            codes.ACCESS_REMOVED,
            PUBLISHED,
        ),
        (PUBLISHED, "template: Ask", "template: Beg", codes.NOT_RANKED, PUBLISHED),
        (PUBLISHING, "export: edge.", "export: west.", codes.PRUNED, PUBLISHING),
        (PUBLISHING, TEAM, "", codes.HOSTNAME_GONE, PUBLISHING),
        (CART, "apiKey:\n", "anonymous: {}\n        #", codes.ACCESS_REMOVED, CART),
    ],
)
def test_what_publishing_weakens_is_told_with_its_line(  # noqa: PLR0913, PLR0917  (a case)
    path: str, old: str, new: str, code: FindingKind, cause: str, tmp_path: Path
) -> None:
    later = after(tmp_path / "project", path, old, new)
    first, second = ((folder / path).read_bytes() for folder in (TENANTS, tmp_path / "project"))
    review = explain_files(before(), later, ({path: first}, {path: second}), refuse)
    found = [item for item in loud(review) if item.result.code == code.code]
    assert found
    lines = {str(item.result.origin).removeprefix("before/") for item in found}
    assert {line.partition(":")[0] for line in lines} == {cause}
    spokes = ("kcp-shop",) if code is codes.PRUNED else ("eu", "us")
    assert {item.result.spokes for item in found} == {spokes}


def test_another_name_of_copies_means_nothing(tmp_path: Path) -> None:
    naming = '  enableWorkspacePaths: true\n  naming: {name: "x-{{ .Object.metadata.name }}"}\n'
    review = compare(
        before(), after(tmp_path / "project", PUBLISHED, "  enableWorkspacePaths: true\n", naming)
    )
    assert codes_of(loud(review)) == set()
