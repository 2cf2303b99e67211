"""An artifact is the same bytes whoever makes it and whenever."""

from __future__ import annotations

import gzip
import io
import json
import tarfile

from hypothesis import given
from hypothesis import strategies as st

from spokerender.edge.registry.artifacts import REVISION, compute_digest, make_artifact

FILES = {
    "shop/gateway.gateway.networking.k8s.io_web.yaml": b"a: 1\n",
    "kustomization.yaml": b"kind: Kustomization\n",
    "_cluster/namespace_shop.yaml": b"",
}
LONG = f"shop/{'x' * 253}.{'y' * 200}_{'ä' * 200}.yaml"


def unpacked(layer: bytes) -> dict[str, tuple[bytes | None, int, int, int, int, str, str]]:
    """Each member: its bytes (None for a folder), time, owner, group, mode, names."""
    with tarfile.open(fileobj=io.BytesIO(layer), mode="r:gz") as tar:
        return {
            each.name: (
                data.read() if (data := tar.extractfile(each)) is not None else None,
                int(each.mtime),
                each.uid,
                each.gid,
                each.mode,
                each.uname,
                each.gname,
            )
            for each in tar
        }


def test_what_is_in_it() -> None:
    layer = make_artifact(FILES, {}).blobs[0].data
    folder, file = (None, 0, 0, 0, 0o755, "", ""), (0, 0, 0, 0o644, "", "")
    found = unpacked(layer)
    assert found == {
        "_cluster": folder,
        "_cluster/namespace_shop.yaml": (b"", *file),
        "kustomization.yaml": (b"kind: Kustomization\n", *file),
        "shop": folder,
        "shop/gateway.gateway.networking.k8s.io_web.yaml": (b"a: 1\n", *file),
    }
    assert list(found) == sorted(found)


def test_the_header_of_the_gzip_says_nothing() -> None:
    """RFC 1952, 2.3: no name, no time, the strongest compression, an unknown system."""
    layer = make_artifact(FILES, {}).blobs[0].data
    assert layer[:10] == bytes.fromhex("1f8b08000000000002ff")


def test_a_long_path_is_kept() -> None:
    assert LONG in unpacked(make_artifact({LONG: b"a"}, {}).blobs[0].data)


def test_the_manifest() -> None:
    made = make_artifact(FILES, {REVISION: "main@sha1:1"})
    layer, config = made.blobs
    assert json.loads(made.manifest) == {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {
            "mediaType": "application/vnd.cncf.flux.config.v1+json",
            "digest": compute_digest(config.data),
            "size": len(config.data),
        },
        "layers": [
            {
                "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
                "digest": compute_digest(layer.data),
                "size": len(layer.data),
            }
        ],
        "annotations": {
            "org.opencontainers.image.created": "1970-01-01T00:00:00Z",
            "org.opencontainers.image.revision": "main@sha1:1",
        },
    }
    archive = compute_digest(gzip.decompress(layer.data))
    assert json.loads(config.data) == {"rootfs": {"type": "layers", "diff_ids": [archive]}}


@given(st.permutations(sorted(FILES)))
def test_the_order_of_files_does_not_matter(paths: list[str]) -> None:
    assert make_artifact({path: FILES[path] for path in paths}, {}) == make_artifact(FILES, {})


def test_one_byte_changes_the_digest() -> None:
    before = make_artifact(FILES, {})
    after = make_artifact({**FILES, "kustomization.yaml": b"kind: kustomization\n"}, {})
    assert before.digest != after.digest
    assert not after.has_content_of(before.manifest)


def test_annotations_are_no_content() -> None:
    plain, told = make_artifact(FILES, {}), make_artifact(FILES, {REVISION: "1"})
    assert plain.digest != told.digest
    assert told.has_content_of(plain.manifest)


def test_what_is_no_manifest_has_other_content() -> None:
    made = make_artifact(FILES, {})
    for text in (b"", b"[]", b"null", b"[" * 100_000, b"\xff", made.blobs[1].data):
        assert not made.has_content_of(text)
