"""CRDs kept for validation: one a file, with checksums of what they were when they came."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from spokerender.adopting.imports import text_of
from spokerender.findings.codes.adopting import NO_CRD, NOT_FROM_US
from spokerender.findings.codes.hub import EMPTY_HUB
from spokerender.findings.results import Result
from spokerender.findings.words import count
from spokerender.kinds.crds import CRD_KIND, kind_of
from spokerender.kinds.marks import NO_MARKS, Marks
from spokerender.model import Manifest, Origin
from spokerender.rendering.cleaning import cleaned
from spokerender.topology.hub import assemble

Files = Sequence[tuple[str, bytes]]
"""Files by the path that messages name, and their bytes."""

SUMS = "SHA256SUMS"
"""The checksums, as `sha256sum --check` reads them."""
_LINE = re.compile(r"^([0-9a-f]{64})  (\S.*)$", re.MULTILINE)


class Kept(Struct, frozen=True):
    """The files to write in the folder, by name, and how many are right already."""

    files: Mapping[str, bytes]
    unchanged: int
    results: tuple[Result, ...]


def kept(sources: Files, present: Mapping[str, bytes], marks: Marks = NO_MARKS) -> Kept:
    """Keep the CRDs of files in a folder.

    A file that is there is replaced only if it is as it came: its checksum says so.

    Args:
        sources: files with CRDs, and perhaps with other objects.
        present: what is in the folder, by name.
        marks: what engines write into objects.

    """
    read = assemble(sources)
    results = [each for each in read.results if each.code != EMPTY_HUB.code]
    crds = [each for each in read.manifests if each.ref.kind == CRD_KIND]
    results += _left_out(sources, len(read.manifests) - len(crds), len(crds))
    sums = sums_of(present.get(SUMS, b""))
    files: dict[str, bytes] = {}
    unchanged = 0
    for manifest in crds:
        name, data = f"{manifest.ref.name}.yaml", text_of(manifest, cleaned(manifest.object, marks))
        if kind_of(manifest.object) is None:
            results.append(_of(manifest, "it is a CRD that defines no kind"))
        elif present.get(name) == data:
            unchanged += 1
            sums[name] = _sum(data)
        elif name in present and sums.get(name) != _sum(present[name]):
            message = f"{name} is there, and is not as it was added"
            cure = "move it away, or choose another folder with -o"
            result = NOT_FROM_US.result(
                message, cure=cure, resource=manifest.ref, origin=manifest.origin
            )
            results.append(result)
        else:
            files[name] = data
            sums[name] = _sum(data)
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items())).encode()
    if present.get(SUMS) != text and crds:
        files[SUMS] = text
    return Kept(files, unchanged, tuple(results))


def sums_of(data: bytes) -> dict[str, str]:
    """The checksum of each file, by name."""
    return {name: digest for digest, name in _LINE.findall(data.decode(errors="replace"))}


def _left_out(sources: Files, others: int, crds: int) -> list[Result]:
    if crds:
        return []
    message = f"there is no CRD in what was named, but {count(others, 'other object')}"
    at = Origin(sources[0][0]) if sources else None
    return [NO_CRD.result(message, cure="name a file with CRDs", origin=at)]


def _of(manifest: Manifest, message: str) -> Result:
    cure = "export it with kubectl get crd -o yaml"
    return NO_CRD.result(message, cure=cure, resource=manifest.ref, origin=manifest.origin)


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
