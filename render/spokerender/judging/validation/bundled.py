"""Reads the CRDs that come with the package (carried CRDs), each kind's only when needed."""

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from msgspec import Struct, field

from spokerender.kinds.crds import BUNDLE, CHANNEL
from spokerender.model.releases import BundledRelease, bundle_file, find_product

_Head = Mapping[str, Any]


class BundledKind(Struct, frozen=True, eq=False):
    """The CRDs of a kind in this package, by release; `lines` has schemas, parsed when needed."""

    product: str
    heads: Mapping[BundledRelease, _Head] = field(default_factory=dict)
    lines: tuple[str, ...] = ()

    def serves(self, release: BundledRelease, version: str) -> bool:
        """Return whether a release serves a version of the kind."""
        versions = self.heads[release]["spec"]["versions"]
        return any(row["name"] == version and row["served"] for row in versions)

    def crd(self, release: BundledRelease) -> dict[str, Any]:
        """Return the CRD of a release as an object, with its schemas parsed."""
        head = self.heads[release]
        metadata, spec = {**head["metadata"]}, head["spec"]
        if release.channel:
            metadata["annotations"] = {BUNDLE: release.version, CHANNEL: release.channel}
        versions = [
            {**row, "schema": {"openAPIV3Schema": json.loads(self.lines[row["schema"]])}}
            for row in spec["versions"]
        ]
        return {**head, "metadata": metadata, "spec": {**spec, "versions": versions}}

    @property
    def has_transitions(self) -> bool:
        """True if any schema may have a transition rule (`oldSelf`)."""
        return any("oldSelf" in line for line in self.lines)


@cache
def find_bundled(group: str, kind: str) -> BundledKind:
    """Return the CRDs of a kind in this package; `heads` is empty if there are none."""
    product = find_product(group)
    if not product:
        return BundledKind("")
    with _open(product) as archive:
        try:
            text = archive.read(f"{group}/{kind}").decode()
        except KeyError:
            return BundledKind(product)
    lines = tuple(text.splitlines())
    heads = {
        BundledRelease(product, version, channel): row["crd"]
        for row in json.loads(lines[0])
        for version, channel in row["releases"]
    }
    return BundledKind(product, heads, lines)


@contextmanager
def _open(product: str) -> Iterator[zipfile.ZipFile]:
    with bundle_file(f"{product}.zip").open("rb") as file, zipfile.ZipFile(file) as archive:
        yield archive


def read_release(release: BundledRelease) -> Iterator[dict[str, Any]]:
    """Yield all CRDs of a release as objects."""
    with _open(release.product) as archive:
        names = archive.namelist()
    for name in names:
        group, _, kind = name.partition("/")
        bundled = find_bundled(group, kind)
        if release in bundled.heads:
            yield bundled.crd(release)
