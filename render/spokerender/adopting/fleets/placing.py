"""Make the rules that place the hub's Gateways: on which spokes, with which names and hostnames."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from spokerender.adopting.fleets.assembling import Assembly
from spokerender.adopting.fleets.deciding import Decider, are_few
from spokerender.adopting.fleets.gathering import AssembledObject, Form
from spokerender.formats.comparing import fingerprint
from spokerender.kinds.fields import find_values, read_value
from spokerender.model import FieldPath, grouped
from spokerender.model.shapes import as_mappings, as_text
from spokerender.model.slots import NAME, fill
from spokerender.rendering.retarget.hostnames import mapped

_CLASS = ("spec", "gatewayClassName")
_NAME = "{{ spoke.name }}"
_Hosts = Mapping[str, str]
"""The hostnames of clusters, by cluster, that correspond to one hostname of the hub."""


class Placer:
    """Makes the rules of the placement that give each cluster its Gateways."""

    def __init__(self, assembly: Assembly, decider: Decider) -> None:
        self._assembly = assembly
        self._decider = decider
        self._moved = {
            (cluster, item.ref.namespace)
            for item in assembly.objects.values()
            for cluster, form in item.forms.items()
            if self._assembly.read(form).is_route
            and fill(form.ref.namespace, {NAME: cluster}) != item.ref.namespace
        }

    def place(self) -> list[dict[str, Any]]:
        """Return the rules; Gateways that need equal rules share them."""
        shared: dict[str, dict[str, Any]] = {}
        selections = self._decider.selections
        for gateway in self._assembly.gateways:
            hostnames = self._map_hostnames(gateway)
            classes = {
                name: as_text(read_value(form.object, _CLASS))
                for name, form in gateway.forms.items()
            }
            self._decider.note(gateway.ref, _CLASS, classes)
            ways = grouped(
                (fingerprint(way := self._describe(gateway, name, hostnames)), (name, way))
                for name in selections.names
                if name in gateway.names
            )
            for alike in ways.values():
                spokes = selections.select([name for name, _ in alike], selections.names)
                rest = {"spokes": spokes, **alike[0][1]}
                rule = shared.setdefault(fingerprint(rest), {"gateways": {"names": []}, **rest})
                rule["gateways"]["names"].append(gateway.ref.full_name)
        return list(shared.values())

    def _describe(
        self, gateway: AssembledObject, cluster: str, hostnames: _Hosts
    ) -> Mapping[str, Any]:
        """Return a Gateway's rule for a cluster, without the fields for Gateways and spokes."""
        own, hub, form = gateway.names[cluster], gateway.ref, gateway.forms.get(cluster)
        pairs = {"name": (own.name, hub.name), "namespace": (own.namespace, hub.namespace)}
        if form is not None:
            classes = (read_value(each, _CLASS) for each in (form.object, gateway.content_on_hub()))
            own_class, of_hub = map(as_text, classes)
            pairs["gatewayClassName"] = own_class, of_hub
        changes: dict[str, Any] = {
            key: text.replace(NAME, _NAME)
            for key, (text, on_hub) in pairs.items()
            if text and fill(text, {NAME: cluster}) != on_hub
        }
        if form is None and (listeners := self._match_listeners(gateway, cluster)):
            changes["listeners"] = listeners
        if hostnames:
            changes["hostnames"] = hostnames
        return {
            **({"mode": "existing"} if form is None else {}),
            **({"routes": "follow"} if (cluster, hub.namespace) in self._moved else {}),
            **({"as": changes} if changes else {}),
        }

    def _match_listeners(self, gateway: AssembledObject, cluster: str) -> list[dict[str, Any]]:
        """Return the cluster's listeners, with the hub's name in `for`; empty if none differs."""
        votes = Counter[tuple[str, str]]()
        for item in self._list_attached(gateway):
            if item.source and (form := item.forms.get(cluster)):
                on_hub = self._list_sections(item.source, item.source.cluster)
                votes.update(zip(on_hub, self._list_sections(form, cluster), strict=False))
        names: dict[str, str] = {}
        # One policy may hang on another listener there: most of them say which one it is.
        for (one, other), _ in votes.most_common():
            if one not in names and other not in names.values():
                names[one] = other
        if all(one == other for one, other in names.items()):
            return []
        listeners = as_mappings(read_value(gateway.content_on_hub(), ("spec", "listeners")))
        fields = ("hostname", "port", "protocol", "allowedRoutes")
        return [
            {
                "name": names[item["name"]],
                "for": item["name"],
                **{key: item[key] for key in fields if key in item},
            }
            for item in listeners
            if item.get("name") in names
        ]

    def _list_sections(self, form: Form, cluster: str) -> list[str]:
        links = self._assembly.read(form).attachments
        return [fill(section, {NAME: cluster}) for link in links for section in link.sections]

    def _list_attached(self, gateway: AssembledObject) -> list[AssembledObject]:
        """Return the objects of the hub that refer to a Gateway."""
        return [
            item
            for item in self._assembly.objects.values()
            if item.source and item.ref != gateway.ref
            if not self._assembly.gateways_of(item.source).isdisjoint(gateway.names.values())
        ]

    def _map_hostnames(self, gateway: AssembledObject) -> dict[str, str]:
        """Return hostnames of the hub with templates for spokes, if they fix enough fields."""
        items = (gateway, *self._list_attached(gateway))
        pairs = [pair for item in items for pair in _pair_hostnames(item)]
        rules: dict[str, str] = {}
        for key, hosts in _find_suffixes(pairs).items():
            differing = sum(host != key for host in hosts.values())
            # A rule for few clusters has to explain more than the drift of one hostname.
            most = differing if are_few(differing, len(gateway.names)) else 0
            if _count_gain(key, hosts, pairs) > most:
                start = "*." if key.startswith("*.") else ""
                own = {name: hosts.get(name, key).removeprefix(start) for name in gateway.names}
                distinct = {*own.values()}
                is_one = len(distinct) == 1
                text = distinct.pop() if is_one else self._decider.express(own, "domain")
                rules[key] = f"{start}{text}"
        return rules


def _pair_hostnames(item: AssembledObject) -> Iterator[tuple[str, _Hosts]]:
    """Yield each hostname of the hub with the hostnames at the same field path on clusters."""
    on_clusters = {
        name: fill(_list_hostnames(form.object), {NAME: name}) for name, form in item.forms.items()
    }
    for path, hostname in _list_hostnames(item.content_on_hub()).items():
        yield hostname, {name: of[path] for name, of in on_clusters.items() if path in of}


def _list_hostnames(data: Mapping[str, Any]) -> dict[FieldPath, str]:
    """Return the hostnames of a Gateway's listeners, or of a route, by their field paths."""
    patterns = ("spec.listeners[].hostname", "spec.hostnames[]")
    every = (pair for pattern in patterns for pair in find_values(data, pattern))
    return {path: host for path, host in every if host and isinstance(host, str)}


def _find_suffixes(pairs: Iterable[tuple[str, _Hosts]]) -> Mapping[str, _Hosts]:
    """Return the hostnames on clusters by the hub's hostname, if any of them differs.

    `*.` replaces the first labels that are equal in all of these hostnames.
    """
    suffixes: dict[str, dict[str, str]] = {}
    for hostname, hosts in pairs:
        every = [hostname, *hosts.values()]
        labels = [host.split(".") for host in every]
        equal = len([*takewhile(lambda each: len(set(each)) == 1, zip(*labels, strict=False))])
        first = min(equal, min(map(len, labels)) - 1)
        key, *cut = ["*." + ".".join(each[first:]) for each in labels] if first else every
        # A rule maps wildcards to wildcards, and names to names.
        if len(set(every)) > 1 and len({host.startswith("*.") for host in (key, *cut)}) == 1:
            suffixes[key] = {**dict(zip(hosts, cut, strict=True)), **suffixes.get(key, {})}
    return suffixes


def _count_gain(key: str, hosts: _Hosts, pairs: Iterable[tuple[str, _Hosts]]) -> int:
    """Return how many hostnames a rule makes right, minus how many it makes wrong."""
    return sum(
        (now == own) - (hostname == own)
        for hostname, of in pairs
        for name, own in of.items()
        if (now := mapped(hostname, ((key, hosts.get(name, key)),))) is not None
    )
