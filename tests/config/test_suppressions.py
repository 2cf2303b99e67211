"""`spec.suppressions`: what may be written there."""

from collections.abc import Callable

from spokerender.config.fleet import FleetFile
from spokerender.findings.codes.table import FINDING_KINDS
from spokerender.findings.suppressions import instead_of_suppressing
from tests.config.conftest import Problem
from tests.support import cases, each, rows_of

Load = Callable[[str], FleetFile]
Problems = Callable[[str], list[Problem]]
CODE = "spec.suppressions[0].code"


def suppression(code: str = "SR1404", resource: str = "Gateway/infra/web", more: str = "") -> str:
    entry = f"{{code: {code}, resource: {resource}, reason: known{more}}}"
    return f"spec:\n  suppressions:\n    - {entry}\n"


@each(*rows_of(__file__, "an_object_is_named_as_for_kubectl"))
def test_an_object_is_named_as_for_kubectl(resource: str, fleet: Load) -> None:
    (found,) = fleet(suppression(resource=resource)).spec.suppressions
    assert (found.resource, found.spoke) == (resource, None)


@each("web", "Gateway", "Gateway/a/b/c", "Gateway//web", "/infra/web")
def test_anything_else_names_no_object(resource: str, fleet_problems: Problems) -> None:
    (problem,) = fleet_problems(suppression(resource=resource))
    assert problem[0] == "spec.suppressions[0].resource"
    assert problem[2].startswith("must be an object such as AuthPolicy/namespace/name")


def test_a_reason_is_needed(fleet_problems: Problems) -> None:
    problems = fleet_problems("spec: {suppressions: [{code: SR1404, resource: Gateway/a/b}]}")
    assert problems == [
        (
            "spec.suppressions[0].reason",
            1,
            'the key "reason" is missing',
            "add reason: why it is accepted",
        )
    ]


@cases(("sr1404", 'did you mean "SR1404"?'), ("X", "spokerender rules lists every code"))
def test_an_unknown_code(code: str, cure: str, fleet_problems: Problems) -> None:
    message = f'no finding has the code "{code}"'
    assert fleet_problems(suppression(code)) == [(CODE, 3, message, cure)]


def test_what_can_not_be_suppressed(fleet_problems: Problems) -> None:
    for code, cure in ((kind.code, instead_of_suppressing(kind.code)) for kind in FINDING_KINDS):
        if cure:
            refused = (CODE, 3, f"{code} can't be suppressed", cure)
            assert fleet_problems(suppression(code)) == [refused]


def test_deletions_have_their_own_acknowledgement(fleet_problems: Problems) -> None:
    (problem,) = fleet_problems(suppression("SR1901"))
    assert "spec.deletions" in problem[3]


def test_everything_else_can_be(fleet: Load) -> None:
    codes = [kind.code for kind in FINDING_KINDS if not instead_of_suppressing(kind.code)]
    entries = [f"{{code: {code}, kind: Gateway, reason: accepted}}" for code in codes]
    found = fleet(f"spec: {{suppressions: [{', '.join(entries)}]}}\n").spec.suppressions
    assert [each.code for each in found] == codes


@cases(*rows_of(__file__, "what_an_entry_is_about"))
def test_what_an_entry_is_about(entry: str, message: str, fleet_problems: Problems) -> None:
    ((_, _, said, _),) = fleet_problems(f"spec:\n  suppressions:\n    - {entry}\n")
    assert message in said


def test_an_entry_about_several_objects(fleet: Load) -> None:
    entry = "{code: SR2210, kind: HTTPRoute, namespace: site, reason: x}"
    (found,) = fleet(f"spec:\n  suppressions:\n    - {entry}\n").spec.suppressions
    assert (found.resource, found.kind, found.namespace) == (None, "HTTPRoute", "site")


def test_two_objects_in_one_file_can_not_be_suppressed(fleet_problems: Problems) -> None:
    ((_, _, message, _),) = fleet_problems(suppression("SR1507"))
    assert message == "SR1507 can't be suppressed"
