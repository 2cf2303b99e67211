"""The gateways of one spoke, with the expressions of their rules evaluated.

Slots replace values that differ between spokes (`rendering.holding`), so that a thousand spokes
with equally placed gateways have equal values and are rendered once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes.placement import BAD_TEMPLATE, BAD_VALUE, PLACED_TWICE
from spokerender.findings.phrasing import describe
from spokerender.findings.results import FindingKind, Result
from spokerender.formats.templating.template import Template, is_template
from spokerender.formats.templating.values import TemplateProblem
from spokerender.model import SERVICE, JsonValue, PlacedGateway, Ref, Spoke, names
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json, strings_in
from spokerender.model.spokes import NO_LISTENERS
from spokerender.rendering.expressions import Expressions, evaluate_texts
from spokerender.rendering.holding import Slots, SpokeSlots
from spokerender.rendering.values.placement import (
    NO_SELECTION,
    OPEN_LISTENER,
    Decision,
    GatewayChanges,
    Rule,
)
from spokerender.topology.graph import Topology

# multicluster-gateway-controller ffb4c740, reconcileDownstreamFromUpstreamGateway.
MGC_NAMESPACE_PREFIX = "kuadrant-"
MGC_MANAGED_LABEL = ("kuadrant.io/managed", "true")
_OPEN = SpokeSlots(Slots(None))
"""Replaces nothing with slots."""


def implied_texts(namespaces: Iterable[str]) -> set[str]:
    """Return the values that `naming: kuadrant-mgc` may add for gateways in these namespaces."""
    return {MGC_MANAGED_LABEL[1], *(f"{MGC_NAMESPACE_PREFIX}{name}" for name in namespaces)}


class Assigner:
    """Evaluates the placement rules, spoke by spoke."""

    def __init__(self, decision: Decision, hub: Topology) -> None:
        self._decision = decision
        self._hub = hub
        self._compiled: Callable[[str], Template] = Expressions()
        self._plain = frozenset(
            rule.number
            for rule in decision.rules
            if not any(map(is_template, strings_in(rule.placed_as.written)))
        )
        # A rule without expressions places a gateway equally on all spokes.
        self._constant: dict[tuple[int, Ref], PlacedGateway] = {}

    def assign(
        self, spoke: Spoke, slots: SpokeSlots
    ) -> tuple[tuple[PlacedGateway, ...], tuple[Result, ...]]:
        """Return the gateways on a spoke, sorted by hub identity, and the faults.

        Values that differ between spokes are put into `slots`.
        """
        faults: list[Result] = []
        placed: dict[Ref, PlacedGateway] = {}
        for gateway, rule in self._decision.gateways_on(spoke.name):
            if gateway in placed:
                first = self._decision.rules[placed[gateway].rule]
                message = f"already placed on this spoke by the rule at {first.origin}"
                cure = "make the two rules' spokes disjoint"
                faults.append(rule.result(PLACED_TWICE, message, cure, ref=gateway))
                continue
            placed[gateway] = self._place(gateway, rule, spoke, slots, faults)
        # Sorted, as spokes with equal placements share their results: the order of rules must not
        # matter.
        return tuple(placed[gateway] for gateway in sorted(placed)), tuple(faults)

    def _place(
        self, gateway: Ref, rule: Rule, spoke: Spoke, slots: SpokeSlots, faults: list[Result]
    ) -> PlacedGateway:
        key = (rule.number, gateway)
        if key in self._constant:
            return self._constant[key]
        evaluation = _Evaluation(rule, self._context(gateway, spoke), self._compiled)
        plain = rule.number in self._plain
        # Without expressions no value differs between spokes.
        placed = _placed(gateway, rule, evaluation, _OPEN if plain else slots)
        stand_in = self._hub.nodes[gateway]
        if rule.existing and not placed.listeners.data and not stand_in.gateway_class:
            names = [{"name": item.name, **OPEN_LISTENER} for item in stand_in.listeners]
            placed = replace(placed, listeners=JsonValue.of(names))
        faults += evaluation.results
        if plain and not evaluation.results:
            self._constant[key] = placed
        return placed

    def _context(self, gateway: Ref, spoke: Spoke) -> dict[str, Any]:
        node = self._hub.nodes[gateway]
        return {
            "spoke": spoke.context,
            "gateway" if node.is_gateway else "service": {
                "name": gateway.name,
                "namespace": gateway.namespace,
                "labels": dict(node.labels),
                "gatewayClassName": node.gateway_class,
            },
        }


class _Evaluation:
    def __init__(
        self, rule: Rule, context: Mapping[str, Any], compiled: Callable[[str], Template]
    ) -> None:
        self._rule = rule
        self._context = context
        self._compiled = compiled
        self.results: list[Result] = []

    def value(self, written: Json, *field: str | int) -> Json:
        """Return the value `written` at `field` of the rule with its expressions evaluated."""

        def evaluated(text: str, place: FieldPath) -> Json:
            try:
                return self._compiled(text).evaluate(self._context)
            except TemplateProblem as problem:
                self.refuse(BAD_TEMPLATE, str(problem), *field, *place)
                return "invalid"

        return evaluate_texts(written, evaluated)

    def text(
        self, text: str | None, field: FieldPath, fault: Callable[[str], str], default: str = ""
    ) -> str:
        """Return a text with its expressions evaluated, or `default` if something is wrong.

        `fault` returns what is wrong with a text, or an empty text.
        """
        if text is None:
            return default
        count = len(self.results)
        value = self.value(text, *field)
        if len(self.results) > count:
            # A finding refuses the build; with some text, the other fields are evaluated as well.
            return default or "invalid"
        message = (
            fault(value)
            if isinstance(value, str)
            else f"must be a string, but is {describe(value)}"
        )
        if message:
            self.refuse(BAD_VALUE, message, *field)
            return default or "invalid"
        return str(value)

    def refuse(self, kind: FindingKind, message: str, *field: str | int) -> None:
        """Add a finding about a field of the rule's `as`."""
        cure = "correct the rule, or the spoke's labels and values that it uses"
        self.results.append(self._rule.result(kind, message, cure, ("as", *field)))


def _placed(gateway: Ref, rule: Rule, evaluation: _Evaluation, slots: SpokeSlots) -> PlacedGateway:
    is_service = (gateway.group, gateway.kind) == SERVICE
    placed_as = _list_changes(rule) if is_service else rule.placed_as
    mgc = placed_as.is_mgc
    default_namespace = f"{MGC_NAMESPACE_PREFIX if mgc else ''}{gateway.namespace}"
    name = evaluation.text(placed_as.name, ("name",), names.subdomain_fault, gateway.name)
    namespace = evaluation.text(
        placed_as.namespace or default_namespace,
        ("namespace",),
        names.label_fault,
        default_namespace,
    )
    gateway_class = evaluation.text(
        placed_as.gateway_class, ("gatewayClassName",), names.subdomain_fault
    )
    labels = dict([MGC_MANAGED_LABEL]) if mgc else {}
    listeners = _listeners(placed_as.listeners, evaluation, slots)
    hostnames = []
    # Sorted, as spokes with equal pairs share their results.
    for key, text in sorted(placed_as.hostnames.items()):
        field = ("hostnames", key)
        value = evaluation.text(text, field, names.hostname_fault, default=key)
        # `hostnames.mapped` puts the labels that the star matches before the value's suffix.
        if key.startswith("*.") != value.startswith("*."):
            message = f'"{key}" and "{value}": a wildcard maps to a wildcard only'
            evaluation.refuse(BAD_VALUE, message, *field)
            value = key
        hostnames.append((key, slots.text(value)))
    return PlacedGateway(
        hub=gateway,
        ref=Ref(gateway.group, gateway.kind, slots.text(namespace), slots.text(name)),
        rule=rule.number,
        existing=rule.existing or is_service,
        gateway_class=slots.text(gateway_class) if gateway_class else "",
        hostnames=tuple(hostnames),
        labels=_pairs(
            {**labels, **placed_as.labels}, "labels", names.label_value_fault, evaluation, slots
        ),
        annotations=_pairs(placed_as.annotations, "annotations", lambda _: "", evaluation, slots),
        listeners=listeners,
        allowed_routes=JsonValue.of(placed_as.allowed_routes),
        routes_follow=rule.routes_follow,
        sections=tuple(
            (hub_name, listener["name"])
            for hub_names, listener in zip(placed_as.hub_listeners, listeners.data, strict=False)
            for hub_name in hub_names
        ),
    )


def _list_changes(rule: Rule) -> GatewayChanges:
    """Return the changes for a rule's Services: name and namespace; none if it places gateways."""
    if rule.gateways != NO_SELECTION:
        return GatewayChanges()
    return GatewayChanges(rule.placed_as.name, rule.placed_as.namespace)


def _listeners(
    entries: Sequence[Mapping[str, Any]], evaluation: _Evaluation, slots: SpokeSlots
) -> JsonValue:
    """Return the evaluated listeners; no listener at all if one of them is wrong."""
    count = len(evaluation.results)
    listeners = [evaluation.value(entry, "listeners", i) for i, entry in enumerate(entries)]
    for index, listener in enumerate(listeners):
        name = listener["name"]
        fault = "" if isinstance(name, str) and name else f"must be a name, but is {describe(name)}"
        if not fault and name in [other["name"] for other in listeners[:index]]:
            fault = f'two listeners are named "{name}"'
        if fault:
            evaluation.refuse(BAD_VALUE, fault, "listeners", index, "name")
    if len(evaluation.results) > count:
        return NO_LISTENERS
    return JsonValue.of(
        [
            _hold_strings(listener, slots, entry)
            for listener, entry in zip(listeners, entries, strict=True)
        ]
    )


def _pairs(
    texts: Mapping[str, str | None],
    field: str,
    fault: Callable[[str], str],
    evaluation: _Evaluation,
    slots: SpokeSlots,
) -> tuple[tuple[str, str | None], ...]:
    return tuple(
        (key, None if text is None else slots.text(evaluation.text(text, (field, key), fault)))
        for key, text in sorted(texts.items())
    )


def _hold_strings(value: Json, slots: SpokeSlots, written: Json) -> Json:
    """Return `value` with slots for texts that differ from `written`: results of expressions."""
    if isinstance(value, str):
        return value if value == written else slots.text(value)
    if isinstance(value, dict) and isinstance(written, Mapping):
        return {key: _hold_strings(item, slots, written[key]) for key, item in value.items()}
    if isinstance(value, list) and isinstance(written, list):
        return [_hold_strings(a, slots, b) for a, b in zip(value, written, strict=True)]
    return value
