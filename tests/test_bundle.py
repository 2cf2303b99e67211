"""The archives of carried CRDs: what the tool makes of CRDs, and that it would make these anew."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ci import bundle_crds
from spokerender.model.releases import read_products
from tests.conftest import ROOT
from tests.support import cyaml, rows_of, text_of

CRDS = ROOT / "render/spokerender/kinds/schemas"
MOST_BYTES = 3_000_000

CRD = text_of(__file__, "bundle_crd.yaml")


def test_prose_goes_and_names_stay() -> None:
    crd = bundle_crds.slim(cyaml.safe_load(CRD))
    assert crd["metadata"] == {
        "name": "things.example.com",
        "labels": {"gateway.networking.k8s.io/policy": "Direct"},
        "annotations": {"gateway.networking.k8s.io/bundle-version": "v1"},
    }
    (version,) = crd["spec"]["versions"]
    assert version == rows_of(__file__, "prose_goes_and_names_stay")


def test_a_release_is_added_by_a_row_and_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal schemas of releases are one line; the same input gives the same bytes."""
    row = {"title": "Example", "source": "https://example.com", "files": {"": "*.yaml"}}
    table = {"example": {**row, "releases": ["v1.0.0", "v1.1.0"]}}
    (tmp_path / "table.toml").write_text(_toml(table), encoding="utf-8")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/thing.yaml").write_text(CRD + "---\n" + "kind: Other\n", encoding="utf-8")
    monkeypatch.setattr(bundle_crds, "TABLE", tmp_path / "table.toml")
    monkeypatch.setattr(bundle_crds, "BUNDLE", tmp_path)
    arguments = [f"--from=example@v1.{minor}.0={tmp_path / 'in'}" for minor in (0, 1)]
    bundle_crds.main(arguments)
    before = (tmp_path / "example.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "example.zip") as archive:
        (name,) = archive.namelist()
        head, *schemas = archive.read(name).decode().splitlines()
    assert name == "example.com/Thing"
    assert [row["releases"] for row in json.loads(head)] == [[["v1.0.0", ""], ["v1.1.0", ""]]]
    assert len(schemas) == 1
    index = json.loads((tmp_path / "index.json").read_text(encoding="utf-8"))
    assert index["example"]["releases"] == {"v1.0.0": [], "v1.1.0": []}
    assert index["example"]["groups"] == ["example.com"]
    bundle_crds.main(arguments)
    assert (tmp_path / "example.zip").read_bytes() == before


def _toml(table: dict[str, Any]) -> str:
    lines = [f"[{name}]" for name in table]
    for row in table.values():
        lines += [f"{key} = {json.dumps(value)}" for key, value in row.items() if key != "files"]
        lines.append('files = {"" = "*.yaml"}')
    return "\n".join(lines)


def test_the_archives_are_what_the_tool_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made from themselves: nobody edits them, and each product of the table is there."""
    for path in CRDS.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(bundle_crds, "BUNDLE", tmp_path)
    bundle_crds.main([])
    assert {path.name for path in CRDS.iterdir()} == {path.name for path in tmp_path.iterdir()}
    assert [
        path.name for path in CRDS.iterdir() if contents(path) != contents(tmp_path / path.name)
    ] == []


def contents(path: Path) -> list[tuple[str, bytes]]:
    """What is in a file or an archive, in its order; how small it is made depends on zlib."""
    if path.suffix != ".zip":
        return [(path.name, path.read_bytes())]
    with zipfile.ZipFile(path) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def test_the_notice_names_every_product_and_its_source() -> None:
    notice = (CRDS / "NOTICE").read_text(encoding="utf-8")
    lines = [line.split() for line in notice.splitlines()]
    named = {words[0]: words[1] for words in lines if len(words) > 1}
    assert {name: row.source for name, row in read_products().items()}.items() <= named.items()


def test_the_package_stays_small() -> None:
    assert sum(path.stat().st_size for path in CRDS.iterdir()) < MOST_BYTES
