"""CRDs under `crds:` are asked for kinds that nobody knows."""

from msgspec.structs import replace

from spokerender.pipeline import render
from spokerender.topology.hub import find_definitions
from tests.support import end_to_end as e2e, manifest, text_of
from tests.support.stages import hub

CRD = text_of(__file__, "definitions_crd.yaml")
HUB = hub(
    manifest(
        "Gateway infra/web",
        "gatewayClassName: eg, listeners: [{name: http, port: 80, protocol: HTTP}]",
    ),
    manifest(
        "ToolRoute infra/r",
        "parentRefs: [{name: web}], tools: [{backendRef: {name: svc}}]",
        api="example.com/v1",
    ),
    manifest("Service infra/svc"),
)
FILES = {
    "hub/all.yaml": HUB,
    "fleet.yaml": e2e.fleet(("example.com", "ToolRoute"), ("", "Service")),
    "placement.yaml": e2e.everywhere("infra/web"),
}


def test_what_only_a_crd_knows_to_attach_ships() -> None:
    project = replace(e2e.project(FILES), crd_files=[("crds/tools.yaml", CRD.encode())])
    assert sorted(e2e.objects(render(project))) == [
        "Gateway infra/web",
        "Service infra/svc",
        "ToolRoute infra/r",
    ]


def test_files_without_a_name_that_is_asked_for_are_not_read() -> None:
    files = [("crds/bad.yaml", b"{"), ("crds/tools.yaml", CRD.encode())]
    assert [
        origin.path for _, origin in find_definitions(files, {("example.com", "ToolRoute")})
    ] == ["crds/tools.yaml"]
    assert list(find_definitions(files, set())) == []
