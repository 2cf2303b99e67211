"""Guarded requests without a test, and the tests of the requests that a consequence is about."""

from msgspec.structs import replace

from spokerender.findings.codes.review import ACCESS_REMOVED
from spokerender.judging.fleet.judged import Aspect
from spokerender.pipeline import judge
from spokerender.report.describing import describe_tests
from spokerender.requests.covering import RequestCoverage
from spokerender.review.values import Consequence, ConsequencePath, Topic
from spokerender.topology.matches import read_matches
from spokerender.topology.requests import find_rule_paths
from tests.requests.asking import PROJECT, written
from tests.support import case, cases, end_to_end as e2e

PAY = "POST https://api.{{ spoke.values.domain }}/pay/1"
TEST = "{{name: {}, request: '{}', expect: {{anonymous: refused}}{}}}"
RENDERED = e2e.rendered(PROJECT)
FLEET = judge(RENDERED, (), Aspect.STATES)


def cover(*tests: str) -> RequestCoverage:
    return RequestCoverage(RENDERED, FLEET, written(*tests) if tests else ())


def test_guarded_requests_without_a_test_are_listed_once_for_spokes_that_are_alike() -> None:
    (pay,) = cover().find_uncovered()
    assert (pay.rule.section_name, pay.match) == ("pay", "POST PathPrefix /pay")
    assert pay.hostnames == ("api.{{ spoke.values.domain }}",)
    assert pay.who[0].startswith("jwt of https://id.example/customers")
    assert pay.spokes == ("dev", "eu", "us")


@cases(
    case("on all spokes", PAY, "", ()),
    case("on one spoke", PAY, ", spokes: {names: [us]}", ("dev", "eu")),
    case("by another method", PAY.replace("POST", "GET"), "", ("dev", "eu", "us")),
)
def test_a_test_covers_the_rule_that_takes_its_request(
    asked: str, more: str, left: tuple[str, ...]
) -> None:
    uncovered = cover(TEST.format("a", asked, more)).find_uncovered()
    assert tuple(name for each in uncovered for name in each.spokes) == left


def make_consequence() -> Consequence:
    """A consequence about all rules of the hub's route, on all spokes."""
    topology = FLEET.judged["eu"].judgement.topology
    places = tuple(
        ConsequencePath(path.levels, read_matches(topology.nodes[path.levels[-2]])[path.rule])
        for path in find_rule_paths(topology)
    )
    return Consequence(
        replace(ACCESS_REMOVED.result("it is open"), spokes=("dev", "eu", "us")),
        Topic.ACCESS,
        places,
        hostnames=tuple(f"api.{name}.example" for name in ("dev", "eu", "us")),
        example=PAY,
    )


def test_a_consequence_names_the_tests_of_its_requests_and_the_paths_without_any() -> None:
    elsewhere = TEST.format("b", PAY.replace("api.", "other."), "")
    item = cover(TEST.format("a", PAY, ", spokes: {names: [us]}"), elsewhere).name_tests(
        make_consequence()
    )
    assert item.tests == ("a",)
    assert {path.levels[-1].section_name for path in item.untested} == {
        path.levels[-1].section_name for path in item.places
    } - {"pay"}
    assert describe_tests(item).startswith(
        'tests that pass: "a"; no test covers HTTPRoute shop/api ['
    )


def test_a_consequence_says_which_of_its_tests_fail() -> None:
    served = TEST.replace("refused", "served")
    tests = [form.format(name, PAY, "") for form, name in ((served, "a"), (TEST, "b"))]
    item = cover(*tests).name_tests(make_consequence())
    assert describe_tests(item).startswith(
        'tests of these requests that fail: "a"; tests that pass: "b"; no test covers'
    )


def test_a_consequence_without_a_test_says_so() -> None:
    assert describe_tests(cover().name_tests(make_consequence())) == "no test covers these requests"


def test_a_consequence_about_no_request_says_nothing_of_tests() -> None:
    item = replace(make_consequence(), example="")
    assert cover().name_tests(item) == item
    assert describe_tests(item) == ""
