"""OCM's work agent takes our ManifestWorks from a hub to a spoke, with the permissions of its own.

Two clusters run, and the agent between them as a user who may do what the agent's ClusterRoles say:
those of OCM's own installation, and ours from the work that brings it. A controller that is not
there would put the two together, so the test binds ours.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.live.building import module_folder, program
from tests.live.cluster import Cluster, cluster
from tests.live.definitions import crds, of_examples
from tests.live.running import running
from tests.live.test_api_server import missing
from tests.live.trees import rendered
from tests.live.waiting import until
from tests.wings.delivery.engines import delivered_by, fleet_files
from tests.wings.delivery.test_ocm import made as works_of, thing

pytestmark = pytest.mark.live

AGENT = "agent"
SPOKE = "europe"
WORKS = "work.open-cluster-management.io"
Json = dict[str, Any]


@dataclass(frozen=True)
class Fleet:
    """A hub and a spoke, and the folder that the agent's log is in."""

    hub: Cluster
    spoke: Cluster
    folder: Path

    @contextmanager
    def agent(self) -> Iterator[None]:
        command = [
            program("work-agent"),
            f"--hub={self.hub.kubeconfig}",
            f"--spoke={self.spoke.kubeconfig_of(AGENT)}",
            f"--cluster={SPOKE}",
        ]
        with running(command, self.folder / "work-agent.log", lambda: True):
            yield

    def apply(self, works: Sequence[Json]) -> None:
        text = yaml.safe_dump_all(works, sort_keys=False)
        self.hub.kubectl("apply", "--server-side", "-f", "-", text=text)

    def work(self, name: str) -> Json:
        return dict(self.hub.get(f"manifestworks.{WORKS}", name, SPOKE) or {})

    def applied(self, name: str) -> bool:
        """Whether the agent says so of the work as it is now."""
        work = self.work(name)
        conditions = work.get("status", {}).get("conditions", [])
        return any(
            (each["type"], each["status"]) == ("Applied", "True")
            and each["observedGeneration"] == work["metadata"]["generation"]
            for each in conditions
        )

    def on_spoke(self, manifest: Json) -> Any:
        group = manifest["apiVersion"].rpartition("/")[0]
        resource = f"{manifest['kind']}.{group}".lower().rstrip(".")
        metadata = manifest["metadata"]
        return self.spoke.get(resource, metadata["name"], metadata.get("namespace"))


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Both clusters with OCM's CRDs, the spoke with its roles too."""
    program("work-agent")
    upstream = module_folder("work-agent") / "manifests"
    folder = tmp_path_factory.mktemp("ocm")
    for name in ("hub", "spoke"):
        (folder / name).mkdir()
    with cluster(folder / "hub") as hub, cluster(folder / "spoke", AGENT) as spoke:
        hub.install(c for c in crds(upstream / "cluster-manager/hub") if is_of_works(c))
        hub.ensure_namespace(SPOKE)
        applied = (c for c in crds(upstream / "klusterlet/managed") if is_of_works(c))
        spoke.install([*applied, *of_examples()])
        for file in ("klusterlet-work-clusterrole", "klusterlet-work-clusterrole-execution"):
            bind(spoke, role(upstream / "klusterlet/managed" / f"{file}.yaml"))
        yield Fleet(hub, spoke, folder)


def is_of_works(crd: Json) -> bool:
    return bool(crd["spec"]["group"] == WORKS)


def role(file: Path) -> Json:
    """A ClusterRole of OCM's templates, for an agent without labels of its own."""
    lines = file.read_text().replace("{{ .KlusterletName }}", "klusterlet").splitlines()
    found: Json = yaml.safe_load("\n".join(line for line in lines if "{{" not in line))
    return found


def bind(spoke: Cluster, given: Json) -> None:
    """Give the agent a role; it is made where it is not there."""
    name = given["metadata"]["name"]
    if "rules" in given:
        spoke.kubectl("apply", "--server-side", "-f", "-", text=json.dumps(given))
    spoke.kubectl("create", "clusterrolebinding", name, f"--clusterrole={name}", f"--user={AGENT}")


def named(works: Sequence[Json]) -> dict[str, Json]:
    return {each["metadata"]["name"]: each for each in works}


def manifests(work: Json) -> list[Json]:
    found: list[Json] = work["spec"]["workload"]["manifests"]
    return found


def owners(value: Json) -> list[str]:
    return [each["kind"] for each in value["metadata"].get("ownerReferences", [])]


def name_of(manifest: Json) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]


def without(work: Json, kind: str) -> Json:
    """A work as the next commit has it, with the objects of a kind gone."""
    spec = work["spec"]
    kept = [each for each in manifests(work) if each["kind"] != kind]
    return {**work, "spec": {**spec, "workload": {"manifests": kept}}}


def status_of(work: Json) -> dict[str, dict[str, Any]]:
    """What the agent tells of each object's status, by kind and name of the value."""
    return {
        each["resourceMeta"]["kind"]: {
            value["name"]: next(v for k, v in value["fieldValue"].items() if k != "type")
            for value in each.get("statusFeedback", {}).get("values", [])
        }
        for each in work.get("status", {}).get("resourceStatus", {}).get("manifests", [])
    }


def feedback(work: Json, kind: str) -> tuple[str, dict[str, Any]]:
    """Whether the agent could read the status of the work's object of a kind, and what it tells."""
    (entry,) = (
        each
        for each in work.get("status", {}).get("resourceStatus", {}).get("manifests", [])
        if each["resourceMeta"]["kind"] == kind
    )
    conditions = {each["type"]: each["status"] for each in entry["conditions"]}
    return conditions.get("StatusFeedbackSynced", ""), status_of(work)[kind]


def ancestor(name: str, status: str, reason: str) -> Json:
    """An entry of a policy's `status.ancestors`."""
    condition = {
        "type": "Accepted",
        "status": status,
        "reason": reason,
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    reference = {"group": "", "kind": "Service", "name": name}
    controller = "example.com/controller"
    return {"ancestorRef": reference, "controllerName": controller, "conditions": [condition]}


@pytest.fixture(scope="module")
def taken(fleet: Fleet) -> Iterator[dict[str, Json]]:
    """The works of the example, taken by an agent that runs on."""
    text = rendered("ocm").tree.files("_fleet")[f"ocm/{SPOKE}.yaml"]
    made = named([*yaml.safe_load_all(text)])
    with fleet.agent():
        take(fleet, made, "toys")
        yield made


def take(fleet: Fleet, works: dict[str, Json], name: str) -> None:
    """Let the agent take the works of a name, with the permissions that come with them."""
    fleet.apply([*works.values()])
    until(lambda: fleet.applied(f"{name}-permissions"))
    (ours,) = manifests(works[f"{name}-permissions"])
    bind(fleet.spoke, {"metadata": ours["metadata"]})
    until(lambda: fleet.applied(name))


def test_the_agent_needs_no_other_permission_and_applies_every_object(
    fleet: Fleet, taken: dict[str, Json]
) -> None:
    """What is to be deleted with its work has an owner: all but Namespaces and the permissions."""
    for work in taken.values():
        for wanted in manifests(work):
            found = fleet.on_spoke(wanted)
            assert missing(wanted, found) == []
            is_kept = wanted["kind"] in {"Namespace", "ClusterRole"}
            assert owners(found) == ([] if is_kept else ["AppliedManifestWork"])


def test_the_agent_tells_the_hub_what_its_feedback_rules_ask(
    fleet: Fleet, taken: dict[str, Json]
) -> None:
    gateway, policy = (
        next(each for each in manifests(taken["toys"]) if each["kind"] == kind)
        for kind in ("Gateway", "AuthPolicy")
    )
    listener = {"name": "http", "attachedRoutes": 3, "supportedKinds": [], "conditions": []}
    fleet.spoke.report(
        gateway,
        conditions={"Accepted": "Accepted", "Programmed": "Programmed"},
        addresses=[{"type": "IPAddress", "value": "192.0.2.7"}],
        listeners=[listener],
    )
    fleet.spoke.report(policy, conditions={"Accepted": "Accepted", "Enforced": "Overridden"})
    told = until(
        lambda: status_of(fleet.work("toys")),
        lambda told: "address" in told["Gateway"] and "Enforced-status" in told["AuthPolicy"],
    )
    assert told["Gateway"] == {
        "Accepted-status": "True",
        "Accepted-reason": "Accepted",
        "Programmed-status": "True",
        "Programmed-reason": "Programmed",
        "address": "192.0.2.7",
        "attachedRoutes-http": 3,
    }
    assert told["AuthPolicy"] == {
        "Accepted-status": "True",
        "Accepted-reason": "Accepted",
        "Enforced-status": "True",
        "Enforced-reason": "Overridden",
    }


def test_feedback_is_right_of_lists_that_are_empty_and_of_such_as_have_several(
    fleet: Fleet, taken: dict[str, Json]
) -> None:
    """A policy that is attached to nothing has no ancestors, a Gateway may have no address."""
    target = {"group": "", "kind": "Service", "name": "web"}
    checks = {"hostname": "web.example", "wellKnownCACertificates": "System"}
    policy = thing("web", "BackendTLSPolicy", targetRefs=[target], validation=checks)
    files, problems = works_of({SPOKE: [policy]}, name="tls")
    assert problems == []
    take(fleet, named(files[f"ocm/{SPOKE}.yaml"]), "tls")
    gateway = next(each for each in manifests(taken["toys"]) if each["kind"] == "Gateway")
    ancestors = [ancestor("web", "True", "Accepted"), ancestor("other", "False", "Conflicted")]
    addresses = [{"type": "IPAddress", "value": f"192.0.2.{last}"} for last in (7, 8)]
    accepted = {"Accepted-status": "True", "Accepted-reason": "Accepted"}
    for some in (1, 0, 2):
        fleet.spoke.report(policy, {}, ancestors=ancestors[:some])
        reasons = {"Accepted": f"With{some}"}
        fleet.spoke.report(gateway, reasons, addresses=addresses[:some], listeners=[])
        of_policy = ("True", accepted if some else {})
        address = {"address": "192.0.2.7"} if some else {}
        of_gateway = ("True", {**accepted, "Accepted-reason": f"With{some}", **address})
        until(lambda: feedback(fleet.work("tls"), "BackendTLSPolicy"), of_policy.__eq__)
        until(lambda: feedback(fleet.work("toys"), "Gateway"), of_gateway.__eq__)


def test_what_has_left_the_tree_is_deleted_and_nothing_else(
    fleet: Fleet, taken: dict[str, Json]
) -> None:
    before = {name_of(each): fleet.on_spoke(each) for each in manifests(taken["toys"])}
    fleet.apply([without(taken["toys"], "RateLimitPolicy")])
    (gone,) = (each for each in manifests(taken["toys"]) if each["kind"] == "RateLimitPolicy")
    until(lambda: fleet.on_spoke(gone) is None)
    for each in manifests(taken["toys"]):
        if each is not gone:
            found, was = fleet.on_spoke(each), before[name_of(each)]
            assert found["metadata"]["uid"] == was["metadata"]["uid"]


def test_a_work_that_is_deleted_takes_its_objects_but_no_namespace(
    fleet: Fleet, taken: dict[str, Json]
) -> None:
    fleet.hub.kubectl("delete", f"manifestworks.{WORKS}", "-n", SPOKE, "--all", "--timeout=120s")
    left = [each for work in taken.values() for each in manifests(work) if fleet.on_spoke(each)]
    assert sorted(each["kind"] for each in left) == ["ClusterRole", "Namespace", "Namespace"]
    assert fleet.spoke.names(f"appliedmanifestworks.{WORKS}") == []


@pytest.mark.usefixtures("taken")
def test_works_that_orphan_leave_everything_and_may_be_small(fleet: Fleet) -> None:
    settings = {"name": "kept", "manifestLimit": 1100, "permissions": False, "deletion": "orphan"}
    tree = delivered_by(rendered("ocm"), {"ocm": settings})
    made = named(fleet_files(tree)[f"ocm/{SPOKE}.yaml"])
    assert len(made) > 1
    every = [each for work in made.values() for each in manifests(work)]
    for changed in (made.values(), [without(work, "AuthPolicy") for work in made.values()]):
        fleet.apply([*changed])
        until(lambda: all(map(fleet.applied, made)))
    fleet.hub.kubectl("delete", f"manifestworks.{WORKS}", "-n", SPOKE, "--all", "--timeout=120s")
    assert [each["kind"] for each in every if fleet.on_spoke(each) is None] == []
