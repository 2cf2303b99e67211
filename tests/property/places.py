"""Where the gateways of a generated fleet are on a spoke, worked out from its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spokerender.model import GATEWAY_API
from tests.property.attachments import Key
from tests.property.hubs import Object
from tests.property.oracle import evaluated
from tests.property.worlds import World


@dataclass(frozen=True)
class Places:
    """Where the gateways of a hub are on one spoke: its rule's `as`, by the hub's gateway."""

    by_hub: Mapping[Key, Object]
    own: frozenset[Key]

    @classmethod
    def of(cls, world: World, spoke: Object) -> Places:
        """Which rule places which."""
        found: dict[Key, Object] = {}
        own: set[Key] = set()
        for rule in world.rules:
            if spoke["name"] not in rule["spokes"].get("names", [spoke["name"]]):
                continue
            namespace, _, name = rule["gateways"]["names"][0].partition("/")
            hub = (GATEWAY_API, "Gateway", namespace, name)
            found[hub] = evaluated(rule.get("as", {}), {"spoke": spoke})
            own |= {hub} if rule.get("mode") == "existing" else set()
        return cls(found, frozenset(own))

    def landed(self, hub: Key) -> Key:
        """What a placed gateway is called there."""
        as_ = self.by_hub[hub]
        return (*hub[:2], as_.get("namespace", hub[2]), as_.get("name", hub[3]))

    def existing(self) -> list[Object]:
        """The gateways that the spoke has of its own, with the listeners of all their rules."""
        made: dict[Key, Object] = {}
        for hub in sorted(self.own):
            as_, key = self.by_hub[hub], self.landed(hub)
            spec: Object = {"listeners": []}
            item = {
                "apiVersion": f"{GATEWAY_API}/v1",
                "kind": "Gateway",
                "metadata": {"namespace": key[2], "name": key[3]},
                "spec": spec,
            }
            spec = made.setdefault(key, item)["spec"]
            names = [each["name"] for each in spec["listeners"]]
            spec["listeners"] += [each for each in as_["listeners"] if each["name"] not in names]
        return list(made.values())
