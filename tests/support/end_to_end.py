"""Projects from files in to files out, for the tests that go through the whole house."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from spokerender.edge.files import OnDisk
from spokerender.edge.templates import carried_templates
from spokerender.findings.results import Result, Severity
from spokerender.formats import yamlio
from spokerender.model.plan import KUSTOMIZATION
from spokerender.pipeline import Project, render
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.combined import read_fleet, read_parts
from spokerender.wings.part import ProjectFiles

Files = Mapping[str, str]
"""A project: paths below its folder, and texts."""
WEB = """\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: infra}
spec:
  gatewayClassName: istio
  listeners:
  - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
"""
"""A Gateway that takes every route."""


@cache
def templates() -> Mapping[str, str]:
    """The delivery templates that the tool carries."""
    return carried_templates()


def fleet(*kinds: tuple[str, str], **spec: str) -> str:
    """A fleet.yaml that lists these kinds, by group and kind; other fields as YAML texts."""
    listed = "".join(f'    - {{group: "{group}", kind: {kind}}}\n' for group, kind in kinds)
    fields = "".join(f"  {key}: {text}\n" for key, text in spec.items())
    return (
        "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nmetadata: {name: test}\n"
        f"spec:\n  policiesToSync:\n{listed}{fields}"
    )


def placement(spokes: str, rules: str, overrides: str = "[]") -> str:
    """A placement.yaml; the parts are YAML in flow style."""
    return (
        "apiVersion: spokerender.io/v1alpha1\nkind: Placement\nmetadata: {name: test}\n"
        f"spec:\n  spokes: {spokes}\n  rules: {rules}\n  overrides: {overrides}\n"
    )


def everywhere(*gateways: str, as_: str = "{}", spokes: str = "[{name: s1}]") -> str:
    """A placement that puts these Gateways on all spokes, as the flow mapping says."""
    names = ", ".join(gateways)
    return placement(
        spokes, f"[{{gateways: {{names: [{names}]}}, spokes: {{all: true}}, as: {as_}}}]"
    )


def project(files: Mapping[str, str | bytes]) -> Project:
    """What reading these files gives: what is below hub/, and the two files of ours."""
    data = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    fleet_file = data.get("fleet.yaml")
    document = read_fleet(("fleet.yaml", fleet_file) if fleet_file is not None else None)
    return Project(
        fleet_file=document.model,
        hub_files=[(path, text) for path, text in data.items() if path.startswith("hub/")],
        placement_files=[
            (path, text) for path, text in data.items() if path.startswith("placement")
        ],
        templates=templates(),
        parts=read_parts(ProjectFiles(OnDisk(Path("nowhere")), document)),
    )


def rendered(files: Mapping[str, str | bytes]) -> Rendered:
    """Render a project that is in memory."""
    return render(project(files))


def built(files: Mapping[str, str | bytes]) -> Rendered:
    """Render a project that must be without errors."""
    found = rendered(files)
    assert errors(found.results) == []
    return found


def errors(results: Iterable[Result]) -> list[Result]:
    """The findings that refuse a build."""
    return [result for result in results if result.severity is Severity.ERROR]


def tree(found: Rendered) -> dict[str, bytes]:
    """Every file of a rendered fleet, by `<folder>/<path>`."""
    return {
        f"{folder}/{path}": data
        for folder in found.tree.folders
        for path, data in found.tree.files(folder).items()
    }


def objects(found: Rendered, spoke: str = "s1") -> dict[str, Any]:
    """The objects of a spoke as its files have them, by `Kind namespace/name`."""
    files = found.tree.files(spoke)
    read = [parsed(data) for path, data in sorted(files.items()) if path != KUSTOMIZATION]
    return {identity(item): item for items in read for item in items}


def model(found: Rendered, spoke: str = "s1") -> dict[str, Any]:
    """The objects of a spoke as the stages made them, before they became text."""
    bundle = found.bundles[spoke]
    made = [bundle.object_of(variant) for variant in bundle.blueprint.variants]
    return {identity(item): item for item in made}


def identity(item: Mapping[str, Any]) -> str:
    """`Kind namespace/name`, or `Kind name` for what is in no namespace."""
    metadata = item["metadata"]
    place = [metadata["namespace"]] if metadata.get("namespace") else []
    return f"{item['kind']} {'/'.join([*place, metadata['name']])}"


def parsed(data: bytes) -> list[Any]:
    """The documents of a file that must be right."""
    documents, problems = yamlio.read(data, "rendered.yaml")
    assert problems == ()
    return [document.value for document in documents]


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Put a project on disk."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
