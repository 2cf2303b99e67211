"""kube-apiserver takes a spoke's folder again after every change, and what has left it is pruned.

Each state is applied over the one before, as `kubectl apply --prune --applyset` does it, and must
come to what it comes to where nothing was: nothing of an older state stays behind, in no field,
and nothing that stays is made anew.
"""

import base64
import hashlib
import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from spokerender.rendering.values.rendered import Rendered
from tests.live.building import program
from tests.live.cluster import Cluster
from tests.live.definitions import of_examples
from tests.live.hub_policies import GATEWAY_API
from tests.live.hubs import obj
from tests.live.test_api_server import Resources, missing, read
from tests.live.trees import EXAMPLES
from tests.support import end_to_end as e2e

pytestmark = pytest.mark.live

Json = dict[str, Any]
Objects = Mapping[str, Json]
EXAMPLE = EXAMPLES / "renamed-and-moved"
SET = "applyset.kubernetes.io/part-of"
LAST = "kubectl.kubernetes.io/last-applied-configuration"
WAYS = {"server-side": ("--server-side",), "client-side": ()}
CLASSES = f"gatewayclasses.{GATEWAY_API}"
PARENT = f"{CLASSES}/spoke"
"""The set's own object: it must be in no namespace, as what is applied is in several."""
NOTHING = "error: no objects passed to apply"


def rendered(as_: str, *changes: tuple[str, str], without: str = "") -> Rendered:
    """The example with other names and texts, and without one of its files."""
    hub = {f"hub/{file.name}": file.read_text() for file in (EXAMPLE / "hub").iterdir()}
    for old, new in changes:
        assert any(old in text for text in hub.values()), old
        hub = {path: text.replace(old, new) for path, text in hub.items()}
    hub.pop(f"hub/{without}", None)
    fleet = {"fleet.yaml": (EXAMPLE / "fleet.yaml").read_text()}
    return e2e.built({**hub, **fleet, "placement.yaml": e2e.everywhere("infra/web", as_=as_)})


COUNTERS = "      counters:\n        - expression: source.remote_address\n"
CHANGES = (
    ("port: 443", "port: 8443"),
    ("mode: Terminate", "options: {example.com/tls: modern}"),
    (COUNTERS, ""),
    ("limit: 50", "limit: 20"),
    ("anonymous: {}", "apiKey: {selector: {matchLabels: {app: web}}}"),
    ("service: example.orders.v1.Orders", "method: List"),
)
STATES = {
    "the first": rendered("{}"),
    "changed": rendered("{}", *CHANGES),
    "renamed": rendered("{name: edge}", *CHANGES),
    "moved": rendered("{name: edge, namespace: ingress}"),
    "of another class": rendered("{name: edge, namespace: ingress, gatewayClassName: istio}"),
    "without a route": rendered("{name: edge, namespace: ingress}", without="orders.yaml"),
    "as before": rendered("{}"),
}


class Spoke:
    """The folder of a spoke, and a cluster to which its states are applied in one way."""

    def __init__(self, cluster: Cluster, resources: Resources, folder: Path) -> None:
        """Begin without a folder."""
        self.cluster, self.resources, self.folder = cluster, resources, folder

    def apply(self, state: Rendered, *options: str) -> Objects:
        """Apply what a state has; the objects as the API server has them then."""
        self.write(state)
        wanted = e2e.objects(state)
        for value in wanted.values():
            self.cluster.ensure_namespace(value["metadata"]["namespace"])
        self.kubectl(*options)
        live = {key: read(self.cluster, self.resources, value) for key, value in wanted.items()}
        assert [place for key in wanted for place in missing(wanted[key], live[key])] == []
        return live

    def write(self, state: Rendered) -> None:
        for file in [path for path in self.folder.rglob("*") if path.is_file()]:
            file.unlink()
        e2e.write(self.folder, dict(state.tree.files("s1")))

    def kubectl(self, *options: str, verb: str = "apply") -> str:
        return self.cluster.kubectl(verb, "-k", self.folder, *options)

    def members(self, values: Objects) -> set[str]:
        """The names of what is there of the kinds of these objects."""
        kinds = {(value["apiVersion"], value["kind"]) for value in values.values()}
        found = set()
        for version, kind in kinds:
            group, _, _ = version.rpartition("/")
            resource = f"{self.resources[version, kind][0]}.{group}".rstrip(".")
            items = self.cluster.kubectl("get", resource, "-A", "-o", "name").split()
            found |= {f"{kind} {item.partition('/')[2]}" for item in items}
        return found


def cleared(value: Json) -> Json:
    """An object without what tells when it was made, and by which run of kubectl."""
    metadata = {key: value["metadata"][key] for key in ("name", "namespace")}
    for field, own in (("labels", SET), ("annotations", LAST)):
        texts = {k: v for k, v in value["metadata"].get(field, {}).items() if k != own}
        metadata |= {field: texts} if texts else {}
    return {**value, "metadata": metadata}


def parent() -> Json:
    """The object of a set, as KEP-3659 wants it: kubectl makes no GatewayClass without a spec."""
    made = obj("GatewayClass", "spoke", "", {"controllerName": "example.com/controller"})
    digest = hashlib.sha256(f"spoke..GatewayClass.{GATEWAY_API}".encode()).digest()
    name = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    made["metadata"] |= {
        "labels": {"applyset.kubernetes.io/id": f"applyset-{name}-v1"},
        "annotations": {
            "applyset.kubernetes.io/tooling": "kubectl/v1.0",
            "applyset.kubernetes.io/contains-group-kinds": "",
        },
    }
    return made


@pytest.fixture(scope="module")
def resources(api_server: Cluster) -> Resources:
    api_server.install(of_examples())
    api_server.kubectl("label", "crd", CLASSES, "applyset.kubernetes.io/is-parent-type=true")
    api_server.kubectl("apply", "-f", "-", text=json.dumps(parent()))
    return api_server.resources()


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return WAYS[request.param]


@pytest.fixture
def spoke(api_server: Cluster, resources: Resources, tmp_path: Path) -> Iterator[Spoke]:
    """A spoke without objects, before and after."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECTL_APPLYSET", "true")
        yield Spoke(api_server, resources, tmp_path)


def test_states_follow_each_other_and_leave_nothing_behind(
    spoke: Spoke, way: tuple[str, ...]
) -> None:
    """Its CPU seconds are those of kubectl."""
    alone: dict[str, Objects] = {}
    for name, state in STATES.items():
        alone[name] = {key: cleared(value) for key, value in spoke.apply(state, *way).items()}
        spoke.kubectl("--wait=true", verb="delete")
    everything = {key: value for each in alone.values() for key, value in each.items()}
    pruning = ("--prune", f"--applyset={PARENT}")
    before: Objects = {}
    for name, state in STATES.items():
        live = spoke.apply(state, *way, *pruning)
        assert {key: cleared(value) for key, value in live.items()} == alone[name]
        assert spoke.members(everything) == {
            f"{v['kind']} {v['metadata']['name']}" for v in live.values()
        }
        for key in before.keys() & live.keys():
            assert live[key]["metadata"]["uid"] == before[key]["metadata"]["uid"]
        before = live
    spoke.kubectl("--wait=true", verb="delete")


def test_kubectl_alone_refuses_a_spoke_without_objects(spoke: Spoke, way: tuple[str, ...]) -> None:
    """It builds the folder, and has nothing to apply: docs/guides say so."""
    files = {"hub/all.yaml": "", "placement.yaml": e2e.placement("[{name: s1}]", "[]")}
    spoke.write(e2e.rendered(files))
    assert spoke.cluster.kubectl("kustomize", spoke.folder) == ""
    command = [program("kubectl"), f"--kubeconfig={spoke.cluster.kubeconfig}", "apply", *way]
    done = subprocess.run([*command, f"--kustomize={spoke.folder}"], capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (1, NOTHING)
