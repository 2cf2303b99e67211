"""The law of text, for every string and every edit."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, example, given, settings, strategies as st

from spokerender.formats.yamlio import (
    compose,
    cut_at_marks,
    emit,
    read,
    scalar,
    unsupported,
    unsupported_key,
)
from spokerender.model.slots import fill, number_slot, text_slot
from tests.formats.yamlio.oracle import NASTY
from tests.support.profiles import examples

pytestmark = pytest.mark.property

law = settings(
    max_examples=examples(300, house=20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(max_size=12),
    st.text(alphabet="ab1.-+:#_ \n\t\"'\\{}[],&*!|>%@`~=eExXoOyn\u2028é😀", max_size=8),
).filter(lambda text: unsupported(text) is None)
KEYS = TEXTS.filter(lambda text: unsupported_key(text) is None)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS
DATA = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, DATA, min_size=1, max_size=4)
STYLES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "default_style": st.sampled_from([None, "'", '"', "|", ">"]),
        "default_flow_style": st.sampled_from([False, None, True]),
        "width": st.sampled_from([5, 30, 1000]),
        "indent": st.sampled_from([2, 4]),
    }
)


def meaning(text: str) -> str:
    """What is read in a text of one document, as JSON: to Python, 1 is `True`."""
    documents, problems = read(text.encode(), "hub/a.yaml")
    assert problems == ()
    return json.dumps(documents[0].value, sort_keys=True)


def canonical(data: Any) -> Any:
    """The data with numbers as Kubernetes keeps them."""
    if isinstance(data, dict):
        return {key: canonical(value) for key, value in data.items()}
    if isinstance(data, list):
        return [canonical(item) for item in data]
    return read(scalar(data).encode(), "")[0][0].value if isinstance(data, float) else data


def as_json(data: Any) -> str:
    return json.dumps(data, sort_keys=True)


@law
@given(KEYS)
@example("")
def test_a_string_is_that_string_in_every_place(text: str) -> None:
    data = {text: text, "list": [text, [text], {text: text}], "deep": {"er": {text: [text]}}}
    assert meaning(emit(data)) == as_json(data)


@law
@given(TEXTS)
def test_a_scalar_fits_everywhere_on_one_line(text: str) -> None:
    written = scalar(text)
    assert len(written.splitlines()) <= 1
    assert meaning(f"a: {written}\n") == as_json({"a": text})
    assert meaning(f"a: [{written}, {{b: {written}}}] # {written}\n") == as_json(
        {"a": [text, {"b": text}]}
    )


@law
@given(KEYS)
def test_a_scalar_is_a_key(text: str) -> None:
    written = scalar(text)
    assert meaning(f"{written}: {{{written}: 1}}\n") == as_json({text: {text: 1}})


@law
@given(OBJECTS)
def test_what_is_emitted_is_read(data: dict[str, Any]) -> None:
    assert meaning(cut_at_marks(emit(data)).fill({}, {}).decode()) == as_json(canonical(data))


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, Any, Any]:
    """A document as some program has written it, with remarks, and what shall become of it."""
    old = canonical(draw(OBJECTS))
    text = yaml.dump(old, sort_keys=False, allow_unicode=draw(st.booleans()), **draw(STYLES))
    if draw(st.booleans()):
        text = emit(old)
    remarks = draw(st.lists(st.integers(0, text.count("\n")), max_size=3))
    lines = text.split("\n")
    for remark in remarks:
        lines.insert(remark, draw(st.sampled_from(["# x", "  # x", "", "    # x: y", " "])))
    documents, problems = read("\n".join(lines).encode(), "hub/a.yaml")
    assume(not problems and documents[0].spliceable)
    return documents[0].text, documents[0].value, draw(changed(documents[0].value))


def changed(data: Any) -> st.SearchStrategy[Any]:
    """The data with something added, removed or replaced somewhere, or nothing."""
    if isinstance(data, dict) and data:
        key = st.sampled_from(list(data))
        return st.one_of(
            st.just(data),
            key.map(lambda name: {one: it for one, it in data.items() if one != name}),
            st.tuples(KEYS, DATA).map(lambda pair: {**data, pair[0]: canonical(pair[1])}),
            key.flatmap(lambda name: changed(data[name]).map(lambda it: {**data, name: it})),
        )
    if isinstance(data, list) and data:
        place = st.integers(0, len(data) - 1)
        return st.one_of(
            place.map(lambda at: data[:at] + data[at + 1 :]),
            st.tuples(place, DATA).map(
                lambda pair: [*data[: pair[0]], canonical(pair[1]), *data[pair[0] :]]
            ),
            place.flatmap(
                lambda at: changed(data[at]).map(lambda it: [*data[:at], it, *data[at + 1 :]])
            ),
        )
    return DATA.map(canonical)


@law
@given(edits())
def test_an_edited_text_means_the_new(edit: tuple[str, Any, Any]) -> None:
    text, old, new = edit
    assume(isinstance(new, dict))
    filled = cut_at_marks(compose(text, old, new).text).fill({}, {}).decode()
    assert meaning(filled) == as_json(new)


@law
@given(edits())
def test_what_was_edited_once_stays(edit: tuple[str, Any, Any]) -> None:
    text, old, new = edit
    assume(isinstance(new, dict))
    once = compose(text, old, new).text
    assert compose(once, new, new).text == once


@law
@given(OBJECTS, TEXTS, TEXTS, st.integers(-(2**63), 2**63 - 1))
def test_filling_a_text_is_filling_the_object(
    data: Any, value: str, other: str, number: int
) -> None:
    one, two, three = text_slot(0), text_slot(1), number_slot(2)
    data = {**data, "value": one, "mixed": [f"a{two}b{three}", three], two: {"deep": one}}
    values = {one: value, two: other, str(three): number}
    wanted = fill(data, values)
    assume(len(wanted) == len(data) and all(unsupported_key(key) is None for key in wanted))
    assume(unsupported(f"a{other}b") is None)
    assert meaning(cut_at_marks(emit(data)).fill(values, {}).decode()) == as_json(canonical(wanted))
