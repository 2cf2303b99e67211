"""Write the CRDs that the package carries: `python -m ci.bundle_crds` after a change of crds.toml.

A product is one archive with a file a kind. The first line of such a file lists the CRDs of the
kind, each with the releases that have it; a schema is a later line, named there by its number.
Equal schemas are one line, and prose is left out. The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

import spokerender
from spokerender.judging.validation.bundled import read_release
from spokerender.model.releases import FOLDER, INDEX, BundledRelease, release_order

TABLE = Path(__file__).with_name("crds.toml")
BUNDLE = Path(spokerender.__file__).parent / FOLDER
_PROSE = frozenset({"description", "title", "example", "externalDocs"})
_DATA = frozenset({"default", "enum", "x-kubernetes-validations"})
_EPOCH = (1980, 1, 1, 0, 0, 0)
_KEPT_METADATA = ("name", "labels", "annotations")
_KEPT_PREFIX = "gateway.networking.k8s.io/"
"""Of labels and annotations: the kind of policy, the release and its channel."""

Crd = dict[str, Any]
Releases = Mapping[BundledRelease, Sequence[Crd]]


def prune(schema: Any) -> Any:  # noqa: ANN401  (JSON)
    """Return a schema without prose; names of properties and values are no prose."""
    if isinstance(schema, list):
        return [prune(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _PROSE}
    for key in kept.keys() - _DATA:
        is_named = key in ("properties", "patternProperties")
        below = kept[key]
        kept[key] = {n: prune(item) for n, item in below.items()} if is_named else prune(below)
    return kept


def slim(crd: Crd) -> Crd:
    """Return what an API server judges objects by: names, scope, and the schemas of versions."""
    metadata = {key: crd["metadata"][key] for key in _KEPT_METADATA if key in crd["metadata"]}
    for key in ("labels", "annotations"):
        rows = metadata.pop(key, {})
        kept = {name: value for name, value in rows.items() if name.startswith(_KEPT_PREFIX)}
        metadata |= {key: kept} if kept else {}
    spec = {key: crd["spec"][key] for key in ("group", "names", "scope")}
    versions = [
        {
            **{
                key: version[key]
                for key in ("name", "served", "storage", "subresources")
                if key in version
            },
            "schema": {"openAPIV3Schema": prune(version["schema"]["openAPIV3Schema"])},
        }
        for version in crd["spec"]["versions"]
    ]
    head = {"apiVersion": crd["apiVersion"], "kind": crd["kind"], "metadata": metadata}
    return {**head, "spec": {**spec, "versions": versions}}


def read_folder(folder: Path, pattern: str) -> list[Crd]:
    """Read the CRDs of the files that match a pattern."""
    paths = sorted(folder.glob(pattern))
    documents = (d for path in paths for d in yaml.load_all(path.read_bytes(), yaml.CSafeLoader))
    crds = [slim(d) for d in documents if d and d.get("kind") == "CustomResourceDefinition"]
    if not crds:
        sys.exit(f"{folder}: no CRD in {pattern}")
    return crds


def find_source(name: str, row: Mapping[str, Any], given: Mapping[str, Path], folder: Path) -> Path:
    """Return the folder of a release: the given one, or its Go module, unpacked into `folder`."""
    if name in given:
        return given[name]
    version = name.partition("@")[2]
    if "module" not in row:
        sys.exit(f"{name}: name its folder with --from {name}=FOLDER")
    command = ["go", "mod", "download", "-json", f"{row['module']}@{version}"]
    answer = json.loads(subprocess.run(command, capture_output=True, check=False).stdout or "{}")
    if "Zip" not in answer:  # an error beside it is about the version of Go, not about the data
        sys.exit(f"{name}: {answer.get('Error', 'go is needed')}")
    with zipfile.ZipFile(answer["Zip"]) as archive:
        archive.extractall(folder)
    return folder / f"{row['module']}@{version}"


def read_kept(release: BundledRelease) -> list[Crd]:
    """Return the CRDs that the archive has of a release; none where there is no archive."""
    is_there = (BUNDLE / f"{release.product}.zip").exists()
    return list(read_release(release)) if is_there else []


def collect(
    product: str, row: Mapping[str, Any], given: Mapping[str, Path]
) -> dict[BundledRelease, list[Crd]]:
    """Return the CRDs of all releases of a row: from the archive where it has them, else new."""
    releases: dict[BundledRelease, list[Crd]] = {}
    for version in sorted(row["releases"], key=release_order):
        name = f"{product}@{version}"
        channels = [BundledRelease(product, version, channel) for channel in sorted(row["files"])]
        kept = {item: [] if name in given else read_kept(item) for item in channels}
        if not all(kept.get(item) for item in channels):
            with tempfile.TemporaryDirectory() as temporary:
                source = find_source(name, row, given, Path(temporary))
                kept = {item: read_folder(source, row["files"][item.channel]) for item in channels}
        releases |= kept
    return releases


def dump(value: Any) -> str:  # noqa: ANN401  (JSON)
    """Return the one way to write a value, on one line."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def compose(releases: Releases) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each file of an archive, by kind."""
    by_kind: dict[str, list[tuple[BundledRelease, Crd]]] = {}
    for release, crds in releases.items():
        for crd in crds:
            name = f"{crd['spec']['group']}/{crd['spec']['names']['kind']}"
            by_kind.setdefault(name, []).append((release, crd))
    for name, rows in sorted(by_kind.items()):
        lines: dict[str, int] = {}
        heads: dict[str, list[list[str]]] = {}
        for release, crd in rows:
            versions = []
            for version in crd["spec"]["versions"]:
                text = dump(version["schema"]["openAPIV3Schema"])
                versions.append({**version, "schema": lines.setdefault(text, len(lines) + 1)})
            metadata = {key: item for key, item in crd["metadata"].items() if key != "annotations"}
            head = {**crd, "metadata": metadata, "spec": {**crd["spec"], "versions": versions}}
            heads.setdefault(dump(head), []).append([release.version, release.channel])
        table = [{"releases": of, "crd": json.loads(head)} for head, of in heads.items()]
        yield name, "\n".join((dump(table), *lines)) + "\n"


def write(product: str, releases: Releases) -> None:
    """Write the archive of a product, with nothing in it of when and where it was made."""
    with zipfile.ZipFile(BUNDLE / f"{product}.zip", "w") as archive:
        for name, text in compose(releases):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, text.encode(), zipfile.ZIP_DEFLATED, 9)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write archives, index and notice from the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--from", dest="given", action="append", default=[], metavar="RELEASE=FOLDER"
    )
    pairs = (text.partition("=") for text in parser.parse_args(arguments).given)
    given = {release: Path(path) for release, _, path in pairs}
    index: dict[str, Any] = {}
    for product, row in tomllib.loads(TABLE.read_text(encoding="utf-8")).items():
        releases = collect(product, row, given)
        write(product, releases)
        channels: dict[str, list[str]] = {}
        for release in releases:
            channels.setdefault(release.version, []).extend(filter(None, [release.channel]))
        groups = sorted({crd["spec"]["group"] for crds in releases.values() for crd in crds})
        index[product] = {
            "title": row["title"], "source": row["source"], "groups": groups, "releases": channels,
        }  # fmt: skip
    rows = (f"{json.dumps(product)}:{json.dumps(row)}" for product, row in index.items())
    (BUNDLE / INDEX).write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
