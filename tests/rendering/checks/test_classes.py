"""A GatewayClass with sync parameters is the hub's own and must not end up on a spoke."""

from tests.support import cases, each, manifest, rows_of
from tests.support.stages import CLASS, GATEWAY, everywhere, render, told

CODE = "SR1306"
NO_DOWNSTREAM = CLASS.replace("    downstreamClass: istio\n", "")
OTHER = manifest("GatewayClass hub", "controllerName: a.example/b")


def found(
    gateway_class: str, as_: str = "{}", mode: str = "create", override: str = ""
) -> list[str]:
    rules = everywhere(as_, mode)
    settings = "policiesToSync: [{group: kuadrant.io, kind: AuthPolicy}]"
    overrides = (
        f"- {{target: {{kind: Gateway}}, spokes: {{names: [eu]}}, merge: {override}}}"
        if override
        else ""
    )
    results = render(
        [gateway_class, GATEWAY], rules, settings=settings, overrides=overrides
    ).results
    return told(results, CODE)


@cases(
    (CLASS, "{}", "create"),
    (NO_DOWNSTREAM, "{gatewayClassName: istio}", "create"),
    (NO_DOWNSTREAM, "{gatewayClassName: 'c-{{ spoke.name }}'}", "create"),
    (NO_DOWNSTREAM, "{listeners: [{name: http}]}", "existing"),
    # A class without sync parameters may be the same everywhere.
    (OTHER, "{}", "create"),
    (OTHER, "{gatewayClassName: hub}", "create"),
)
def test_nothing_to_tell(gateway_class: str, as_: str, mode: str) -> None:
    assert found(gateway_class, as_, mode) == []


MESSAGE = (
    'SR1306 Gateway infra/web spec.gatewayClassName: class "hub" lists the kinds to sync, so it is '
    "the hub's own; the gateway would have it on the spoke too (set `downstreamClass` in the "
    "class's parameters, or `gatewayClassName` in the rule's `as`)"
)


@cases(*rows_of(__file__, "the_hubs_own_class_on_a_spoke_is_an_error"))
def test_the_hubs_own_class_on_a_spoke_is_an_error(gateway_class: str, as_: str) -> None:
    assert found(gateway_class, as_) == [f"{MESSAGE} [eu us]"]


@each("hub", "{{ gateway.name | replace('web', 'hub') }}", "{{ 'hub' }}")
def test_an_override_can_bring_it_about_too(value: str) -> None:
    override = f'{{spec: {{gatewayClassName: "{value}"}}}}'
    assert found(CLASS, override=override) == [f"{MESSAGE} [eu]"]
