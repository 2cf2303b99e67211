"""Generated fleets are rendered, forgotten and adopted: every cluster gets back what it had."""

import json
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from spokerender.adopting.selecting import Selection
from spokerender.formats import yamlio
from spokerender.formats.comparing import is_same_json
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hub import read_hub
from tests.adopting.fleets.test_law import SAMPLES, sample
from tests.support import each, end_to_end as e2e
from tests.support.fleets import Objects, adopt, by_identity, count_lines, rendered_objects
from tests.support.profiles import examples

VENDORS = SAMPLES[:-1]
"""The last has a kind of its own, whose sections only its fleet file says."""
LIST = {"apiVersion": "v1", "kind": "List"}
REGIONS, TIERS = ("ap", "eu", "us"), ("prod", "staging")


class _Maker:
    """Makes one fleet of two to forty clusters, of one vendor's objects."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)  # noqa: S311  (chance, no secret)
        self._hub = deepcopy(sample(VENDORS[seed % len(VENDORS)]))
        read = read_hub([("a.json", json.dumps({**LIST, "items": self._hub}).encode())])
        missing = Selection(read.manifests, read.catalogue).list_missing()
        self._existing = {ref: names for ref, names in missing.items() if ref.kind == "Gateway"}
        size = self._rng.randint(2, 40)
        self._spokes = [self._spoke(number) for number in range(size)]

    def _spoke(self, number: int) -> dict[str, Any]:
        region, tier = REGIONS[number % 3], self._rng.choice(TIERS)
        name = f"{region}-{number // 3 + 1}-{tier}"
        values = {"domain": f"{region}.shop.example", "number": number}
        return {"name": name, "labels": {"region": region, "tier": tier}, "values": values}

    def _select(self) -> dict[str, Any]:
        region, tier = self._rng.choice(REGIONS), self._rng.choice(TIERS)
        return self._rng.choice(
            [
                {"selector": {"matchLabels": {"tier": tier}}},
                {"selector": {"matchLabels": {"region": region}}},
                {"names": [self._rng.choice(self._spokes)["name"]]},
            ]
        )

    def _rules(self) -> Iterator[dict[str, Any]]:
        for gateway in (data for data in self._hub if data["kind"] == "Gateway"):
            meta, listeners = gateway["metadata"], gateway["spec"]["listeners"]
            wild = [item["hostname"] for item in listeners if "*" in item.get("hostname", "")]
            ways: list[dict[str, Any]] = [
                *({}, {}, {"hostnames": dict.fromkeys(wild[:1], "*.{{ spoke.values.domain }}")}),
                *({"name": "front"}, {"name": f"{meta['name']}-{{{{ spoke.name }}}}"}),
                {"namespace": "edge-{{ spoke.labels.region }}"},
            ]
            name = f"{meta['namespace']}/{meta['name']}"
            yield self._rule(name, {"as": self._rng.choice(ways)})
        for ref in self._existing:
            yield self._rule(ref.full_name, {"mode": "existing"})

    def _rule(self, gateway: str, more: dict[str, Any]) -> dict[str, Any]:
        spokes = self._rng.choice([{"all": True}, {"all": True}, self._select()])
        return {"gateways": {"names": [gateway]}, "spokes": spokes, "optional": True, **more}

    def _overrides(self) -> Iterator[dict[str, Any]]:
        policies = [data for data in self._hub if data["kind"].endswith("Policy")]
        for data in self._rng.sample(policies, min(len(policies), self._rng.randint(0, 3))):
            target = {"kind": data["kind"], "name": data["metadata"]["name"]}
            label = self._rng.choice(["{{ spoke.name }}", "a", "{{ spoke.values.number }}"])
            merge = {"metadata": {"labels": {"team": label}}}
            yield {"target": target, "spokes": self._select(), "merge": merge, "optional": True}

    def files(self) -> dict[str, str]:
        """The project, its hub as one file for each object."""
        kinds = {
            (data["apiVersion"].rpartition("/")[0], data["kind"])
            for data in self._hub
            if data["kind"] != "Gateway"
        }
        parts = self._spokes, [*self._rules()], [*self._overrides()]
        hub = {f"hub/{n}.json": json.dumps(data) for n, data in enumerate(self._hub)}
        external = [
            {"kind": ref.kind, "namespace": ref.namespace, "name": ref.name, "listeners": sections}
            for ref, sections in self._existing.items()
        ]
        return {
            "fleet.yaml": e2e.fleet(*sorted(kinds), external=json.dumps(external)),
            "placement.yaml": e2e.placement(*map(json.dumps, parts)),
            **hub,
        }


def _generate(seed: int) -> tuple[dict[str, str], Rendered]:
    """Return the first fleet from a seed on that renders without an error."""
    for attempt in range(50):
        files = _Maker(seed + 1000 * attempt * len(VENDORS)).files()
        found = e2e.rendered(files)
        if not e2e.errors(found.results) and len(_read_clusters(found)) > 1:
            return files, found
    raise AssertionError


def _read_clusters(found: Rendered) -> dict[str, Objects]:
    """The objects of each cluster that has any."""
    clusters = {name: [*e2e.objects(found, name).values()] for name in found.bundles}
    return {name: objects for name, objects in clusters.items() if objects}


@each(*range(examples(60, house=8)))
def test_generated_fleets_come_back_in_few_lines(seed: int) -> None:
    """Vendors, renamed and moved gateways, labels, values, overrides; two to forty clusters."""
    files, found = _generate(seed)
    clusters = _read_clusters(found)
    adopted = adopt(clusters)
    rendered = rendered_objects(adopted)
    told = {(name, ref) for ref, name in adopted.stuck}
    for name, objects in by_identity(clusters).items():
        back = {ref: data for ref, data in objects.items() if (name, ref) not in told}
        assert {ref for ref in rendered[name] if (name, ref) not in told} == back.keys()
        assert all(is_same_json(rendered[name][ref], objects[ref]) for ref in back if ref)
    assert len({ref for _, ref in told}) <= 1  # on whichever clusters it is
    texts = (yamlio.emit(json.loads(text)) for path, text in files.items() if "hub/" in path)
    lines = sum(text.count("\n") for text in texts)
    assert count_lines(adopted) <= 1.5 * (lines + len(clusters) + 10)
