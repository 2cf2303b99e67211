"""Reading CRDs, and with `--to=FOLDER` making a schema of each and writing it there."""

from __future__ import annotations

import sys
from pathlib import Path

from spokerender.formats import yamlio
from spokerender.wings.publishing.config.published import PublishedSpec, read_published
from spokerender.wings.publishing.kcp.schemas import make_schema
from spokerender.wings.publishing.projection import project_crd


def main() -> None:
    """Do it for all files that are named."""
    names = [name for name in sys.argv[1:] if not name.startswith("--to=")]
    folder = next((Path(name[5:]) for name in sys.argv[1:] if name.startswith("--to=")), None)
    if folder is not None:
        folder.mkdir(parents=True)
    for name in names:
        for document in yamlio.read(Path(name).read_bytes(), name)[0]:
            if folder is None:
                continue
            crd = document.value
            face, _ = project_crd(crd, _spec(crd["spec"]["names"]["kind"]))
            schema = make_schema(face, crd, "bench")
            (folder / schema["metadata"]["name"]).write_text(yamlio.emit(schema), encoding="utf-8")


def _spec(kind: str) -> PublishedSpec:
    spec = {"resource": {"apiGroup": "", "kind": kind}}
    read, _ = read_published({"apiVersion": "syncagent.kcp.io/v1alpha1", "spec": spec})
    assert read is not None  # noqa: S101  (it is right)
    return read


if __name__ == "__main__":
    main()
