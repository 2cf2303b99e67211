"""The flagship placed by objects of OCM, and the verdicts on Placements of other projects."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from spokerender.formats import yamlio
from spokerender.model import Origin
from spokerender.rendering.values.decisions import DecisionOptions, PlacementLock
from spokerender.wings.hubs.ocm.deciding import decide_all
from spokerender.wings.hubs.ocm.inventory import HubObject, Inventory, read_inventory
from tests.conftest import ROOT
from tests.support import each, rows_of, text_of
from tests.support.ocm import binding, documents, managed, ocm_object
from tests.support.project import rendered_folder

SHOP = ROOT / "examples" / "shop"
EVERYWHERE = 'spokes: {all: true}\n      as:\n        hostnames: {"*.shop.example.com"'
INTERNAL = 'spokes: {selector: {matchLabels: {internal: "true"}}}'


def test_the_shop_placed_by_a_hub_renders_the_same_bytes(tmp_path: Path) -> None:
    """Clusters, labels and decisions come from OCM's objects, values from our own file."""
    shutil.copytree(SHOP, tmp_path / "shop")
    folder = tmp_path / "shop"
    _decide_by_the_hub(folder)
    by_hub, by_us = rendered_folder(folder), rendered_folder(SHOP)
    assert by_hub.decision.placements.keys() == {"gateways/everywhere", "gateways/internal"}
    assert by_hub.tree.folders == by_us.tree.folders
    assert {name: by_hub.tree.files(name) for name in by_hub.tree.folders} == {
        name: by_us.tree.files(name) for name in by_us.tree.folders
    }


def _decide_by_the_hub(folder: Path) -> None:
    """Move labels from the spokes to ManagedClusters, and selectors from rules to Placements."""
    platform = folder / "placement" / "platform.yaml"
    text = platform.read_text(encoding="utf-8")
    entries = yamlio.read(text.encode(), "")[0][0].value["spec"]["spokes"]
    lines = [line for line in text.splitlines() if not line.startswith("      labels: ")]
    text = "\n".join(lines).replace(
        EVERYWHERE, EVERYWHERE.replace("all: true", "placement: gateways/everywhere")
    )
    platform.write_text(_by_placement(text), encoding="utf-8")
    partners = folder / "placement" / "partners.yaml"
    partners.write_text(_by_placement(partners.read_text(encoding="utf-8")), encoding="utf-8")
    internal = (
        "spec: {predicates: [{requiredClusterSelector: "
        '{labelSelector: {matchLabels: {internal: "true"}}}}]}\n'
    )
    inventory = documents(
        binding("global", "gateways"),
        ocm_object("Placement", "everywhere", "gateways", more="spec: {}\n"),
        ocm_object("Placement", "internal", "gateways", more=internal),
        *(managed(entry["name"], _flow(entry["labels"])) for entry in entries),
    )
    (folder / "hub" / "inventory.yaml").write_text(inventory, encoding="utf-8")


def _by_placement(text: str) -> str:
    assert INTERNAL in text
    return text.replace(INTERNAL, "spokes: {placement: gateways/internal}")


def _flow(labels: Mapping[str, str]) -> str:
    return "{" + ", ".join(f'{key}: "{value}"' for key, value in labels.items()) + "}"


HUB = "hubs/multicluster-gateway-controller/config/quick-start/control-cluster/cluster-config"
VERDICTS = rows_of(__file__, "verdicts")
"""Written by hand: samples leave out the bindings, and the clusters that a user registers."""


@each(*VERDICTS)
def test_placements_of_other_projects_have_a_verdict(path: str, fixtures: Path) -> None:
    inventory = _inventory(fixtures / path)
    answers = decide_all(inventory, PlacementLock(), DecisionOptions())
    verdicts = {}
    for answer in answers:
        satisfied = answer.scheduled.satisfied if answer.scheduled is not None else None
        assert satisfied is not None
        refused = f"{answer.refused}" if answer.refused is not None else ""
        verdicts[answer.key] = refused or f"{satisfied.reason}: {satisfied.message}"
    assert verdicts == VERDICTS[path]


CLUSTER = text_of(__file__, "ocm_flagship_cluster.yaml")


def test_the_quick_start_selects_the_cluster_that_it_labels(fixtures: Path) -> None:
    inventory = _inventory(fixtures / HUB, CLUSTER)
    (answer,) = decide_all(inventory, PlacementLock(), DecisionOptions())
    assert answer.clusters == ("kind-mgc-workload-1",)


def _inventory(path: Path, *more: str) -> Inventory:
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    texts = [file.read_bytes() for file in files] + [text.encode() for text in more]
    values = [document.value for text in texts for document in yamlio.read(text, "")[0]]
    objects = (value for value in values if isinstance(value, Mapping) and value.get("kind"))
    return read_inventory(HubObject(value, lambda: Origin("")) for value in objects)
