"""The loops of the guide to registries, with the real programs: they push what changed, exactly."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.conftest import ROOT
from tests.live.building import program
from tests.live.running import free_port, listens, running
from tests.support.git import run_git

pytestmark = pytest.mark.live

GUIDE = (ROOT / "docs/guides/oci.md").read_text(encoding="utf-8")
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
SPOKES = ["eu", "us"]


class Fleet:
    """A project as the guide makes it, in Git, and a registry that is the specification's own."""

    def __init__(self, folder: Path, pushing: str) -> None:
        """Take the block of the guide that runs a program."""
        self.folder, self.data, self.port = folder / "fleet", folder / "data", free_port()
        (block,) = re.findall(
            rf"```console\n((?:(?!```).)*?\b{pushing} push.*?)```", GUIDE, re.DOTALL
        )
        assert block.count("registry.example.com/") == 1
        self.block = block.replace("registry.example.com/", f"localhost:{self.port}/")
        config = {
            "version": 0.1,
            "storage": {"filesystem": {"rootdirectory": str(self.data)}},
            "http": {"addr": f"127.0.0.1:{self.port}"},
        }
        (folder / "config.yml").write_text(json.dumps(config))
        programs = (Path(program(pushing)).parent, Path(sys.executable).parent, os.environ["PATH"])
        self.environment = {"PATH": os.pathsep.join(map(str, programs)), "HOME": str(folder)}
        assert self._run("spokerender init fleet --spokes eu,us -q", folder).returncode == 0
        run_git(self.folder, "init", "--quiet", "--initial-branch=main")
        run_git(self.folder, "remote", "add", "origin", "https://git.example.com/team/fleet")
        self.commit()

    def _run(self, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", text], cwd=folder, env=self.environment, capture_output=True, text=True
        )

    def commit(self) -> None:
        run_git(self.folder, "add", "--all")
        run_git(self.folder, "commit", "--quiet", "--allow-empty", "--message=all")

    def push(self) -> subprocess.CompletedProcess[str]:
        """Run the loop, as from a fresh checkout: nobody says how old a file is, or whose."""
        for path in self.folder.glob("clusters/**/*"):
            os.utime(path)
            path.chmod(path.stat().st_mode ^ 0o020)
        return self._run(self.block, self.folder)

    def edit(self, spoke: str) -> None:
        """Give a spoke another tree, and commit it."""
        placement = self.folder / "placement.yaml"
        text = placement.read_text(encoding="utf-8")
        assert text.count(f"{spoke}.example.com") == 1
        placement.write_text(text.replace(f"{spoke}.example.com", f"{spoke}.example.org"))
        assert self._run("spokerender build -q", self.folder).returncode == 0
        self.commit()

    def get(self, path: str) -> bytes:
        url = f"http://127.0.0.1:{self.port}/v2/team/fleet/{path}"
        with urlopen(Request(url, headers={"Accept": MANIFEST})) as answer:
            data: bytes = answer.read()
            return data

    def manifest(self, spoke: str) -> bytes:
        return self.get(f"{spoke}/manifests/latest")

    def pulled(self, spoke: str) -> dict[str, bytes]:
        """The files of a spoke's one layer."""
        (layer,) = json.loads(self.manifest(spoke))["layers"]
        archive = gzip.decompress(self.get(f"{spoke}/blobs/{layer['digest']}"))
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            files = {each.name: tar.extractfile(each) for each in tar if each.isfile()}
        return {Path(name).as_posix(): file.read() for name, file in files.items() if file}

    def on_disk(self, spoke: str) -> dict[str, bytes]:
        folder = self.folder / "clusters" / spoke
        files = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(params=["flux", "oras"])
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path, request.param)
    command = [program("registry"), "serve", str(tmp_path / "config.yml")]
    with running(command, tmp_path / "registry.log", lambda: listens(fleet.port)):
        yield fleet


def test_each_spoke_is_pushed_byte_for_byte(fleet: Fleet) -> None:
    done = fleet.push()
    assert done.returncode == 0, done.stderr
    for spoke in SPOKES:
        files = fleet.on_disk(spoke)
        assert fleet.pulled(spoke) == files
        assert len(files) > 3
    with pytest.raises(HTTPError):
        fleet.manifest("_fleet")


def test_only_what_changed_is_pushed(fleet: Fleet) -> None:
    """Other times, another mode, another commit: the same files have the same digest."""
    assert fleet.push().returncode == 0
    before = {spoke: fleet.manifest(spoke) for spoke in SPOKES}
    fleet.commit()
    assert fleet.push().returncode == 0
    assert {spoke: fleet.manifest(spoke) for spoke in SPOKES} == before
    fleet.edit("eu")
    assert fleet.push().returncode == 0
    after = {spoke: fleet.manifest(spoke) for spoke in SPOKES}
    assert [spoke for spoke in SPOKES if after[spoke] != before[spoke]] == ["eu"]
    assert fleet.pulled("eu") == fleet.on_disk("eu")


def test_nothing_is_pushed_that_check_refuses(fleet: Fleet) -> None:
    (fleet.folder / "clusters/us/kustomization.yaml").write_text("edited\n")
    assert fleet.push().returncode == 1
    for spoke in SPOKES:
        with pytest.raises(HTTPError):
            fleet.manifest(spoke)


def test_a_registry_that_is_not_there_is_an_error(fleet: Fleet) -> None:
    fleet.block = fleet.block.replace(f":{fleet.port}/", f":{free_port()}/")
    assert fleet.push().returncode not in {0, 127}


def test_flux_reads_what_either_pushes(fleet: Fleet, tmp_path: Path) -> None:
    assert fleet.push().returncode == 0
    source, pulled = f"oci://localhost:{fleet.port}/team/fleet/us:latest", tmp_path / "pulled"
    pulled.mkdir()
    command = [program("flux"), "pull", "artifact", source, "--output", str(pulled)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    files = (path for path in pulled.rglob("*") if path.is_file())
    found = {path.relative_to(pulled).as_posix(): path.read_bytes() for path in files}
    assert found == fleet.on_disk("us")


def test_argo_cd_reads_the_layer_that_oras_pushes(tmp_path: Path) -> None:
    """Its repository server allows OCI's own types by default (cmd/argocd-repo-server)."""
    fleet = Fleet(tmp_path, "oras")
    command = [program("registry"), "serve", str(tmp_path / "config.yml")]
    with running(command, tmp_path / "registry.log", lambda: listens(fleet.port)):
        assert fleet.push().returncode == 0
        (layer,) = json.loads(fleet.manifest("eu"))["layers"]
    assert layer["mediaType"] == LAYER
