"""The trees of the examples, as files and as objects."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from spokerender.formats import yamlio
from spokerender.rendering.values.rendered import Rendered
from tests.conftest import ROOT
from tests.support import end_to_end as e2e
from tests.support.project import rendered_folder

EXAMPLES = ROOT / "examples"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())


@cache
def rendered(name: str) -> Rendered:
    """An example, rendered once for all tests."""
    return rendered_folder(EXAMPLES / name)


def written(name: str, folder: Path) -> dict[str, Path]:
    """The folders of the spokes of an example, written below a folder."""
    found = rendered(name)
    for spoke in found.bundles:
        e2e.write(folder / spoke, dict(found.tree.files(spoke)))
    return {spoke: folder / spoke for spoke in sorted(found.bundles)}


def meant(name: str, spoke: str) -> dict[str, Any]:
    """The objects that a spoke shall have, by their names."""
    return e2e.objects(rendered(name), spoke)


def objects(text: str) -> dict[str, Any]:
    """The objects of a stream, by their names."""
    documents, problems = yamlio.read(text.encode(), "")
    assert problems == ()
    values = [document.value for document in documents if document.value is not None]
    found = {e2e.identity(value): value for value in values}
    assert len(found) == len(values)
    return found


def exact(value: object) -> str:
    """JSON text tells 1 from true and from 1.0, which Python's `==` does not."""
    return json.dumps(value, sort_keys=True)


def kinds(values: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """The API versions and kinds of objects."""
    return {(value["apiVersion"], value["kind"]) for value in values}
