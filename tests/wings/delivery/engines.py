"""Delivery as it can be asked for, and what the engines' own CRDs say to what is made of it."""

from collections.abc import Mapping
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from spokerender.edge.templates import carried_templates
from spokerender.judging.validation.crds import Schemas, read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.model import Ref
from spokerender.rendering.tree import SpokeFolders
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.combined import all_engines
from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.settings import Delivery
from tests.support import cyaml
from tests.wings.delivery.delivering import deliver

GIT = {"repoURL": "https://git.example.com/fleet.git"}
LAST = {"spokes": {"all": True}}

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "argocd": {"argocd": GIT},
    "argocd, by hand": {"argocd": GIT | {"syncPolicy": {"automated": None}}},
    "argocd, elsewhere": {"argocd": GIT | {"path": "deploy/[a]*?", "name": "shop"}},
    "argocd, by name": {"argocd": GIT | {"destination": {"name": "edge-{{ spoke.name }}"}}},
    "argocd, by server": {
        "argocd": GIT | {"destination": {"server": "https://{{ spoke.name }}.example:6443"}}
    },
    "argocd, by label": {"argocd": GIT | {"destination": {"label": "example.com/spoke"}}},
    "argocd, in waves": {
        "argocd": GIT | {"waves": [{"spokes": {"all": True}, "maxUpdate": "25%"}, LAST]}
    },
    "argocd, in waves by label": {
        "argocd": GIT
        | {"waves": [{"spokes": {"all": True}, "maxUpdate": 0}], "destination": {"label": "spoke"}}
    },
    "argocd, one each": {"argocd": GIT | {"kind": "Application", "syncWaves": True}},
    "argocd, in a project": {"argocd": GIT | {"project": "policies", "appProject": True}},
    "argocd, one each, in a project": {
        "argocd": GIT
        | {
            "kind": "Application",
            "project": "policies",
            "appProject": True,
            "destination": {"server": "https://{{ spoke.name }}.example"},
        }
    },
    "flux": {"flux": {}},
    "flux, on the spokes": {"flux": {"controllers": "spokes", "healthChecks": True}},
    "flux, from Git": {
        "flux": {
            "source": {
                "url": "ssh://git@example.com/fleet",
                "ref": {"branch": "main"},
                "secret": "deploy-key",
            },
            "waves": [{"spokes": {"all": True}}, LAST],
        }
    },
    "flux, from artifacts": {
        "flux": {
            "source": {"url": "oci://ghcr.io/team/{{ spoke.name }}", "ref": {"semver": ">=1.0"}},
            "healthChecks": True,
        }
    },
    "flux, on the spokes, from artifacts": {
        "flux": {
            "controllers": "spokes",
            "source": {"url": "oci://ghcr.io/team/{{ spoke.name }}", "ref": {"tag": "main"}},
        }
    },
    "ocm": {"ocm": {}},
    "ocm, in small works": {"ocm": {"name": "shop", "manifestLimit": 3000, "permissions": False}},
    "ocm, orphaned": {"ocm": {"deletion": "orphan"}},
}
"""Settings of `spec.delivery` that fit every fleet."""

_FOLDERS = ("argocd", "flux", "ocm")
_GROUPS = ("argoproj.io", "fluxcd.io", "open-cluster-management.io")


def delivered_by(
    found: Rendered, delivery: Mapping[str, Any], *, one_file: bool = False, **namespaces: Any
) -> SpokeFolders:
    """The output of a rendered fleet with these settings of `spec.delivery`."""
    trees = SpokeFolders(
        found.bundles,
        one_file=one_file,
        namespaces=namespaces.get("namespaces"),
        marks=all_engines().marks,
    )
    spokes = sorted((bundle.spoke for bundle in found.bundles.values()), key=attrgetter("name"))
    fleet = Delivered("clusters", spokes, trees.shipped, carried_templates(), found.hub.catalogue)
    files, results = deliver(Delivery.model_validate(delivery), fleet)
    assert results == ()
    return trees.with_fleet(files)


def fleet_files(tree: SpokeFolders) -> dict[str, list[dict[str, Any]]]:
    """The objects in each file of the fleet's folder."""
    return {path: list(cyaml.safe_load_all(data)) for path, data in tree.files("_fleet").items()}


def engines_folders(fixtures: Path) -> list[Path]:
    """Where the CRDs of the engines are."""
    return [fixtures / "crds" / name for name in _FOLDERS]


@cache
def engines_crds(fixtures: Path) -> Schemas:
    """The CRDs of Argo CD, Flux and OCM."""

    class Everything:
        def __contains__(self, _: object) -> bool:
            return True

    paths = [path for folder in engines_folders(fixtures) for path in sorted(folder.iterdir())]
    return read_schemas([(path.name, path.read_bytes()) for path in paths], (), Everything())


def of_engines(tree: SpokeFolders) -> list[dict[str, Any]]:
    """The engines' own objects in the fleet's folder."""
    values = [value for each in fleet_files(tree).values() for value in each]
    return [value for value in values if value["apiVersion"].split("/")[0].endswith(_GROUPS)]


def refused(value: dict[str, Any], crds: Schemas) -> list[str]:
    """What an API server that has the engines says against an object."""
    group, _, _ = value["apiVersion"].rpartition("/")
    metadata = value["metadata"]
    ref = Ref(group, value["kind"], metadata.get("namespace", ""), metadata["name"])
    return [f"{ref}: {fault.finding.code} {fault.message}" for fault in validate(value, ref, crds)]
