"""Small projects that publish a kind `Thing`, as files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spokerender.formats import yamlio
from spokerender.rendering.values.rendered import Rendered
from tests.support import rows_of, text_of
from tests.support.project import rendered_folder

FLEET = """\
apiVersion: spokerender.io/v1alpha1
kind: Fleet
metadata: {name: test}
spec: {crds: [crds/], publishing: publishing.yaml, policiesToSync: [{kind: ConfigMap}]}
"""
PUBLISHING = text_of(__file__, "projects_publishing.yaml")
PLACEMENT = """\
apiVersion: spokerender.io/v1alpha1
kind: Placement
metadata: {name: test}
spec: {spokes: [{name: eu}, {name: kcp}]}
"""
CRD = text_of(__file__, "projects.yaml")
RESOURCE: str = rows_of(__file__, "resource")


def thing(name: str, spec: str = "{}", metadata: str = "", version: str = "v1") -> str:
    """A consumer's Thing in namespace shop."""
    return (
        f"---\napiVersion: example.com/{version}\nkind: Thing\n"
        f"metadata: {{name: {name}, namespace: shop{metadata and f', {metadata}'}}}\n"
        f"spec: {spec}\n"
    )


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a project; what is not given is as above, with one Thing in either workspace."""
    given = {
        "fleet.yaml": FLEET,
        "publishing.yaml": PUBLISHING,
        "placement.yaml": PLACEMENT,
        "crds/things.yaml": CRD,
        "hub/published.yaml": RESOURCE,
        "workspaces/team-a/things.yaml": thing("cart"),
        "workspaces/team-b/things.yaml": thing("cart"),
        **files,
    }
    for path, text in given.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder


def rendered(folder: Path, files: Mapping[str, str]) -> Rendered:
    """Write and render a project."""
    return rendered_folder(write(folder, files))


def objects(fleet: Rendered, spoke: str) -> dict[str, Any]:
    """What a spoke gets, by path."""
    return {
        path: yamlio.read(data, path)[0][0].value
        for path, data in fleet.tree.files(spoke).items()
        if path != "kustomization.yaml"
    }


def list_findings(fleet: Rendered, *codes: str) -> list[tuple[str, str, str]]:
    """The findings of these codes: code, file and line, message."""
    return sorted(
        (result.code, str(result.origin), result.message)
        for result in fleet.results
        if result.code in codes
    )


def errors(fleet: Rendered) -> list[str]:
    """The codes of all errors."""
    return sorted(result.code for result in fleet.results if result.severity == "error")
