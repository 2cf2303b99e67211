"""Which CRD judges an object on a spoke, and what is said where none can."""

from spokerender.findings.results import Fault
from spokerender.judging.validation.crds import Server
from tests.judging.validation.objects import crd, faults, of_release, schemas, thing
from tests.support import cases, rows_of

STANDARD = of_release("v1.4.1", "standard")
NEWER = of_release("v1.6.1", "standard", "{type: object, properties: {a: {type: string}}}")
EXPERIMENTAL = of_release("v1.6.1", "experimental", "{type: object, properties: {b: {default: x}}}")


def codes(found: tuple[Fault, ...]) -> list[str]:
    return [fault.finding.code for fault in found]


@cases(*rows_of(__file__, "the_crd_of_the_spokes_release_is_taken"))
def test_the_crd_of_the_spokes_release_is_taken(
    server: list[str], spec: str, expected: list[str]
) -> None:
    assert (
        codes(faults(thing(spec), schemas(STANDARD, NEWER, EXPERIMENTAL), Server(*server)))
        == expected
    )


def test_an_ambiguity_names_the_choices_and_the_cure() -> None:
    (found,) = faults(thing(), schemas(STANDARD, NEWER))
    assert found.message == (
        "several CRDs define Thing: v1.4.1 standard (crds/0.yaml:1), "
        "v1.6.1 standard (crds/1.yaml:1)"
    )
    assert "gatewayAPI" in found.cure


def test_equal_crds_are_no_ambiguity() -> None:
    assert faults(thing(), schemas(crd(), crd())) == ()


def test_one_crd_serves_a_spoke_that_says_nothing() -> None:
    assert faults(thing("{a: x}"), schemas(NEWER)) == ()


def test_a_crd_that_is_of_no_release_serves_every_spoke() -> None:
    assert faults(thing(), schemas(crd()), Server("v1.6.1", "standard")) == ()


def test_a_version_that_is_not_served_is_an_error() -> None:
    versions = [
        {"name": "v1", "served": False, "schema": {"openAPIV3Schema": {"type": "object"}}},
        {"name": "v2", "served": True, "schema": {"openAPIV3Schema": {"type": "object"}}},
    ]
    (found,) = faults(thing(), schemas(crd(versions=versions)))
    assert (found.finding.code, found.message, found.cure, found.field) == (
        "SR2306",
        "v1 of Thing.example.com is not served: its CRD serves only v2",
        "use example.com/v2",
        ("apiVersion",),
    )
