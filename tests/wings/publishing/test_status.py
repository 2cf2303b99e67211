"""What consumers see of their objects, from exports of live spokes."""

from pathlib import Path
from typing import Any

import yaml

from spokerender.model import Ref
from spokerender.rendering.values.rendered import ConsumerStatus
from spokerender.topology.hub import read_hub
from spokerender.wings.publishing.copies.status import ConsumerStatuses
from tests.support import cases, cyaml, rows_of, text_of
from tests.wings.publishing.projects import CRD, PUBLISHING, RESOURCE, objects, rendered, thing
from tests.wings.publishing.upstream import documents


def _live(fleet: Any, **status: Any) -> bytes:
    """The spoke's objects as an export has them."""
    return yaml.safe_dump_all(
        [{**data, "status": status} for data in objects(fleet, "eu").values()]
    ).encode()


def _seen(fleet: Any, data: bytes) -> list[ConsumerStatus]:
    consumers = _read(fleet, [("eu.yaml", data)])
    assert consumers.results == []
    return consumers.statuses


def _read(fleet: Any, files: list[tuple[str, bytes]]) -> ConsumerStatuses:
    consumers = ConsumerStatuses(fleet)
    crds = [*(manifest.object for manifest in fleet.hub.crds), *fleet.contribution.crds]
    consumers.read("eu", read_hub(files, crds=crds))
    return consumers


def test_upstreams_status_cases(tmp_path: Path, fixtures: Path) -> None:
    table = documents(fixtures, "conformance/syncer-primary.yaml")[0]
    cases = table["withStatus"]
    crd = fixtures / "api-syncagent" / cases["crd"]
    spec = cases["publishedResource"]["spec"]
    # The cases' remote objects are of a group that their own projection does not have.
    spec["projection"]["group"] = "remote.example.corp"
    publishing = cyaml.safe_load(PUBLISHING)
    publishing["spec"]["agents"][0]["name"] = table["agentName"]
    publishing["spec"]["workspaces"] = [{"name": table["clusterName"]}]
    resource = cyaml.safe_load(RESOURCE) | {"spec": spec}
    assert len(cases["cases"]) == 2
    for number, case in enumerate(cases["cases"]):
        files = {
            "publishing.yaml": cyaml.safe_dump(publishing),
            "crds/things.yaml": crd.read_text(encoding="utf-8"),
            "hub/published.yaml": cyaml.safe_dump(resource),
            "workspaces/testcluster/a.yaml": cyaml.safe_dump(case["remote"]),
        }
        fleet = rendered(tmp_path / str(number), files)
        (seen,) = _seen(fleet, cyaml.safe_dump(case["local"]).encode())
        assert seen.status == case["expectedRemote"]["status"]


def test_status_mutations_and_related_objects_go_up(tmp_path: Path) -> None:
    more = """\
  mutation: {status: [{regex: {path: status.url, pattern: internal, replacement: public}}]}
  related:
  - identifier: key
    origin: service
    kind: Secret
    object: {reference: {path: spec.secret}}
"""
    files = {
        "hub/published.yaml": RESOURCE + more,
        "workspaces/team-a/things.yaml": thing("cart", "{secret: key}"),
        "workspaces/team-b/things.yaml": "# nobody\n",
    }
    fleet = rendered(tmp_path, files)
    secret = b"---\n{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: team-a}}\n"
    (seen,) = _seen(fleet, _live(fleet, url="https://internal") + secret)
    assert seen.status == {"url": "https://public"}
    assert [str(ref) for ref in seen.related] == ["Secret shop/key"]
    (without,) = _seen(fleet, _live(fleet, url="x"))
    assert without.related == ()


def test_a_copy_that_is_not_there_has_no_status(tmp_path: Path) -> None:
    assert _read(rendered(tmp_path, {}), []).statuses == []


def _crd(group: str, kind: str) -> str:
    return (
        CRD.replace("example.com", group)
        .replace("things", f"{kind.lower()}s")
        .replace("Thing", kind)
    )


def _named(ref: Ref) -> str:
    return f"{ref.kind}.{ref.group} {ref.namespace}/{ref.name}"


@cases(*rows_of(__file__, "related_objects_of_every_crd_are_told_under_their_projected_group"))
def test_related_objects_of_every_crd_are_told_under_their_projected_group(
    projection: str, consumers: str, tmp_path: Path
) -> None:
    more = f"""\
  related:
  - identifier: part
    origin: service
    group: parts.io
    version: v1
    resource: parts
    object: {{reference: {{path: spec.part}}}}
    {projection}
"""
    files = {
        "hub/published.yaml": RESOURCE + more,
        "crds/parts.yaml": _crd("parts.io", "Part") + "---\n" + _crd("faces.io", "Face"),
        "workspaces/team-a/things.yaml": thing("cart", "{part: p}"),
        "workspaces/team-b/things.yaml": "# nobody\n",
    }
    fleet = rendered(tmp_path, files)
    part = b"---\n{apiVersion: parts.io/v1, kind: Part, metadata: {name: p, namespace: team-a}}\n"
    (seen,) = _seen(fleet, _live(fleet) + part)
    assert [_named(ref) for ref in seen.related] == [consumers]


def test_the_published_kind_of_a_related_object_is_told_as_consumers_see_it(tmp_path: Path) -> None:
    parts = RESOURCE.replace("name: things", "name: parts").replace(
        "{apiGroup: example.com, kind: Thing}",
        "{apiGroup: parts.io, kind: Part}\n  projection: {group: faces.io, kind: Face}",
    )
    more = text_of(__file__, "status_related.yaml")
    files = {
        "hub/published.yaml": RESOURCE + more + "---\n" + parts,
        "crds/parts.yaml": _crd("parts.io", "Part"),
        "workspaces/team-a/things.yaml": thing("cart", "{part: p}"),
        "workspaces/team-b/things.yaml": "# nobody\n",
    }
    fleet = rendered(tmp_path, files)
    part = b"---\n{apiVersion: parts.io/v1, kind: Part, metadata: {name: p, namespace: team-a}}\n"
    (seen,) = _seen(fleet, _live(fleet) + part)
    assert [_named(ref) for ref in seen.related] == ["Face.faces.io shop/p"]


def test_a_related_kind_that_no_crd_defines_is_told(tmp_path: Path) -> None:
    more = """\
  related:
  - identifier: part
    origin: service
    group: parts.io
    version: v1
    resource: parts
    object: {reference: {path: spec.part}}
"""
    fleet = rendered(tmp_path, {"hub/published.yaml": RESOURCE + more})
    results = _read(fleet, [("eu.yaml", _live(fleet))]).results
    assert {result.code for result in results} == {"SR2704"}
    assert "parts.parts.io" in results[0].message
