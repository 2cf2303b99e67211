"""CEL over clusters: what OCM adds to it, and what it leaves out."""

import pytest

from spokerender.formats.cel import NotCompiledError, UnevaluableError
from spokerender.formats.cel.clusters import bind_cluster, compile_predicate
from tests.support import cases, each, rows_of

OR_ELSE = "managedCluster.metadata[?'gone'].orValue(managedCluster.metadata[?'labels'])"
OPTIONAL_INSIDE = (
    "{'a': optional.of(1)}",
    "'%s'.format([{'a': optional.of(1)}]) == ''",
    "[dyn({'a': optional.of(1)})].isSorted()",
    "{'a': {'b': optional.of(1)}}.scores('a') == []",
    "['a'].map(x, optional.of(x)) == []",
    "[true ? dyn(1) : optional.of(1)] == [1]",
    "managedCluster.metadata.labels[?'gone'].scores('gpu') == []",
    f"bool({OR_ELSE})",
    f"has({OR_ELSE}.a)",
    f"cidr('10.0.0.0/8') == {OR_ELSE}",
    f"{OR_ELSE}.scores('a') == []",
    "ip('::1') == managedCluster.?metadata.optMap(v, v[?'gone']).value()",
)
"""The library ends the process where a function gets such a map."""
CLUSTER = {"metadata": {"name": "c1", "labels": {"version": "1.30.0", "odd": "x"}}}


def ask(source: str) -> str:
    scores = {("c1", "gpu"): [{"name": "free", "value": 3}]}
    find = lambda namespace, name: scores.get((namespace, name))  # noqa: E731  (as short as it can be)
    return compile_predicate(source).answer(bind_cluster(CLUSTER), find)


@each(*rows_of(__file__, "what_is_true"))
def test_what_is_true(source: str) -> None:
    assert ask(source) == ""


@cases(*rows_of(__file__, "an_error_is_a_no_that_has_a_reason"))
def test_an_error_is_a_no_that_has_a_reason(source: str, reason: str) -> None:
    assert reason in ask(source)


@each(*rows_of(__file__, "what_ocm_has_not_does_not_compile"))
def test_what_ocm_has_not_does_not_compile(source: str) -> None:
    with pytest.raises(NotCompiledError):
        compile_predicate(source)


@each(*rows_of(__file__, "what_cannot_be_evaluated_here_is_told"))
def test_what_cannot_be_evaluated_here_is_told(source: str) -> None:
    with pytest.raises(UnevaluableError):
        ask(source)


@each(*rows_of(__file__, "what_depends_on_the_order_of_a_map_is_told"))
def test_what_depends_on_the_order_of_a_map_is_told(source: str) -> None:
    with pytest.raises(UnevaluableError, match="order is chance"):
        ask(source)


@each(*rows_of(__file__, "what_does_not_depend_on_it_is_answered"))
def test_what_does_not_depend_on_it_is_answered(source: str) -> None:
    assert ask(source) == ""


@each(*OPTIONAL_INSIDE)
def test_an_optional_value_in_another_is_refused_before_it_ends_the_process(source: str) -> None:
    with pytest.raises(UnevaluableError, match="an optional value in"):
        ask(source)


@each(*rows_of(__file__, "optional_entries_are_none"))
def test_optional_entries_are_none(source: str) -> None:
    assert ask(source) == ""


@cases(*rows_of(__file__, "lists_of_short_texts_are_short"))
def test_lists_of_short_texts_are_short(source: str, is_answered: bool) -> None:
    claims = [{"name": f"n{number}", "value": "v" * 40} for number in range(100)]
    cluster = {**CLUSTER, "status": {"clusterClaims": claims}}
    program, bound = compile_predicate(source), bind_cluster(cluster)
    if is_answered:
        assert program.answer(bound, lambda _namespace, _name: None) == ""
    else:
        with pytest.raises(UnevaluableError, match="lists than are allowed"):
            program.answer(bound, lambda _namespace, _name: None)


READ = {
    "bool": ("true", "false"),
    "double": ("1", "-1.5", "1.25e-3", "NaN"),
    "int": ("-5", "00"),
    "uint": ("5", "00"),
    "duration": ("1h1m1s", "1.5s", "-1.5h", "20ms"),
    "timestamp": ("2026-01-02T03:04:05Z", "2026-01-02T23:04:05.123456-19:59"),
}
REFUSED = {
    "bool": ("", "maybe"),
    "double": ("", "prod", "1.30.0", "1.5Gi"),
    "int": ("", "x", "1500m", "1e3"),
    "uint": ("", "-x"),
    "duration": ("", "1d", "soon", "1.5Gi"),
    "timestamp": ("", "10", "1.30.0", "2026"),
}
READ_BY_ONE = {
    "bool": ("T", "1", "tRUE", " true"),
    "double": ("1_000", "0x1p-2", " 1", ".5", "1.", "+nan", "inf"),
    "int": ("+5", " 5", "1_000", "5\\n"),
    "uint": ("+5", "-1"),
    "duration": ("1µs", "1\u03bcs", ".5s", "0", "inf", "9300000000s"),
    "timestamp": ("2026-01-02T03:04:05,5Z", "2026-01-02t03:04:05z", "2026-01-02T23:59:60Z"),
}
"""Texts that Go's functions read otherwise than the library, or only one of them."""


@each(*READ)
def test_texts_that_both_read_are_read(kind: str) -> None:
    for text in READ[kind]:
        assert ask(f"{kind}('{text}') == {kind}('{text}') || '{text}' == 'NaN'") == "", text


@each(*REFUSED)
def test_texts_that_neither_reads_are_an_error(kind: str) -> None:
    for text in REFUSED[kind]:
        assert ask(f"{kind}('{text}') != {kind}('')") not in {"", "it is not true"}, text


@each(*READ_BY_ONE)
def test_texts_that_may_be_read_otherwise_are_told(kind: str) -> None:
    for text in READ_BY_ONE[kind]:
        with pytest.raises(UnevaluableError, match=f"what is read as {kind}"):
            ask(f"{kind}('{text}') == {kind}('{text}')")


@each(*rows_of(__file__, "what_the_library_may_answer_otherwise_is_told"))
def test_what_the_library_may_answer_otherwise_is_told(source: str) -> None:
    with pytest.raises(UnevaluableError) as raised:
        ask(source)
    assert type(raised.value) is UnevaluableError


@cases(*rows_of(__file__, "a_syntax_error_is_told_in_plain_words_with_its_place"))
def test_a_syntax_error_is_told_in_plain_words_with_its_place(source: str, message: str) -> None:
    with pytest.raises(NotCompiledError) as raised:
        compile_predicate(source)
    assert str(raised.value) == f"Syntax error: {message}"
