"""An API server of Kubernetes with etcd behind it, and nothing else: no controller, no node."""

import json
import ssl
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

from tests.live.building import program
from tests.live.running import free_port, listens, running
from tests.live.waiting import until

_TOKEN = "live"  # noqa: S105  (of a server that lives for a test, on loopback)


@dataclass(frozen=True)
class Cluster:
    """Where the API server is, and what kubectl has to know."""

    port: int
    kubeconfig: Path

    def kubeconfig_of(self, user: str) -> Path:
        """What a user has to know; it is one that the cluster was started with."""
        path = self.kubeconfig.with_name(f"kubeconfig-{user}")
        path.write_text(json.dumps(_config(self.port, user)))
        return path

    def kubectl(self, *arguments: str | Path, text: str | None = None) -> str:
        """Run kubectl, and give what it prints.

        Raises:
            AssertionError: it fails; with what it said.

        """
        command = [program("kubectl"), "--kubeconfig", self.kubeconfig, *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def ask(
        self, method: str, path: str, body: object = None, kind: str = "application/json"
    ) -> tuple[int, Any]:
        """Send a request; the status and what came."""
        context = ssl._create_unverified_context()  # the server's own certificate
        connection = HTTPSConnection("127.0.0.1", self.port, context=context, timeout=60)
        headers = {"Authorization": f"Bearer {_TOKEN}", "Content-Type": kind}
        data = json.dumps(body, allow_nan=False) if body is not None else None
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text) if text[:1] == b"{" else text.decode()

    def install(self, crds: Iterable[Mapping[str, Any]]) -> None:
        """Install CRDs, in place of those that have their names, and wait until they serve."""
        items = [_approved(crd) for crd in crds]
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        self.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", text=text)
        names = {crd["metadata"]["name"] for crd in items}
        until(self._established, names.issubset)

    def _established(self) -> set[str]:
        """The names of the CRDs that serve."""
        status, told = self.ask("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
        assert status == 200, told
        return {
            crd["metadata"]["name"]
            for crd in told["items"]
            for condition in crd["status"].get("conditions") or ()
            if (condition["type"], condition["status"]) == ("Established", "True")
        }

    def get(self, resource: str, name: str, namespace: str | None = None) -> Any:
        """An object, or nothing where it is not there."""
        place = ("-n", namespace) if namespace else ()
        options = ("--ignore-not-found", "-o", "json")
        text = self.kubectl("get", resource, name, *place, *options)
        return json.loads(text) if text else None

    def names(self, resource: str, *options: str) -> list[str]:
        """What there is of a resource, as `kind/name`."""
        return self.kubectl("get", resource, "-o", "name", *options).split()

    def report(self, value: Mapping[str, Any], conditions: Mapping[str, str], **more: Any) -> None:
        """Write the status of an object, as its controller would: all conditions are true.

        `conditions` are their reasons, by type.
        """
        metadata, group = value["metadata"], value["apiVersion"].partition("/")[0]
        place = ("-n", metadata["namespace"], f"{value['kind']}.{group}".lower(), metadata["name"])
        found = json.loads(self.kubectl("get", *place, "-o", "json"))
        told = [
            {
                "type": name,
                "status": "True",
                "reason": reason,
                "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
                "observedGeneration": found["metadata"]["generation"],
            }
            for name, reason in conditions.items()
        ]
        patch = json.dumps({"status": {"conditions": told, **more}})
        self.kubectl("patch", *place, "--subresource=status", "--type=merge", "-p", patch)

    def resources(self) -> dict[tuple[str, str], tuple[str, bool]]:
        """The resources of what is served by API version and kind, and whether in namespaces."""
        groups = self.ask("GET", "/apis")[1]["groups"]
        versions = [version["groupVersion"] for group in groups for version in group["versions"]]
        found = {}
        for version in ("v1", *versions):
            for each in self.ask("GET", root_of(version))[1]["resources"]:
                if "/" not in each["name"]:
                    found[version, each["kind"]] = (each["name"], each["namespaced"])
        return found

    def ensure_namespace(self, name: str) -> None:
        """Make a namespace, unless it is there."""
        metadata = {"name": name}
        status, told = self.ask("POST", "/api/v1/namespaces", {"metadata": metadata})
        assert status in {201, 409}, told


def _approved(crd: Mapping[str, Any]) -> dict[str, Any]:
    """A CRD that may be of a protected group: copies that we carry have no annotations."""
    annotations = {"api-approved.kubernetes.io": "unapproved, a copy"}
    metadata = {**crd["metadata"]}
    metadata["annotations"] = annotations | metadata.get("annotations", {})
    return {**crd, "metadata": metadata}


def root_of(version: str) -> str:
    """Where the resources of an API version are."""
    return "/api/v1" if version == "v1" else f"/apis/{version}"


@contextmanager
def cluster(folder: Path, *users: str) -> Iterator[Cluster]:
    """A cluster that runs in a folder; what `users` may do is for roles to say."""
    etcd, server = program("etcd"), program("kube-apiserver")
    client, peer, port = free_port(), free_port(), free_port()
    here = f"http://127.0.0.1:{client}"
    key = folder / "key.pem"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    tokens = folder / "tokens.csv"
    lines = [f'{_TOKEN},live,live,"system:masters"', *(f"{user},{user},{user}" for user in users)]
    tokens.write_text("\n".join(lines))
    etcd_command = [
        etcd,
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={here}",
        f"--advertise-client-urls={here}",
        f"--listen-peer-urls=http://127.0.0.1:{peer}",
        "--unsafe-no-fsync",
    ]
    server_command = [
        server,
        f"--etcd-servers={here}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={folder / 'certificates'}",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://live.test",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--disable-admission-plugins=ServiceAccount,NamespaceLifecycle",
    ]
    found = Cluster(port, _kubeconfig(folder, port))

    def is_ready() -> bool:
        return listens(port) and found.ask("GET", "/readyz")[0] == 200

    with (
        running(etcd_command, folder / "etcd.log", lambda: listens(client)),
        running(server_command, folder / "kube-apiserver.log", is_ready),
    ):
        yield found


def _kubeconfig(folder: Path, port: int) -> Path:
    path = folder / "kubeconfig"
    path.write_text(json.dumps(_config(port, _TOKEN)))
    return path


def _config(port: int, token: str) -> Mapping[str, object]:
    server = {"server": f"https://127.0.0.1:{port}", "insecure-skip-tls-verify": True}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "live",
        "clusters": [{"name": "live", "cluster": server}],
        "users": [{"name": "live", "user": {"token": token}}],
        "contexts": [{"name": "live", "context": {"cluster": "live", "user": "live"}}],
    }
