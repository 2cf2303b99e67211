"""The cells of two states, held against every request over a small alphabet."""

from itertools import product

from hypothesis import given, settings, strategies as st

from spokerender.judging.answers import find_request_ways
from spokerender.model import Ref
from spokerender.review.comparison.overlay import Cell
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SpokeView
from spokerender.topology.matches import Request
from tests.review.meaning.scenes import PLACE, SYNC, gateway, hub, route, state
from tests.support import cases, each, rows_of
from tests.support.profiles import examples

Rules = tuple[Ref, ...]
"""The rules that may take a request."""
NAMES = ("a.shop.example", "*.shop.example", "*.b.shop.example", "*.example", "")
PATHS = ("", *(f"PathPrefix {path}" for path in ("/", "/a", "/a/b")), "Exact /a", "Exact /")
ALPHABET = tuple(
    Request("http", host, 80, method, path, {}, headers)
    for host, path, (method, headers) in product(
        ("a.shop.example", "c.b.shop.example", "c.d.shop.example", "elsewhere.test"),
        ("/", "/a", "/a/b/c", "/ab"),
        (("GET", {}), ("POST", {"x": "1"}), ("PUT", {"x": "2"}), ("GET", {"x": "1", "z": "1"})),
    )
)


@st.composite
def matches(draw: st.DrawFn) -> str:
    kind, _, value = draw(st.sampled_from(PATHS)).partition(" ")
    fields = [f"path: {{type: {kind}, value: {value}}}"] if kind else []
    fields += [f"method: {draw(st.sampled_from(('GET', 'POST')))}"] * draw(st.booleans())
    headers = draw(st.sampled_from(("", "{name: x, value: '1'}", "{name: X, value: '2'}")))
    headers += ", {name: z, value: '1'}" * (bool(headers) and draw(st.booleans()))
    fields += [f"headers: [{headers}]"] if headers else []
    return f"{{{', '.join(fields)}}}"


@st.composite
def routes(
    draw: st.DrawFn,
    names: tuple[str, ...] = ("one", "two", "three"),
    most: int = 2,
    *,
    with_backends: bool = False,
) -> str:
    """Routes of at most so many rules, which may have each a backend of its own."""
    texts = []
    for name in names:
        rules = draw(st.lists(st.lists(matches(), max_size=2), min_size=1, max_size=most))
        own = (
            f"{{name: r{number}, matches: [{', '.join(each)}]"
            + f", backendRefs: [{{name: {name}-r{number}, port: 1}}]" * with_backends
            + "}"
            for number, each in enumerate(rules)
        )
        hosts = draw(st.sampled_from((*NAMES, "a.shop.example, *.b.shop.example")))
        quoted = ", ".join(f"'{host}'" for host in hosts.split(", ") if host)
        texts.append(route(name, quoted, ", ".join(own)))
    return "---\n".join(texts)


LISTENERS = "{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}"


def compare(before: str, after: str, product: str = "eg") -> Successors:
    """Compare two states whose objects have the same names."""
    states = (
        state(hub(product, gateway(product, listeners=LISTENERS), text), PLACE, SYNC)
        for text in (before, after)
    )
    old, new = (each.view(each.bundles["eu"], "eu") for each in states)
    return Successors(old, new)


def follow(view: SpokeView, request: Request) -> Rules:
    """The rules by the one evaluator of requests, the likely one first."""
    ways = find_request_ways(view.topology, request, view.fill)
    return tuple(view.fill(path.levels[-1]) for way in ways for path in way.rules)


def rules_of(cell: Cell) -> tuple[Rules, Rules]:
    before, after = (tuple(way.levels[-1] for way in side) for side in (cell.before, cell.after))
    return before, after


@settings(max_examples=examples(1500, house=8))
@given(routes(), routes(), st.sampled_from(("eg", "traefik")))
def test_every_request_is_in_a_cell_and_every_cell_has_a_request(
    before: str, after: str, product: str
) -> None:
    """The routes are there before and after a change: nobody knows which is older.

    Of several hostnames for a request, Traefik compares the lengths after the matches.
    """
    successors = compare(before, after, product)
    old, new, cells = successors.old, successors.new, successors.cells
    listed = {rules_of(cell) for cell in cells}
    for request in ALPHABET:
        sides = follow(old, request), follow(new, request)
        assert sides in listed or sides == ((), ()), (str(request), sides)
    for cell in cells:
        sides = follow(old, cell.witness), follow(new, cell.witness)
        assert sides == rules_of(cell), (str(cell.witness), sides)
    took = {way.levels for cell in cells for way in cell.before}
    assert took.issuperset(way.levels for way, _ in successors.pairs)


def one_rule(matches: str, kind: str = "HTTPRoute") -> str:
    return route("one", "", f"{{name: r0, matches: [{{{matches}}}]}}").replace("HTTPRoute", kind)


@each(*rows_of(__file__, "the_witness_of_an_expression_is_a_text_for_it"))
def test_the_witness_of_an_expression_is_a_text_for_it(matches: str) -> None:
    successors = compare(one_rule(matches), one_rule(matches))
    old, cells = successors.old, successors.cells
    assert [follow(old, cell.witness) for cell in cells] == [rules_of(cells[0])[0]]


@cases(*rows_of(__file__, "a_text_that_a_match_names_is_held_against_expressions"))
def test_a_text_that_a_match_names_is_held_against_expressions(named: str, expression: str) -> None:
    """No request is for both, so that none goes from one to the other."""
    one, other = (
        f"{{name: {n}, matches: [{{{m}}}]}}" for n, m in (("x", named), ("e", expression))
    )
    successors = compare(route("one", "", f"{one}, {other}"), route("one", "", other))
    rules = {
        tuple(tuple(way.path.rule for way in side) for side in (cell.before, cell.after))
        for cell in successors.cells
    }
    assert rules == {(("x",), ()), (("e",), ("e",))}


@cases(*rows_of(__file__, "no_request_is_for_two_expressions_that_begin_otherwise"))
def test_no_request_is_for_two_expressions_that_begin_otherwise(
    product: str, one: str, other: str, is_for_both: bool
) -> None:
    """Envoy, RouteMatch.safe_regex: all of the path has to match; elsewhere it is any part."""
    rules = [
        f"{{name: {name}, matches: [{{path: {{type: RegularExpression, value: '{value}'}}}}]}}"
        for name, value in (("a", one), ("b", other))
    ]
    before, after = (route("one", "", ", ".join(own)) for own in (rules, rules[1:]))
    successors = compare(before, after, product)
    taken = {
        tuple(way.path.rule for side in (c.before, c.after) for way in side)
        for c in successors.cells
    }
    assert (("a", "b") in taken) is is_for_both


@each(
    "{type: RegularExpression, service: 'sh.*'}", "{type: RegularExpression, method: '(Get|Put)'}"
)
def test_calls_of_grpc_may_be_named_by_expressions(method: str) -> None:
    text = one_rule(f"method: {method}", "GRPCRoute")
    successors = compare(text, text)
    old, cells = successors.old, successors.cells
    assert [follow(old, cell.witness) for cell in cells] == [rules_of(cells[0])[0]] != [()]
