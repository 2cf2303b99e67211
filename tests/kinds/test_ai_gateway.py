"""Envoy AI Gateway: its routes ship, and what is for them."""

from tests.support import end_to_end as e2e, rows_of, text_of

HUB = text_of(__file__, "ai_gateway_hub.yaml")
KINDS = rows_of(__file__, "kinds")


def test_all_of_it_ships_and_the_route_that_its_controller_makes_is_not_missed() -> None:
    found = e2e.built(
        {
            "hub/all.yaml": HUB,
            "fleet.yaml": e2e.fleet(*KINDS),
            "placement.yaml": e2e.everywhere("infra/web"),
        }
    )
    assert sorted(e2e.objects(found)) == sorted(
        rows_of(__file__, "all_of_it_ships_and_the_route_that_its_controller_makes_is_not_missed")
    )
