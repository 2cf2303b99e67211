"""The settings of controllers: what an entry may say."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.settings import ConfiguredController, find_setting_problems
from spokerender.kinds.table import CONTROLLER_NAMES, find_controller
from tests.support import cases, each, rows_of

ENVOY = "gateway.envoyproxy.io/gatewayclass-controller"
KGATEWAY = "kgateway.dev/kgateway"
APIS = "settings.extensionApis"
BACKEND = "extensionApis.enableBackend"
BOTH = "extensionApis.enableLua and extensionApis.disableLua exclude each other"
MERGES = "ShallowMerge or DeepMerge"
NOBODY = "no controller gateway.envoyproxy.io/gatewayclass-controler"
BY_DEFAULT = ("ShallowMerge", "DeepMerge")


@cases(*rows_of(__file__, "an_entry"))
def test_an_entry(name: str, settings: dict[str, Any], problems: list[str]) -> None:
    assert [
        f"{'.'.join(item.place)}: {item.message} ({item.cure})"
        for item in find_setting_problems(name, settings)
    ] == problems


def test_a_controller_without_settings() -> None:
    (problem,) = find_setting_problems("istio.io/gateway-controller", {})
    assert problem.message == "Istio has no setting that is known to decide about policies"


def test_every_setting_of_a_row_is_one_of_its_controller() -> None:
    for kind in Catalogue.of(()).all_kinds().values():
        paths = {item.path for item in kind.controller.settings}
        asked = {demand.setting for demand in kind.demands if demand.setting}
        asked |= {path for _, path in kind.merged.fields.deep}
        assert asked <= paths
    for name in CONTROLLER_NAMES:
        controller = find_controller(name)
        assert bool(controller.release) is bool(controller.settings)


@each(*BY_DEFAULT)
def test_how_fields_are_merged(value: str) -> None:
    settings = {"policyMerge": {"trafficPolicy": {"extAuth": value}}}
    catalogue = Catalogue.of((), [ConfiguredController(KGATEWAY, settings)])
    fields = catalogue.kind("gateway.kgateway.dev", "TrafficPolicy").merged.fields
    assert ("extAuth" in fields.opaque) is (value == "DeepMerge")
    assert fields.deep == ()
