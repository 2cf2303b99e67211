"""The files of a new project: with a sample of a hub, or around an existing one."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from spokerender.formats import yamlio
from spokerender.formats.templating.template import render_file
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Role
from spokerender.model import GATEWAY_API, Manifest
from spokerender.model.releases import find_product, list_newest
from spokerender.model.sources import Files
from spokerender.topology.graph import Topology
from spokerender.topology.hub import read_hub
from spokerender.topology.reading import read_node

SCHEMA = "schema.json"
ESSENTIAL = ("fleet.yaml", "placement.yaml")
"""The files that make a folder a project: `init` refuses a folder with one of them."""

SOURCE_VARIABLE = "SPOKERENDER_SOURCE"
_SOURCE_HINT = "what pip installs, git+https://HOST/PATH.git@COMMIT"
"""The variable that a workflow reads where nobody said what to install, and what it may have."""
_WORKFLOWS = ".github/workflows"
_CI = {
    "github": {
        f"{_WORKFLOWS}/policies.yaml": "github.yaml",
        f"{_WORKFLOWS}/policies-comment.yaml": "github-comment.yaml",
    },
    "gitlab": {".gitlab-ci.yml": "gitlab.yaml"},
}
_SAMPLE = {"hub/gateway.yaml": "gateway.yaml", "hub/shop.yaml": "shop.yaml"}
_SAMPLE_KINDS = ((GATEWAY_API, "HTTPRoute"), ("kuadrant.io", "AuthPolicy"))
_SAMPLE_GATEWAY = "gateways/public"
_GATEWAY = (GATEWAY_API, "Gateway")


class Answers(Struct, frozen=True, kw_only=True):
    """The answers of the user who creates a project."""

    name: str
    spokes: tuple[str, ...]
    delivery: str
    """An engine's name, or `none`."""
    repo_url: str
    """The repository that Argo CD reads."""
    ci: str
    """`github`, `gitlab` or `none`."""
    path: str
    """The path of the trees from the top of the repository, if not that of the project."""
    requires: str
    """The versions of spokerender that may build."""
    source: str
    """The Git URL and commit, or the index, that CI installs spokerender from; empty if unknown."""


_Identity = tuple[str, str]


def project_files(
    answers: Answers,
    hub: Files,
    templates: Mapping[str, str],
    schema: Mapping[str, Any],
    *,
    has_crds: bool = False,
) -> Mapping[str, str]:
    """Return the files of a new project by path: around an existing hub, or with a sample of one.

    The placement is made from the hub: from its Gateways, and the kinds attached to them.
    """
    manifests = read_hub(hub).manifests
    refs = [manifest.ref for manifest in manifests]
    kinds, needed = _attached_kinds(manifests) if manifests else (_SAMPLE_KINDS, ())
    # The newest carried releases that have the API groups in use.
    groups = {ref.group for ref in refs} or {group for group, _ in _SAMPLE_KINDS}
    newest = {release.product: release for release in reversed(list_newest())}
    products = dict.fromkeys(find_product(group) for group in sorted(groups))
    context: dict[str, Any] = {
        **asdict(answers),
        "is_sample": not manifests,
        "crds": has_crds,
        "releases": [str(newest[product]) for product in products if product],
        "next_steps": _list_own_steps(answers, is_sample=not manifests),
        "install": _install(answers),
        "quoted": {  # as YAML reads them back
            "name": yamlio.scalar(answers.name),
            "repo_url": yamlio.scalar(answers.repo_url),
            "path": yamlio.scalar(answers.path),
            **{spoke: yamlio.scalar(spoke) for spoke in answers.spokes},
        },
        "gateways": [ref.full_name for ref in refs if (ref.group, ref.kind) == _GATEWAY]
        if manifests
        else [_SAMPLE_GATEWAY],
        "kinds": [{"group": group, "kind": kind} for group, kind in kinds],
        "needed": [{"group": group, "kind": kind} for group, kind in needed],
    }
    names = {
        "fleet.yaml": "fleet.yaml",
        "placement.yaml": "placement.yaml",
        "README.md": "README.md",
        ".gitattributes": "gitattributes",
    }
    names |= _CI.get(answers.ci, {})
    names |= {} if manifests else _SAMPLE
    files = {
        path: render_file(templates, f"project/{name}.j2", context) for path, name in names.items()
    }
    return {**files, SCHEMA: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"}


def _list_own_steps(answers: Answers, *, is_sample: bool) -> list[str]:
    steps = next_steps(answers, is_sample=is_sample)
    return [step for step in steps if step.startswith("spokerender")]


def is_sample(files: Collection[str]) -> bool:
    """Return whether a project with these files has the sample of a hub."""
    return not _SAMPLE.keys().isdisjoint(files)


def next_steps(answers: Answers, *, is_sample: bool) -> tuple[str, ...]:
    """Return the next commands for the user.

    Of an existing hub nothing is rendered before its owner has read the placement.
    """
    first = answers.spokes[0]
    is_open = answers.ci in _CI and not answers.source
    last = (f"set the variable {SOURCE_VARIABLE} in CI: {_SOURCE_HINT}",) if is_open else ()
    if not is_sample:
        return (
            "see in placement.yaml which gateway goes where, and as what",
            "spokerender build",
            f"spokerender explain --spoke {first}",
            *last,
        )
    return (
        f"spokerender explain --spoke {first}",
        f"spokerender spoke add {_another(answers.spokes)} --like {first}",
        "spokerender build",
        *last,
    )


def _install(answers: Answers) -> str:
    """Return what CI gives `pip install`: a commit, or the versions that an index has."""
    if not answers.source:
        return f'"${{{SOURCE_VARIABLE}:?set this variable of CI to {_SOURCE_HINT}}}"'
    if answers.source.startswith("git+"):
        return answers.source
    return f'--index-url {answers.source} "spokerender{answers.requires}"'


def _another(spokes: Sequence[str]) -> str:
    """Return a name that no spoke has, for the example of `spoke add`."""
    candidates = ("ap-south-1", "another-spoke", *(f"spoke-{number}" for number in range(1000)))
    return next(name for name in candidates if name not in spokes)


def _attached_kinds(manifests: Sequence[Manifest]) -> tuple[list[_Identity], list[_Identity]]:
    """Return the kinds in the hub that ship with a gateway, and those that their objects need.

    A label makes a kind ship that selects a gateway by it; a Service selects pods by labels.
    """
    catalogue = Catalogue.of([])
    topology = Topology(read_node(m.ref, m.object, catalogue) for m in manifests)
    attached, needed = set(), set()
    for ref in (manifest.ref for manifest in manifests):
        identity = (ref.group, ref.kind)
        roles = {rule.role for rule in catalogue.kind(*identity).references if rule.role.ships}
        if topology.carrying(ref) and roles <= {Role.LABEL, Role.PEER}:
            needed.add(identity)
        elif roles and identity != _GATEWAY:
            attached.add(identity)
    return sorted(attached - needed), sorted(needed - {("", "Secret")})
