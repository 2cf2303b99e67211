"""Branches that add a spoke each merge in Git: no line of a delivery file is about all spokes."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.settings import Delivery
from tests.wings.delivery.delivering import deliver, spoke
from tests.wings.delivery.engines import VARIANTS
from tests.wings.delivery.test_ocm import shipped, thing

BASE = ["ap-1", "ap-3", "eu-1", "eu-2", "us-1", "us-3"]
LONGEST = 160
each_variant = pytest.mark.parametrize("variant", VARIANTS)


def files(texts: dict[str, str], variant: str, spokes: Sequence[str]) -> dict[str, str]:
    """The delivery files of spokes that have labels, and the same object."""
    labelled = [spoke(name, region=name[:2], tier="prod") for name in sorted(spokes)]
    objects = {name: [shipped(thing("a"))] for name in spokes}
    fleet = Delivered("clusters", labelled, objects.__getitem__, texts)
    made, results = deliver(Delivery.model_validate(VARIANTS[variant]), fleet)
    assert results == ()
    return {path: text for part in made for path, text in part.items()}


@each_variant
def test_two_branches_that_add_a_spoke_each_merge(
    texts: dict[str, str], variant: str, tmp_path: Path
) -> None:
    base, ours, theirs, both = (
        files(texts, variant, [*BASE, *more])
        for more in ((), ("ap-2",), ("us-2",), ("ap-2", "us-2"))
    )
    for path in both:
        sides = {"ours": ours.get(path), "base": base.get(path), "theirs": theirs.get(path)}
        if None in sides.values():  # a file of a new spoke alone: one branch has it
            assert both[path] in sides.values()
            continue
        for side, text in sides.items():
            (tmp_path / side).write_text(text or "")
        merging = ["git", "merge-file", "-p", *sides]
        merged = subprocess.run(merging, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert merged.returncode == 0, merged.stdout
        assert merged.stdout == both[path]


@each_variant
def test_no_line_grows_with_the_fleet(texts: dict[str, str], variant: str) -> None:
    made = files(texts, variant, [f"spoke-{number:03}" for number in range(200)])
    longest = max((line for text in made.values() for line in text.splitlines()), key=len)
    assert len(longest) < LONGEST
