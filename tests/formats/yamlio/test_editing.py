"""Edits that merge keys and anchors don't allow name their line and what is in the way."""

import pytest

from spokerender.formats.yamlio.editing import UneditableError, edit_in_place

MERGED = b"""# two spokes
spokes:
- &base
  name: eu
  labels: {tier: gold}
- <<: *base
  name: us
"""
EU = {"name": "eu", "labels": {"tier": "gold"}}
US = {"name": "us", "labels": {"tier": "gold"}}


def test_an_entry_with_an_anchor_that_is_used_elsewhere_stays() -> None:
    with pytest.raises(UneditableError) as refused:
        edit_in_place(MERGED, 0, {"spokes": [US]})
    assert (refused.value.line, refused.value.reason) == (3, "an alias has no anchor")


def test_a_key_that_a_merge_key_gives_stays() -> None:
    with pytest.raises(UneditableError) as refused:
        edit_in_place(MERGED, 0, {"spokes": [EU, {"name": "us"}]})
    assert refused.value.reason == "anchors, or its layout, are in the way"


def test_a_key_that_a_merge_key_gives_can_have_another_value() -> None:
    edited = edit_in_place(MERGED, 0, {"spokes": [EU, {**US, "labels": {"tier": "silver"}}]})
    assert edited == MERGED + b"  labels:\n    tier: silver\n"
