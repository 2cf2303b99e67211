"""The target selectors that policies have."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from spokerender.model.selectors import EVERYTHING, LabelSelector


class TargetSelector(Struct, frozen=True):
    """One of `targetSelectors[]`: the labels of the targets, and the namespaces they are in.

    `source` is `Same` (the default), `All` or `Selector` (`namespaces.from` of Envoy Gateway).
    With `gateway_class` it selects what the Gateways of a class generate, by the label that has
    the class's name; of these only those of `names`, if there are any. With `scope` it selects
    the default Gateways of that scope.
    """

    labels: LabelSelector
    source: str = "Same"
    namespaces: LabelSelector = EVERYTHING
    gateway_class: str = ""
    names: tuple[str, ...] = ()
    scope: str = ""

    def matches(
        self, labels: Mapping[str, str], name: str = "", gateway_class: str = "", scope: str = ""
    ) -> bool:
        """Whether a target with these labels is selected, a Gateway by its class and scope too."""
        return (
            self.labels.matches(labels)
            and self.gateway_class in ("", gateway_class)
            and self.scope in ("", scope)
            and (not self.names or name in self.names)
        )

    def admits_namespace(self, own: str, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether the policy of namespace `own` looks into `namespace`, which has `labels`."""
        match self.source:
            case "All":
                return True
            case "Selector":
                return self.namespaces.matches(labels)
        return self.source == "Same" and namespace == own
