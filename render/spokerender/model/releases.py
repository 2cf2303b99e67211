"""Releases of CRDs that are bundled with spokerender, and their names: `kuadrant@v1.5.2`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

GATEWAY_API_PRODUCT = "gateway-api"
FOLDER, INDEX = "kinds/schemas", "index.json"


class BundledRelease(Struct, frozen=True, order=True):
    """A release of a product, and its channel if the product has channels."""

    product: str
    version: str
    channel: str = ""

    def __str__(self) -> str:
        """Return the release as fleet.yaml names it."""
        return f"{self.product}@{self.version}" + (f"/{self.channel}" if self.channel else "")

    @property
    def title(self) -> str:
        """Return the release as messages name it: `Gateway API v1.4.1 standard`."""
        return " ".join(
            filter(None, (read_products()[self.product].title, self.version, self.channel))
        )


class BundledProduct(Struct, frozen=True):
    """A project whose CRDs are bundled: its API groups, and the channels of each release."""

    title: str
    source: str
    groups: tuple[str, ...]
    releases: Mapping[str, tuple[str, ...]]


def bundle_file(name: str) -> Traversable:
    """Return a file with bundled CRDs: the index, or the archive of a product."""
    return resources.files("spokerender").joinpath(FOLDER, name)


@cache
def read_products() -> Mapping[str, BundledProduct]:
    """Return the products whose CRDs are bundled, by name, from the index; no archive is opened."""
    return msgspec.json.decode(bundle_file(INDEX).read_bytes(), type=dict[str, BundledProduct])


def find_product(group: str) -> str:
    """Return the product that an API group belongs to; empty if no bundled product has it."""
    return next((name for name, row in read_products().items() if group in row.groups), "")


@cache
def list_releases(product: str) -> tuple[BundledRelease, ...]:
    """Return a product's releases, oldest first; a release's channel `standard` comes first."""
    releases = read_products()[product].releases
    return tuple(
        BundledRelease(product, version, channel)
        # By numbers: as texts, v1.10 would be older than v1.9.
        for version in sorted(releases, key=release_order)
        for channel in sorted(releases[version] or ("",), reverse=True)  # "standard" first
    )


def list_newest() -> tuple[BundledRelease, ...]:
    """Return the newest bundled release of each product, in all its channels."""
    return tuple(
        release
        for product in read_products()
        for release in list_releases(product)
        if release.version == list_releases(product)[-1].version
    )


def release_order(version: str) -> tuple[int, ...]:
    """Return the sort key of a version."""
    return tuple(map(int, re.findall("[0-9]{1,9}", version)))


def find_releases(entry: str) -> tuple[BundledRelease, ...]:
    """Return the bundled releases that `entry` means: one per channel if it names no channel.

    `kuadrant@1.5` means the newest bundled 1.5; the channel is after a slash.
    """
    product, _, rest = entry.partition("@")
    version, _, channel = rest.partition("/")
    # With a dot at the end, 1.5 means 1.5.2, and not 1.50.0.
    prefix = f"v{version.removeprefix('v')}."
    fitting = [
        release
        for release in (list_releases(product) if product in read_products() else ())
        if f"{release.version}.".startswith(prefix) and channel in ("", release.channel)
    ]
    return tuple(release for release in fitting if release.version == fitting[-1].version)
