"""The files of a new project: with a sample of a hub, or around an existing one."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from spokerender.adopting.selecting import Selection
from spokerender.formats import yamlio
from spokerender.formats.templating.template import render_file
from spokerender.model import GATEWAY, GATEWAY_API
from spokerender.model.releases import find_product, list_releases, release_order
from spokerender.model.shapes import grouped
from spokerender.model.sources import Files
from spokerender.topology.hub import read_hub

SCHEMA = "schema.json"
ESSENTIAL = ("fleet.yaml", "placement.yaml")
"""Files that make a folder a project: `init` refuses a folder with one of them."""

SOURCE_VARIABLE = "SPOKERENDER_SOURCE"
_SOURCE_HINT = "what pip installs, git+https://HOST/PATH.git@COMMIT"
"""A hint for the variable, which a workflow reads if it is unknown what to install."""
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
    """The path of the trees from the top of the repository, if it is not the project's."""
    requires: str
    """The versions of spokerender that may build."""
    source: str
    """The Git URL and commit, or the index, that CI installs spokerender from; empty if unknown."""


def project_files(
    answers: Answers,
    hub: Files,
    templates: Mapping[str, str],
    schema: Mapping[str, Any],
    *,
    has_crds: bool = False,
) -> Mapping[str, str]:
    """Return the files of a new project by path: around an existing hub, or with a sample hub.

    The placement is made for the hub's Gateways and the kinds attached to them.
    """
    of_hub = _describe_hub(hub)
    is_sample = not of_hub
    context: dict[str, Any] = {
        **asdict(answers),
        "is_sample": is_sample,
        "crds": has_crds,
        "next_steps": [
            step
            for step in next_steps(answers, is_sample=is_sample)
            if step.startswith("spokerender")
        ],
        "install": _install(answers),
        "quoted": {  # as YAML reads them back
            "name": yamlio.scalar(answers.name),
            "repo_url": yamlio.scalar(answers.repo_url),
            "path": yamlio.scalar(answers.path),
            **{spoke: yamlio.scalar(spoke) for spoke in answers.spokes},
        },
        **(of_hub or _describe_sample()),
    }
    names = {
        "fleet.yaml": "fleet.yaml",
        "placement.yaml": "placement.yaml",
        "README.md": "README.md",
        ".gitattributes": "gitattributes",
    }
    names |= _CI.get(answers.ci, {})
    names |= _SAMPLE if is_sample else {}
    files = {
        path: render_file(templates, f"project/{name}.j2", context) for path, name in names.items()
    }
    return {**files, SCHEMA: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"}


def _describe_hub(hub: Files) -> dict[str, Any]:
    """Return the hub's kinds, Gateways and missing objects for templates; empty without objects."""
    read = read_hub(hub)
    if not read.manifests:
        return {}
    selection = Selection(read.manifests, read.catalogue)
    kinds, needed = selection.list_followers()
    missing = selection.list_missing()
    refs = [manifest.ref for manifest in read.manifests]
    own, existing = (
        [ref.full_name for ref in named if (ref.group, ref.kind) == GATEWAY]
        for named in (refs, missing)
    )
    return {
        "gateways": own,
        "existing": existing,
        "external": [
            {
                "group": ref.group,
                "kind": ref.kind,
                "namespace": ref.namespace,
                "name": ref.name,
                "listeners": [*map(yamlio.scalar, sections)],
                "gateways": [*own, *existing],
            }
            for ref, sections in missing.items()
        ],
        # Without any kind, nothing would say that the list is in the fleet file.
        "kinds": [{"group": group, "kind": kind} for group, kind in kinds or _SAMPLE_KINDS[:1]],
        "needed": [{"group": group, "kind": kind} for group, kind in needed],
        "releases": _list_releases({(m.ref.group, m.ref.kind, m.version) for m in read.manifests}),
    }


def _describe_sample() -> dict[str, Any]:
    return {
        "gateways": ["gateways/public"],
        "existing": [],
        "external": [],
        "needed": [],
        "kinds": [{"group": group, "kind": kind} for group, kind in _SAMPLE_KINDS],
        "releases": _list_releases((*kind, "v1") for kind in _SAMPLE_KINDS),
    }


def _list_releases(kinds: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return a release with CRDs for each product of `kinds`, given as group, kind, version.

    This is the newest release that serves all kinds of the product, or else the newest one.
    """
    from spokerender.judging.validation.bundled import find_bundled  # noqa: PLC0415  (start-up counts)

    products = grouped((find_product(group), each) for each in sorted(kinds) for group in each[:1])
    chosen = []
    for product, served in products.items():
        releases = sorted(
            list_releases(product) if product else (),
            key=lambda release: (release_order(release.version), release.channel),
            reverse=True,  # the newest first, of its channels `standard`
        )
        carried = [(find_bundled(group, kind), version) for group, kind, version in served]
        fitting = (
            release
            for release in releases
            if all(release in it.heads and it.serves(release, v) for it, v in carried if it.heads)
        )
        chosen += [str(next(fitting, release)) for release in releases[:1]]
    return chosen


def is_sample(files: Collection[str]) -> bool:
    """Return whether a project with these files has the sample hub."""
    return not _SAMPLE.keys().isdisjoint(files)


def next_steps(answers: Answers, *, is_sample: bool) -> tuple[str, ...]:
    """Return the next commands for the user.

    With an existing hub, its owner reads the placement before anything is rendered.
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
    # The example of `spoke add` needs a name that no spoke has.
    names = ("ap-south-1", "another-spoke", *(f"spoke-{number}" for number in range(1000)))
    another = next(name for name in names if name not in answers.spokes)
    return (
        f"spokerender explain --spoke {first}",
        f"spokerender spoke add {another} --like {first}",
        "spokerender build",
        *last,
    )


def _install(answers: Answers) -> str:
    """Return the argument of `pip install` in CI: a commit, or the versions in an index."""
    if not answers.source:
        return f'"${{{SOURCE_VARIABLE}:?set this variable of CI to {_SOURCE_HINT}}}"'
    if answers.source.startswith("git+"):
        return answers.source
    return f'--index-url {answers.source} "spokerender{answers.requires}"'
