"""Services of a mesh, which rules place as they place Gateways."""

from typing import Any

from spokerender.kinds.fields import read_value
from spokerender.model import GATEWAY_API
from tests.support import cases, end_to_end as e2e, rows_of, text_of

KINDS = (
    *((GATEWAY_API, kind) for kind in ("HTTPRoute", "BackendTLSPolicy", "ReferenceGrant")),
    ("security.istio.io", "RequestAuthentication"),
)


def found(rules: str, *kinds: tuple[str, str]) -> Any:
    return e2e.rendered(
        {
            "fleet.yaml": e2e.fleet(*KINDS, *kinds),
            "placement.yaml": e2e.placement("[{name: s1}]", f"[{rules}]"),
            "hub/hub.yaml": f"{e2e.WEB}---\n{text_of(__file__, 'services.yaml')}",
        }
    )


@cases(*rows_of(__file__, "what_goes_along"))
def test_what_goes_along(rules: str, objects: list[str]) -> None:
    assert list(e2e.objects(found(rules))) == objects


@cases(*rows_of(__file__, "what_names_a_service"))
def test_what_names_a_service(rules: str, fields: dict[str, Any]) -> None:
    """Of a Service that is called otherwise on the spoke: by each object, with the field."""
    objects = e2e.objects(found(rules, ("", "Service")))
    for place, value in fields.items():
        name, _, path = place.rpartition(" ")
        steps = (int(step) if step.isdigit() else step for step in path.split("."))
        assert read_value(objects[name], tuple(steps)) == value, place


@cases(*rows_of(__file__, "what_is_wrong"))
def test_what_is_wrong(rules: str, messages: list[str]) -> None:
    assert [result.message for result in e2e.errors(found(rules).results)] == messages


def test_what_is_on_a_service_that_no_rule_places_says_how_to_place_it() -> None:
    results = found("{gateways: {all: true}, spokes: {all: true}}").results
    (cure,) = (result.cure for result in results if result.code == "SR1513")
    assert cure == (
        "place the Service by a rule (services: {names: [bank/pay]}), attach it to a Gateway that "
        "is placed, or take it out of the hub"
    )
