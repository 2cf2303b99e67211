"""A project from nothing, or around a hub that is there: the files of ours, ready to be owned."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from spokerender.formats import yamlio
from spokerender.formats.templating import render_file
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY_API, Manifest
from spokerender.topology.hub import read_hub

Files = Sequence[tuple[str, bytes]]
"""Files by the path that messages name, and their bytes."""

SCHEMA = "schema.json"
ESSENTIAL = ("fleet.yaml", "placement.yaml")
"""What makes a folder a project: where one of them is, there is one already."""

_CI = {"github": ".github/workflows/policies.yaml", "gitlab": ".gitlab-ci.yml"}
_SAMPLE = {"hub/gateway.yaml": "gateway.yaml", "hub/shop.yaml": "shop.yaml"}
_SAMPLE_KINDS = ((GATEWAY_API, "HTTPRoute"), ("kuadrant.io", "AuthPolicy"))
_SAMPLE_GATEWAY = "gateways/public"
_GATEWAY = (GATEWAY_API, "Gateway")


class Answers(Struct, frozen=True, kw_only=True):
    """What somebody who begins was asked."""

    name: str
    spokes: tuple[str, ...]
    delivery: str
    """An engine's name, or `none`."""
    repo_url: str
    """Where Argo CD finds the trees."""
    ci: str
    """`github`, `gitlab` or `none`."""
    path: str
    """Where the trees are from the top of the repository, if that is not the project's folder."""
    requires: str
    """The range of versions that may build."""


def project_files(
    answers: Answers,
    hub: Files,
    templates: Mapping[str, str],
    schema: Mapping[str, Any],
    *,
    has_crds: bool = False,
) -> Mapping[str, str]:
    """The files of a new project by path: around the hub that is there, or with a sample of one.

    What is to be known of the hub to place it is read off it: its Gateways, and which kinds hang
    on them.
    """
    manifests = read_hub(hub).manifests
    catalogue = Catalogue.of([])
    context: dict[str, Any] = {
        **asdict(answers),
        "is_sample": not manifests,
        "crds": has_crds,
        "next_steps": next_steps(answers, is_sample=not manifests),
        "quoted": {  # as YAML reads them back
            "name": yamlio.scalar(answers.name),
            "repo_url": yamlio.scalar(answers.repo_url),
            "path": yamlio.scalar(answers.path),
            **{spoke: yamlio.scalar(spoke) for spoke in answers.spokes},
        },
        "gateways": _gateways(manifests) if manifests else [_SAMPLE_GATEWAY],
        "kinds": [
            {"group": group, "kind": kind}
            for group, kind in (_following(manifests, catalogue) if manifests else _SAMPLE_KINDS)
        ],
    }
    names = {
        "fleet.yaml": "fleet.yaml",
        "placement.yaml": "placement.yaml",
        "README.md": "README.md",
        ".gitattributes": "gitattributes",
    }
    names |= {_CI[answers.ci]: f"{answers.ci}.yaml"} if answers.ci in _CI else {}
    names |= {} if manifests else _SAMPLE
    files = {
        path: render_file(templates, f"project/{name}.j2", context) for path, name in names.items()
    }
    return {**files, SCHEMA: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"}


def is_sample(files: Collection[str]) -> bool:
    """Whether a project with these files begins with a sample of a hub."""
    return not _SAMPLE.keys().isdisjoint(files)


def next_steps(answers: Answers, *, is_sample: bool) -> tuple[str, ...]:
    """What shows somebody who begins what there is to do.

    Around a hub of one's own nothing is rendered before its owner has seen what goes where.
    """
    first = answers.spokes[0]
    if not is_sample:
        return (
            "see in placement.yaml which gateway goes where, and as what",
            "spokerender build",
            f"spokerender explain --spoke {first}",
        )
    return (
        f"spokerender explain --spoke {first}",
        f"spokerender spoke add {_another(answers.spokes)} --like {first}",
        "spokerender build",
    )


def _another(spokes: Sequence[str]) -> str:
    """A name that no spoke has, for the example of how to add one."""
    candidates = ("ap-south-1", "another-spoke", *(f"spoke-{number}" for number in range(1000)))
    return next(name for name in candidates if name not in spokes)


def _gateways(manifests: Sequence[Manifest]) -> list[str]:
    refs = (manifest.ref for manifest in manifests)
    return [ref.full_name for ref in refs if (ref.group, ref.kind) == _GATEWAY]


def _following(manifests: Sequence[Manifest], catalogue: Catalogue) -> list[tuple[str, str]]:
    """The kinds in the hub whose objects are of no use without a gateway."""
    kinds = sorted({(manifest.ref.group, manifest.ref.kind) for manifest in manifests})
    return [
        identity
        for identity in kinds
        if identity != _GATEWAY
        and any(rule.role.ships for rule in catalogue.kind(*identity).references)
    ]
