"""A prepared pull request of the flagship: what a team does before a sale."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import ROOT
from tests.support import text_of
from tests.support.git import run_git

_CONFIRMED = """\
    authorization:
      confirmed:
        patternMatching:
          patterns:
            - predicate: auth.identity.email_verified == true
"""
_GEO = "values: {domain: shop.example.com, geo: GEO-AS, weight: %d}"
_ROUTE = text_of(__file__, "sale.yaml")
CHANGES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "hub/teams/cart/policies.yaml": (("- limit: 120", "- limit: 1200"),),
    "hub/teams/catalog/policies.yaml": (("- limit: 30\n", "- limit: 20\n"),),
    "hub/teams/checkout/policies.yaml": ((_CONFIRMED, ""),),
    "placement/platform.yaml": ((_GEO % 100, _GEO % 150),),
}
"""Texts that a pull request replaces: a limit rises, one falls, a rule goes, a weight rises."""


def make_sale(folder: Path) -> None:
    """Put the flagship into a repository, and the pull request's changes on top, uncommitted."""
    shutil.copytree(ROOT / "examples/shop", folder, dirs_exist_ok=True)
    run_git(folder, "init", "--quiet", "--initial-branch=main")
    run_git(folder, "add", "--all")
    run_git(folder, "commit", "--quiet", "--message=shop")
    for name, replacements in CHANGES.items():
        text = (folder / name).read_text(encoding="utf-8")
        for old, new in replacements:
            assert text.count(old) == 1
            text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")
    routes = folder / "hub/teams/catalog/routes.yaml"
    routes.write_text(routes.read_text(encoding="utf-8") + _ROUTE, encoding="utf-8")
