"""Flux's kustomize-controller brings spokes to what Git has, as our Kustomizations ask it to.

Its source-controller can't be built from what the Go module proxy has, so that the test does its
part: it archives a commit, serves the archive on loopback, and writes that into the GitRepository.
The hub is the spoke of the second wave.
"""

import hashlib
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.live.building import module_folder, program
from tests.live.cluster import Cluster, cluster
from tests.live.definitions import crds, of_examples
from tests.live.running import free_port, listens, running
from tests.live.test_api_server import missing
from tests.live.trees import objects, rendered
from tests.live.waiting import until
from tests.wings.delivery.engines import delivered_by, fleet_files

pytestmark = pytest.mark.live

Json = dict[str, Any]
NAMESPACE = "flux-system"
KUSTOMIZATIONS = "kustomizations.kustomize.toolkit.fluxcd.io"
FIRST, SECOND = "europe", "america"


class Repository:
    """A Git repository, and a server that has its commits as archives."""

    def __init__(self, folder: Path) -> None:
        """Begin without a commit."""
        self.work, self.archives = folder / "work", folder / "archives"
        self.archives.mkdir()
        self.work.mkdir()
        self._git("init", "-q", "-b", "main")
        handler = partial(_Quiet, directory=str(self.archives))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def serving(self) -> Iterator[None]:
        with self._server:
            threading.Thread(target=self._server.serve_forever, daemon=True).start()
            yield
            self._server.shutdown()

    def commit(self, files: Mapping[str, bytes]) -> Json:
        """Commit a whole tree; the artifact that the source-controller would tell of it."""
        self._git("rm", "-rq", "--ignore-unmatch", ".")
        for path, data in files.items():
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            (self.work / path).write_bytes(data)
        self._git("add", "-A")
        self._git("commit", "-qm", "what is rendered")
        commit = self._git("rev-parse", "HEAD").strip()
        archive = self.archives / f"{commit}.tar.gz"
        self._git("archive", "--format=tar.gz", "-o", str(archive), "HEAD")
        data = archive.read_bytes()
        return {
            "digest": f"sha256:{hashlib.sha256(data).hexdigest()}",
            "lastUpdateTime": "2026-01-01T00:00:00Z",
            "path": archive.name,
            "revision": f"main@sha1:{commit}",
            "size": len(data),
            "url": f"{self.url}/{archive.name}",
        }

    def _git(self, *arguments: str) -> str:
        who = ("-c", "user.name=live", "-c", "user.email=live@live.test")
        command = ["git", *who, "-C", str(self.work), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class's name)
        pass


@dataclass(frozen=True)
class Fleet:
    """Two clusters, the repository, and what it has at first."""

    hub: Cluster
    spoke: Cluster
    repository: Repository
    tree: Mapping[str, bytes]

    def publish(self, files: Mapping[str, bytes]) -> str:
        """Commit, and let Flux know; the revision."""
        artifact = self.repository.commit(files)
        text = yaml.safe_dump({"status": {"artifact": artifact}})
        place = ("-n", NAMESPACE, "gitrepository", "fleet", "--subresource=status")
        self.hub.kubectl("patch", *place, "--type=merge", "-p", text)
        return str(artifact["revision"])

    def ready(self, name: str) -> tuple[str, str]:
        """Whether a Kustomization is ready, and at what revision, or why not."""
        found = self.hub.get(KUSTOMIZATIONS, name, NAMESPACE) or {}
        status = found.get("status", {})
        for each in status.get("conditions", []):
            if each["type"] == "Ready":
                is_so = each["status"] == "True"
                revision = status.get("lastAppliedRevision", "")  # it comes after the condition
                return each["status"], revision if is_so else each["reason"]
        return "", ""


def wanted(files: Mapping[str, bytes], spoke: str) -> list[Json]:
    """The objects of a spoke's folder."""
    folder = f"clusters/{spoke}/"
    found = [
        objects(data.decode())
        for path, data in files.items()
        if path.startswith(folder) and not path.endswith("kustomization.yaml")
    ]
    return [value for each in found for value in each.values()]


def live(where: Cluster, value: Json) -> Any:
    group = value["apiVersion"].rpartition("/")[0]
    metadata = value["metadata"]
    resource = f"{value['kind']}.{group}".lower().rstrip(".")
    return where.get(resource, metadata["name"], metadata.get("namespace"))


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Both clusters, the controller, and the Kustomizations of an example; no commit yet."""
    controller = program("kustomize-controller")
    folder = tmp_path_factory.mktemp("flux")
    for name in ("hub", "spoke"):
        (folder / name).mkdir()
    repository = Repository(folder)
    flux = {
        "source": {"url": f"{repository.url}/fleet", "ref": {"branch": "main"}, "name": "fleet"},
        "healthChecks": True,
        "waves": [{"spokes": {"names": [FIRST]}}, {"spokes": {"all": True}}],
    }
    delivered = fleet_files(delivered_by(rendered("ocm"), {"flux": flux}))
    tree = {
        f"clusters/{spoke}/{path}": data
        for spoke in (FIRST, SECOND)
        for path, data in rendered("ocm").tree.files(spoke).items()
    }
    port = free_port()
    command = [controller, "--metrics-addr=0", f"--health-addr=127.0.0.1:{port}"]
    command += ["--requeue-dependency=1s", "--insecure-kubeconfig-tls"]
    with (
        repository.serving(),
        cluster(folder / "hub") as hub,
        cluster(folder / "spoke") as spoke,
        pytest.MonkeyPatch.context() as patch,
    ):
        own = crds(module_folder("kustomize-controller") / "config/crd/bases")
        sources = crds(module_folder("source-controller") / "config/crd/bases")
        hub.install([*own, *sources, *of_examples()])
        spoke.install(of_examples())
        hub.ensure_namespace(NAMESPACE)
        for name, where in ((FIRST, spoke), (SECOND, hub)):
            value = f"--from-file=value={where.kubeconfig}"
            secret = ("secret", "generic", f"{name}-kubeconfig", "-n", NAMESPACE, value)
            hub.kubectl("create", *secret)
        for documents in delivered.values():
            text = yaml.safe_dump_all(documents)
            hub.kubectl("apply", "--server-side", "-f", "-", text=text)
        patch.setitem(os.environ, "KUBECONFIG", str(hub.kubeconfig))
        patch.setitem(os.environ, "RUNTIME_NAMESPACE", NAMESPACE)
        with running(command, folder / "kustomize-controller.log", lambda: listens(port)):
            yield Fleet(hub, spoke, repository, tree)


def test_a_wave_waits_until_the_one_before_is_in_force(fleet: Fleet) -> None:
    """Of the first, what is there is not ready until its Gateways and policies say so."""
    revision = fleet.publish(fleet.tree)
    first, second = (wanted(fleet.tree, name) for name in (FIRST, SECOND))
    until(lambda: all(live(fleet.spoke, value) for value in first))
    assert all(missing(value, live(fleet.spoke, value)) == [] for value in first)
    until(lambda: fleet.ready(SECOND), ("False", "DependencyNotReady").__eq__)
    assert fleet.ready(FIRST)[0] != "True"
    is_open = [value["kind"] for value in second if live(fleet.hub, value)]
    assert is_open == []
    in_force(fleet.spoke, first)
    until(lambda: fleet.ready(FIRST), ("True", revision).__eq__)
    until(lambda: all(live(fleet.hub, value) for value in second))
    in_force(fleet.hub, second)
    until(lambda: fleet.ready(SECOND), ("True", revision).__eq__)


def in_force(where: Cluster, values: list[Json]) -> None:
    """Say of all that it is, as the controllers of Gateways and policies would."""
    for value in values:
        if value["kind"] == "Gateway":
            where.report(value, {"Accepted": "Accepted", "Programmed": "Programmed"})
        elif value["kind"].endswith("Policy"):
            where.report(value, {"Accepted": "Accepted", "Enforced": "Enforced"})


def test_what_the_next_commit_removes_is_pruned_and_nothing_else(fleet: Fleet) -> None:
    """A Namespace alone stays that has left the tree: it is annotated for that."""
    folder = f"clusters/{FIRST}"
    gone = ("ratelimitpolicy.kuadrant.io_web.yaml", "namespace_toystore.yaml")
    next_tree = {path: data for path, data in fleet.tree.items() if not path.endswith(gone)}
    listing = f"{folder}/kustomization.yaml"
    lines = fleet.tree[listing].decode().splitlines(keepends=True)
    next_tree[listing] = "".join(
        line for line in lines if not line.rstrip('"\n').endswith(gone)
    ).encode()
    before = [(value, live(fleet.spoke, value)) for value in wanted(fleet.tree, FIRST)]
    revision = fleet.publish(next_tree)
    until(lambda: fleet.ready(FIRST), ("True", revision).__eq__)
    left = [value["kind"] for value, _ in before if live(fleet.spoke, value) is None]
    assert left == ["RateLimitPolicy"]
    for value, was in before:
        if value["kind"] not in left:
            assert live(fleet.spoke, value)["metadata"]["uid"] == was["metadata"]["uid"]


def test_a_kustomization_that_is_gone_leaves_its_spoke_as_it_is(fleet: Fleet) -> None:
    there = [value for value in wanted(fleet.tree, FIRST) if live(fleet.spoke, value)]
    fleet.hub.kubectl("delete", KUSTOMIZATIONS, FIRST, "-n", NAMESPACE, "--timeout=120s")
    assert fleet.hub.get(KUSTOMIZATIONS, FIRST, NAMESPACE) is None
    assert [value["kind"] for value in there if live(fleet.spoke, value) is None] == []
