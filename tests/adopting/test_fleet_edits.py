"""What is added to a fleet file, and that nothing else in it changes."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.adopting.editable import add_to_fleet
from spokerender.config.fleet import AcknowledgedDeletion, FleetFile
from spokerender.findings.errors import InputError
from spokerender.formats.yamlio import emit, read
from tests.support import cases, each, rows_of
from tests.support.profiles import examples

POLICY: dict[str, Any] = {
    "ref": "AuthPolicy/shop/auth",
    "spokes": ["eu-1", "null"],
    "reason": "moved to the mesh",
}
SPOKE: dict[str, Any] = {"spokes": ["us-1"], "reason": "closed: no traffic"}


def add_deletions(text: str, entries: Sequence[dict[str, Any]]) -> str:
    """Return the fleet file with acknowledged deletions."""
    files = add_to_fleet(("fleet.yaml", text.encode()), "deletions", entries)
    return files["fleet.yaml"].decode()


def data(text: str) -> Any:
    documents, problems = read(text.encode(), "")
    assert not problems
    return documents[0].value if documents else None


def added(before: str, after: str) -> None:
    """Assert what comes of a file when both entries are added."""
    assert add_deletions(before, [POLICY, SPOKE]) == after


def test_no_file_yet() -> None:
    text = add_deletions("", [POLICY, SPOKE])
    assert text == rows_of(__file__, "no_file_yet")
    assert FleetFile.model_validate(data(text)).spec.deletions == (
        AcknowledgedDeletion(**POLICY),
        AcknowledgedDeletion(**SPOKE),
    )


def test_comments_quotes_and_odd_spacing_stay() -> None:
    added(*rows_of(__file__, "comments_quotes_and_odd_spacing_stay"))


def test_entries_come_after_those_that_are_there_and_before_the_next_comment() -> None:
    added(*rows_of(__file__, "entries_come_after_those_that_are_there_and_before_the_next_comment"))


@each("", " ~", " null", "  # none yet", " null # none yet")
def test_a_key_without_a_value_gets_one(null: str) -> None:
    comment = null[null.index("#") :] if "#" in null else ""
    text = add_deletions(f"spec:\n  deletions:{null}\n  layout: spoke\n", [SPOKE])
    first, rest = text.split("\n", 2)[1:]
    assert first.split() == ["deletions:", *comment.split()]
    assert rest == ('  - spokes:\n    - us-1\n    reason: "closed: no traffic"\n  layout: spoke\n')


def test_a_spec_without_a_value_gets_one() -> None:
    added(*rows_of(__file__, "a_spec_without_a_value_gets_one"))


BLOCK = """ref: AuthPolicy/shop/auth
    spokes:
    - eu-1
    - "null"
    reason: "moved to the mesh"
"""
FLOW = '{ref: AuthPolicy/shop/auth, spokes: [eu-1, "null"], reason: "moved to the mesh"}'


@cases(*rows_of(__file__, "flow_style_stays"))
def test_flow_style_stays(before: str, after: str) -> None:
    assert add_deletions(before, [POLICY]) == after


@cases(("# Nothing yet.", "# Nothing yet.\n"), ("---\n# Nothing yet.\n", "---\n# Nothing yet.\n"))
def test_a_file_with_only_comments(before: str, kept: str) -> None:
    assert add_deletions(before, [SPOKE]) == kept + add_deletions("", [SPOKE])


def test_a_last_line_without_an_end() -> None:
    assert add_deletions("spec:\n  layout: spoke", [SPOKE]) == (
        "spec:\n  layout: spoke\n  deletions:\n"
        '  - spokes:\n    - us-1\n    reason: "closed: no traffic"'
    )


def test_line_ends_and_the_byte_order_mark_stay() -> None:
    assert add_deletions("\ufeffkind: Fleet\r\nspec:\r\n  layout: spoke # one\r\n", [SPOKE]) == (
        "\ufeffkind: Fleet\r\nspec:\r\n  layout: spoke # one\r\n  deletions:\r\n"
        '  - spokes:\r\n    - us-1\r\n    reason: "closed: no traffic"\r\n'
    )


def test_anchors_stay() -> None:
    text = "metadata: &m\n  name: shop\nspec: &s\n  deletions: &d\n  - &e {spoke: a, reason: b}\n"
    assert add_deletions(text, [SPOKE]) == (
        text + '  - spokes:\n    - us-1\n    reason: "closed: no traffic"\n'
    )


@each(*rows_of(__file__, "what_cannot_be_added_to_is_told_with_what_to_write"))
def test_what_cannot_be_added_to_is_told_with_what_to_write(text: str) -> None:
    with pytest.raises(InputError) as caught:
        add_deletions(text, [SPOKE])
    (result,) = caught.value.results
    assert result.origin is not None
    assert result.origin.line
    _, _, by_hand = result.cure.partition("\n")
    assert data(by_hand) == {"spec": {"deletions": [SPOKE]}}


def test_a_string_that_yaml_cannot_carry() -> None:
    with pytest.raises(InputError):
        add_deletions("", [{"spoke": "a", "reason": "\x7f"}])


texts = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1)
names = st.sampled_from(["null", "123", "1e3", "on", "eu-1", "0x1f", "true"])
entry = st.fixed_dictionaries(
    {"reason": texts | st.sampled_from(["yes", "a: b", "# x", "- y", "line\nline", "1_000"])},
    optional={"ref": names | texts, "spoke": names},
)
leaf = st.none() | st.booleans() | st.integers(0, 99) | names
json_data = st.recursive(
    leaf,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)
fleet_data = st.fixed_dictionaries(
    {},
    optional={
        "metadata": json_data,
        "spec": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "hub": json_data,
                "deletions": st.none() | st.lists(entry, max_size=3),
                "layout": json_data,
            },
        ),
        "zone": json_data,
    },
)


@pytest.mark.property
@settings(max_examples=examples(150, house=30), deadline=None)
@given(before=fleet_data, entries=st.lists(entry, min_size=1, max_size=3))
def test_the_data_is_the_old_with_the_entries_and_every_line_stays(
    before: dict[str, Any], entries: list[dict[str, str]]
) -> None:
    text = emit(before)
    result = add_deletions(text, entries)
    spec = before.get("spec") or {}
    deletions = [*(spec.get("deletions") or []), *entries]
    assert data(result) == {**before, "spec": {**spec, "deletions": deletions}}
    remaining = iter(result.splitlines())
    replaced = ("{}", "[]", "spec: null", "  deletions: null")
    assert all(line in remaining for line in text.splitlines() if not line.endswith(replaced))
