"""A registry: what is pushed is pulled byte for byte, and a push that is killed is mended."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.conftest import ROOT
from tests.edge.registry.test_artifacts import unpacked
from tests.live.building import program
from tests.live.running import free_port, listens, running

pytestmark = pytest.mark.live

SPOKERENDER = str(Path(sys.executable).with_name("spokerender"))
CLUSTERS = ROOT / "clusters"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


class Registry:
    """The reference implementation of the distribution specification, on a port of this machine."""

    def __init__(self, folder: Path) -> None:
        """Keep what is pushed below a folder."""
        self.folder, self.port = folder, free_port()
        config = {
            "version": 0.1,
            "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
            "http": {"addr": f"127.0.0.1:{self.port}"},
        }
        (folder / "config.yml").write_text(json.dumps(config))

    def running(self) -> Any:
        command = [program("registry"), "serve", str(self.folder / "config.yml")]
        return running(command, self.folder / "registry.log", lambda: listens(self.port))

    def get(self, path: str) -> bytes:
        request = Request(f"http://127.0.0.1:{self.port}/v2/{path}", headers={"Accept": MANIFEST})
        with urlopen(request) as answer:
            data: bytes = answer.read()
            return data

    def push(self, *options: str) -> subprocess.CompletedProcess[str]:
        command = [SPOKERENDER, "push", str(ROOT / "examples/shop"), "-o", str(CLUSTERS)]
        place = f"oci://127.0.0.1:{self.port}/team/fleet"
        done = subprocess.run([*command, place, *options], capture_output=True, text=True)
        assert "this is a fault" not in done.stderr
        return done


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    found = Registry(tmp_path)
    with found.running():
        yield found


def test_what_is_pushed_is_pulled(registry: Registry) -> None:
    done = registry.push("--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    artifacts = json.loads(done.stdout)["artifacts"]
    spokes = sorted(path.name for path in CLUSTERS.iterdir() if not path.name.startswith("_"))
    assert [(each["spoke"], each["state"]) for each in artifacts] == [(s, "pushed") for s in spokes]
    for each in artifacts:
        repository = f"team/fleet/{each['spoke']}"
        manifest = registry.get(f"{repository}/manifests/latest")
        assert f"sha256:{hashlib.sha256(manifest).hexdigest()}" == each["digest"]
        (layer,) = json.loads(manifest)["layers"]
        data = registry.get(f"{repository}/blobs/{layer['digest']}")
        pulled = {path: file for path, (file, *_) in unpacked(data).items() if file is not None}
        folder = CLUSTERS / each["spoke"]
        files = (path for path in folder.rglob("*") if path.is_file())
        assert pulled == {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    again = json.loads(registry.push("--format", "json").stdout)["artifacts"]
    assert again == [{**each, "state": "unchanged"} for each in artifacts]


def test_a_registry_that_is_killed_half_way(tmp_path: Path) -> None:
    """It goes with the first artifacts there; a push to the one that comes back does the rest."""
    found = Registry(tmp_path)
    with found.running():
        assert found.push("--spoke", "eu-west-1-prod").returncode == 0
    gone = found.push()
    assert gone.returncode == 2
    assert "0 of 8 spokes are pushed; run push again for the others" in gone.stderr
    with found.running():
        last = found.push().stdout.splitlines()[-1]
        assert last == "8 artifacts: 7 pushed, 1 unchanged"
