"""`spokerender import`: live exports become a hub that people can own."""

import io
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from spokerender.formats.yamlio import read
from tests.acceptance.hubs import LISTED
from tests.cli.project import AUTH, CLASS, FLEET, PLACEMENT, PROJECT, WEB, Shell
from tests.edge.files.trees import snapshot
from tests.support import cases, each, rows_of, text_of
from tests.support.crds import crd
from tests.support.objects import manifest

LIVE = text_of(__file__, "import_live.yaml")
ALL = ("--kinds", "all")
GATEWAY = text_of(__file__, "import_gateway.yaml")
AT = "infra/gateway.gateway.networking.k8s.io_web.yaml"


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.fixture
def live(empty: Shell) -> Shell:
    """What kubectl printed, in a folder that is no project yet."""
    empty.write({"live.yaml": LIVE})
    return empty


def test_what_a_cluster_owns_is_left_out(live: Shell) -> None:
    done = live.run("import", "live.yaml")
    assert (done.status, files(live.folder / "hub")) == (0, [AT])
    assert done.out == f"1 file created\n  created hub/{AT}\n"
    assert (live.folder / "hub" / AT).read_text() == GATEWAY


def test_what_is_left_out_is_named(live: Shell) -> None:
    done = live.run("import", "live.yaml", "-v", *ALL)
    told = [line.split(": left out")[0] for line in done.err.splitlines() if "left out" in line]
    assert told == [
        "live.yaml:26: warning SR3001 Secret infra/key",
        "live.yaml:37: warning SR3003 ConfigMap infra/going",
        "live.yaml:30: info SR3002 DNSRecord infra/web-https",
    ]
    assert "c2VjcmV0" not in done.out + done.err


def test_no_secret_reaches_the_hub(live: Shell) -> None:
    live.run("import", "live.yaml")
    assert not any("c2VjcmV0" in path.read_text() for path in (live.folder / "hub").rglob("*.yaml"))


SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "key", "namespace": "infra"},
    "data": {"key": "c2VjcmV0"},
}
EMBEDDED: Mapping[str, Mapping[str, Any]] = {
    "work.open-cluster-management.io/v1 ManifestWork": {"workload": {"manifests": [SECRET]}},
    "work.open-cluster-management.io/v1alpha1 ManifestWorkReplicaSet": {
        "manifestWorkTemplate": {"workload": {"manifests": [{"kind": "List", "items": [SECRET]}]}}
    },
    "apps.open-cluster-management.io/v1 Subscription": {"template": SECRET},
    "kubernetes.crossplane.io/v1alpha2 Object": {"forProvider": {"manifest": SECRET}},
    "policy.open-cluster-management.io/v1 Policy": {
        "policy-templates": [{"objectDefinition": {"spec": {"object-templates": [SECRET]}}}]
    },
    "example.com/v1 Text": {"inline": yaml.safe_dump(SECRET)},
    "example.com/v1 Json": {
        "inline": json.dumps({**SECRET, "data": None, "stringData": {"a": "c2VjcmV0"}})
    },
}


@each(*EMBEDDED)
def test_no_secret_reaches_the_hub_within_another_object(kind: str, live: Shell) -> None:
    """Whatever carries objects is left out with the Secret; the rest of the export is imported."""
    version, _, name = kind.partition(" ")
    carrier = {"apiVersion": version, "kind": name, "metadata": {"name": "a", "namespace": "infra"}}
    carrier["spec"] = EMBEDDED[kind]
    listed = {"apiVersion": "v1", "kind": "List", "items": [carrier]}
    for export in (carrier, listed):
        live.write({"work.json": json.dumps(export)})
        done = live.run("import", "live.yaml", "work.json", *ALL)
        assert (done.status, files(live.folder / "hub")) == (0, [AT])
        assert f"warning SR3001 {name} infra/a: left out: it has a Secret in spec" in done.err
        assert "c2VjcmV0" not in done.out + done.err


def test_what_only_names_a_secret_is_imported(empty: Shell) -> None:
    reference = {**SECRET, "metadata": None, "data": None, "name": "key"}
    work = {"apiVersion": "example.com/v1", "kind": "A", "metadata": {"name": "a"}}
    work["spec"] = {
        "ref": reference,
        "text": "a kind of Secret",
        "inline": "kind: Secret",
        "template": {"kind": "Secret"},
    }
    empty.write({"a.json": json.dumps(work)})
    empty.succeed("import", "a.json", *ALL)
    assert len(files(empty.folder / "hub")) == 1


@each("SecretList", "List")
def test_a_list_of_secrets_is_left_out(kind: str, live: Shell) -> None:
    items = [SECRET if kind == "List" else {k: SECRET[k] for k in ("metadata", "data")}]
    live.write({"a.json": json.dumps({"apiVersion": "v1", "kind": kind, "items": items})})
    done = live.run("import", "live.yaml", "a.json", *ALL)
    assert "c2VjcmV0" not in done.out + done.err
    assert not any("c2VjcmV0" in path.read_text() for path in (live.folder / "hub").rglob("*.yaml"))


def test_a_second_import_changes_nothing(live: Shell) -> None:
    live.run("import", "live.yaml")
    before = snapshot(live.folder)
    done = live.run("import", "live.yaml")
    assert (done.status, done.out) == (0, "1 unchanged\n")
    assert snapshot(live.folder) == before


def test_what_changed_live_changes_only_that(live: Shell) -> None:
    """The comments and the order that people gave the file stay: Git shows one line."""
    live.run("import", "live.yaml")
    path = live.folder / "hub" / AT
    path.write_text(f"# ours\n{GATEWAY}".replace("port: 443", "port: 443  # the usual"))
    live.write({"live.yaml": LIVE.replace("protocol: HTTPS", "protocol: TLS")})
    assert live.run("import", "live.yaml").out == f"1 file updated\n  updated hub/{AT}\n"
    assert path.read_text() == f"# ours\n{GATEWAY}".replace(
        "port: 443", "port: 443  # the usual"
    ).replace("HTTPS", "TLS")


def test_files_keep_their_comments_and_objects_get_files_of_their_own(empty: Shell) -> None:
    empty.write({"export/all.yaml": f"# the gateway\n{WEB}---\n# closed by default\n{AUTH}"})
    empty.succeed("import", "export")
    hub = empty.folder / "hub"
    assert files(hub) == [
        "infra/authpolicy.kuadrant.io_closed.yaml",
        AT,
        "shop/httproute.gateway.networking.k8s.io_shop.yaml",
    ]
    assert (hub / "infra/authpolicy.kuadrant.io_closed.yaml").read_text() == (
        f"# closed by default\n{AUTH}"
    )
    gateway, _, route = WEB.partition("---\n")
    assert (hub / AT).read_text() == f"# the gateway\n{gateway}"
    assert (hub / "shop/httproute.gateway.networking.k8s.io_shop.yaml").read_text() == route


def test_standard_input_and_json(empty: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    item = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "namespace": "x", "uid": "1"},
        "data": {"yes": "no"},
    }
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [item]}).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    done = empty.run("import", "-", "-o", "sources", *ALL)
    note = "nothing reads sources/ yet: add to fleet.yaml spec: {hub: [hub/, sources/]}\n"
    assert (done.status, done.err) == (0, note)
    assert (empty.folder / "sources/x/configmap_a.yaml").read_text() == (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: x\n"
        'data:\n  "yes": "no"\n'
    )


def test_what_is_imported_builds(empty: Shell) -> None:
    empty.write({"export/web.yaml": WEB, "export/auth.yaml": AUTH, "export/class.yaml": CLASS})
    empty.write({"placement.yaml": PLACEMENT})
    empty.succeed("import", "export")
    empty.pass_silently("build")


def test_an_object_of_a_file_of_many_is_edited_there(live: Shell) -> None:
    other = (
        "---\r\napiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: a, namespace: x}  # 1.10\r\n"
    )
    live.write({"hub/all.yaml": GATEWAY.replace("443", "444 # odd\r") + other})
    assert live.run("import", "live.yaml").out == "1 file updated\n  updated hub/all.yaml\n"
    text = (live.folder / "hub/all.yaml").read_bytes().decode()
    assert text == GATEWAY.replace("443", "443 # odd\r") + other


def test_an_item_of_a_list_is_edited_there(live: Shell) -> None:
    before = LIVE.replace("port: 443", "port:   0444").replace(
        "gatewayClassName: hub", "x: 1.10\n    gatewayClassName: hub"
    )
    live.write(
        {"hub/all.yaml": before, "live.yaml": LIVE.replace("  spec:", "  spec:\n    x: 1.1")}
    )
    done = live.run("import", "live.yaml")
    assert done.status == 0, done.err
    text = (live.folder / "hub/all.yaml").read_text()
    assert "{name: https, port:   443, protocol: HTTPS}" in text
    assert "    x: 1.10\n" in text
    assert "kind: DNSRecord" in text


def test_what_can_not_be_edited_is_told_and_left(live: Shell) -> None:
    text = GATEWAY.replace("port: 443", "port: &p 444").replace(
        "  gatewayC", "  x: *p\n  gatewayC", 0
    )
    text = text.replace("spec:\n", "spec:\n").rstrip("\n") + "\n  other: *p\n"
    live.write(
        {"hub/all.yaml": text, "live.yaml": LIVE.replace("  spec:", "  spec:\n    other: 444")}
    )
    before = snapshot(live.folder)
    done = live.run("import", "live.yaml")
    assert (done.status, done.out) == (0, "nothing to write\n")
    assert "hub/all.yaml:12: warning SR3006 Gateway infra/web" in done.err
    assert snapshot(live.folder) == before
    assert live.run("import", "live.yaml", "--strict").status == 2


OWNED = text_of(__file__, "import_owned.yaml")
PORTABLE = rows_of(__file__, "portable")


def test_what_only_one_cluster_takes_is_left_out(empty: Shell) -> None:
    empty.write({"live.yaml": OWNED})
    empty.succeed("import", "live.yaml", *ALL)
    result = {}
    for path in (empty.folder / "hub").rglob("*.yaml"):
        data = read(path.read_bytes(), "")[0][0].value
        name = f"{data.pop('kind')}/{data['metadata']['name']}"
        result[name] = {key: value for key, value in data.items() if key != "apiVersion"}
    assert result == PORTABLE
    assert empty.run("import", "live.yaml", *ALL).out == "4 unchanged\n"


def test_check_names_what_is_left_of_a_cluster(empty: Shell) -> None:
    empty.write({**PROJECT, "hub/owned.yaml": OWNED})
    empty.succeed("build")
    done = empty.run("check")
    assert "hub/owned.yaml:7: warning SR2241 Service shop/shop" in done.err
    assert "hub/owned.yaml:46: warning SR2241 PersistentVolumeClaim shop/data" in done.err
    assert "spec.clusterIP" in done.err
    (empty.folder / "hub/owned.yaml").unlink()
    empty.write({"live.yaml": OWNED})
    empty.succeed("import", "live.yaml", *ALL)
    assert "SR2241" not in empty.run("check").err


def test_a_stranger_in_the_way_is_never_replaced(live: Shell) -> None:
    live.write({f"hub/{AT}": GATEWAY.replace("name: web", "name: other")})
    before = snapshot(live.folder)
    assert "error SR3008 Gateway infra/web" in live.refuse("import", "live.yaml").err
    assert snapshot(live.folder) == before


@cases(*rows_of(__file__, "what_is_of_no_use_is_counted_and_the_rest_taken"))
def test_what_is_of_no_use_is_counted_and_the_rest_taken(
    text: str, noun: str, empty: Shell
) -> None:
    empty.write({"repository/a.yaml": text, "repository/live.yaml": GATEWAY})
    done = empty.succeed("import", "repository")
    assert files(empty.folder / "hub") == [AT]
    assert f"left out: 1 {noun}; -v names them\n" in done.err
    (empty.folder / "repository/live.yaml").unlink()
    assert "error SR3007" in empty.refuse("import", "repository").err


def test_two_contents_of_one_object_write_nothing(live: Shell) -> None:
    live.write({"more.yaml": GATEWAY.replace("443", "444")})
    before = snapshot(live.folder)
    assert "error SR3005" in live.refuse("import", "live.yaml", "more.yaml").err
    assert snapshot(live.folder) == before


def test_samples_of_one_folder_that_differ_are_left_out(empty: Shell) -> None:
    other = GATEWAY.replace("443", "444")
    texts = {"a": GATEWAY, "b": other, "c": GATEWAY.replace("name: web", "name: c")}
    empty.write({f"repository/{name}.yaml": text for name, text in texts.items()})
    done = empty.succeed("import", "repository")
    assert "warning SR3005" in done.err
    assert files(empty.folder / "hub") == [AT.replace("_web", "_c")]


@pytest.fixture
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is not below the project's."""
    return tmp_path_factory.mktemp("downloads")


@each(False, True)
def test_what_is_wrong_in_an_export_is_told_wherever_it_is(
    is_folder: bool, empty: Shell, downloads: Path
) -> None:
    (downloads / "bad.yaml").write_text(GATEWAY.replace("name: web", "name: ${NAME}"))
    done = empty.run("import", str(downloads if is_folder else downloads / "bad.yaml"))
    assert done.status == 2
    assert f"{downloads}/bad.yaml:" in done.err
    assert "${NAME}" in done.err


def test_what_only_a_link_leads_to_is_not_told(
    empty: Shell, downloads: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "bad.yaml"
    elsewhere.write_text(GATEWAY.replace("name: web", "name: ${NAME}"))
    (downloads / "link.yaml").symlink_to(elsewhere)
    done = empty.run("import", str(downloads))
    assert done.status == 2
    assert "${NAME}" not in done.err


def test_nothing_to_bring_in(empty: Shell) -> None:
    empty.write({"live.yaml": "apiVersion: v1\nkind: List\nitems: []\n"})
    assert "error SR3007" in empty.refuse("import", "live.yaml").err


def test_a_link_is_not_written_through(
    live: Shell, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (live.folder / "hub").symlink_to(outside)
    done = live.run("import", "live.yaml")
    assert done.status == 2
    assert "a link leads outside" in done.err
    assert files(outside) == []


@each("hub", "crds")
@each("absolute", "../outside", "a/../../outside")
def test_a_fleet_file_names_no_place_outside(
    place: str, key: str, live: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, outside = live.folder / "project", live.folder / "outside"
    named = str(outside) if place == "absolute" else place
    live.write(
        {
            "project/fleet.yaml": FLEET + f"  {key}: ['{named}']\n",
            "project/live.yaml": (live.folder / "live.yaml").read_text() + "---\n" + crd(),
            "outside/mine": "",
        }
    )
    monkeypatch.chdir(project)
    done = live.run(*(("import",) if key == "hub" else ("crds", "add")), "live.yaml")
    assert (done.status, files(outside)) == (2, ["mine"])
    assert "fleet.yaml names a folder outside the project" in done.err
    live.succeed("crds", "add", "live.yaml", "-o", str(outside))


def test_a_hub_that_is_a_file_is_not_written_into(live: Shell) -> None:
    live.write({"fleet.yaml": FLEET + "  hub: [all.yaml]\n", "all.yaml": AUTH})
    done = live.run("import", "live.yaml")
    assert (done.status, files(live.folder / "hub")) == (0, [AT])
    assert "add to fleet.yaml spec: {hub: [all.yaml, hub/]}" in done.err


def test_crds_are_left_out(live: Shell) -> None:
    live.write({"crds.yaml": crd()})
    done = live.run("import", "live.yaml", "crds.yaml", *ALL, "-v")
    assert "info SR3004 CustomResourceDefinition authpolicies" in done.err
    assert (done.status, files(live.folder / "hub")) == (0, [AT])


def test_json_for_programs(live: Shell) -> None:
    told = json.loads(live.run("import", "live.yaml", *ALL, "--format", "json").out)
    assert (told["created"], told["updated"], told["unchanged"]) == ([f"hub/{AT}"], [], 0)
    assert [each["tags"]["code"] for each in told["results"]] == ["SR3001", "SR3003", "SR3002"]


PLACED = rows_of(__file__, "placed")
MISTAKES = {
    "SR1002": "no Kubernetes object",
    "SR1007": "a placeholder for a name",
    "SR3005": "two samples of one name",
}

GAPS = {
    "SR1010": "a sample whose target is in no file",
    "SR2312": "a sample of a version that no server has any more",
    "SR1412": "a sample whose Gateway is in no file, beside another that nothing names",
}
"""What a hub can't be built with, where its samples are taken for a whole."""
_ROUNDS = 3


def wrong_files(error: dict[str, Any]) -> list[str]:
    """The files whose reference is wrong: of a renamed Gateway the cure lists them."""
    if error["tags"]["code"] == "SR1412":
        return re.findall(r"^  (\S+?):\d+ ", error["tags"]["cure"], re.MULTILINE)
    return [error["file"]["path"]]


@each(
    "kuadrant-operator", "multicluster-gateway-controller", "multicluster-gateway-controller-2023"
)
def test_hubs_of_real_projects(name: str, empty: Shell, fixtures: Path) -> None:
    """Every mistake of upstream is named; without the files that have one, the rest is a hub."""
    sources = sorted((fixtures / "hubs" / name).rglob("*.*"))
    export = [str(path) for path in sources if path.suffix in {".yaml", ".yml", ".json"}]
    refused = json.loads(empty.run("import", *export, "--format", "json").out)["results"]
    wrong = [item for item in refused if item["severity"] == "error"]
    assert {item["tags"]["code"] for item in wrong} <= MISTAKES.keys()
    named = {item["file"]["path"] for item in wrong}
    assert named <= set(export)
    assert files(empty.folder) == []

    right = [path for path in export if path not in named]
    done = empty.run("import", *right)
    assert done.status == 0, done.err
    before = snapshot(empty.folder)
    assert "created" not in empty.run("import", *right).out
    assert snapshot(empty.folder) == before

    empty.write({"placement.yaml": PLACED, "fleet.yaml": LISTED})
    for _ in range(_ROUNDS):
        built = json.loads(empty.run("build", "--format", "json").out)["results"]
        errors = [item for item in built if item["severity"] == "error"]
        assert {item["tags"]["code"] for item in errors} <= GAPS.keys(), errors
        for path in {path for item in errors for path in wrong_files(item)}:
            (empty.folder / path).unlink()
    assert errors == []
    assert list((empty.folder / "clusters/eu").iterdir()) != []


@each(150, 200, 253)
def test_a_name_as_long_as_names_may_be(length: int, empty: Shell) -> None:
    route = WEB.partition("---\n")[2].replace("name: shop", f"name: {'a' * length}")
    (empty.folder / "live.yaml").write_text(route)
    for _ in range(2):
        done = empty.run("import", "live.yaml")
        assert done.status == 0, done.err
        (path,) = (empty.folder / "hub").rglob("*.yaml")
        assert f"name: {'a' * length}" in path.read_text()


HOSTS = {"cart": "cart.${DOMAIN}", "pay": "${PAY}", "top": "top.example.com"}
PLACEHOLDERS = text_of(__file__, "import_placeholders.yaml")


TCP = rows_of(__file__, "tcp")


def test_placeholders_stay_and_are_one_error_where_no_text_is_valid(empty: Shell) -> None:
    empty.write({"repository/web.yaml": PLACEHOLDERS})
    empty.succeed("import", "repository")
    empty.succeed("init", "--spokes", "eu", "--ci", "none")
    empty.succeed("build")
    (tree,) = (empty.folder / "clusters/eu/infra").glob("*.yaml")
    assert 'contact: "${TEAM}"' in tree.read_text()
    done = empty.run("check")
    assert done.err.count(" error ") == 1
    assert "error SR1013 Gateway infra/web spec.addresses[0].value: 4 values can't be a" in done.err
    assert "kustomize build FOLDER | flux envsubst | spokerender import -" in done.err


def test_a_route_is_not_told_apart_whose_hostnames_are_placeholders(empty: Shell) -> None:
    """Nor one whose Gateway's listeners have them: one finding says so for all."""
    listener = "{name: a, port: 80, protocol: HTTP, hostname: 'x.${DOMAIN}'}"
    web = manifest("Gateway shop/web", f"gatewayClassName: istio, listeners: [{listener}]")
    spec = "parentRefs: [{name: web}], rules: [{}], hostnames: "
    routes = [manifest(f"HTTPRoute shop/{n}", f"{spec}['{host}']") for n, host in HOSTS.items()]
    empty.write({"hub/web.yaml": "---\n".join([web, *routes])})
    empty.run("init", "--spokes", "eu", "--ci", "none")
    empty.succeed("build")
    assert re.findall(r"error (SR\d+)", empty.run("check").err) == ["SR1013"]


def test_files_of_other_tools_are_counted_and_the_rest_is_taken(empty: Shell) -> None:
    """Charts, their values, Taskfiles, Jsonnet: none of them refuses what is beside it."""
    others = {
        "Taskfile.yaml": "tasks: {build: {cmds: [echo {{.X}}]}}\n",
        "chart.yaml": "{{ range .Values.x }}\na: [\n{{ end }}\n",
        "values.yaml": "replicas: 2\n",
        "main.jsonnet": "local x = import 'y.libsonnet'; {a: x}\n",
    }
    empty.write({"a/web.yaml": WEB, **{f"a/{name}": text for name, text in others.items()}})
    done = empty.succeed("import", "a")
    assert "left out: 1 non-Kubernetes document and 2 unreadable files" in done.err
    assert len([*(empty.folder / "hub").rglob("*.yaml")]) == WEB.count("kind: ")


def test_what_a_kustomization_would_change_is_told_once_and_imported(empty: Shell) -> None:
    """Its namespace for two objects: the command that makes them is in the message."""
    bare = PLACEHOLDERS.replace("name: web, namespace: infra", "name: {}")
    files = {f"repository/{name}.yaml": bare.replace("{}", name) for name in ("web", "api")}
    kustomization = "namespace: infra\nresources: [web.yaml, api.yaml]\n"
    empty.write({**files, "repository/kustomization.yaml": kustomization})
    done = empty.succeed("import", "repository")
    assert re.findall(r"warning (SR\d+)", done.err) == ["SR1006", "SR1012"]
    assert "kustomize build repository | spokerender import -" in done.err
    empty.write({"hub/kustomization.yaml": "namePrefix: a-\nresources: [default]\n"})
    empty.write({"hub/default/kustomization.yaml": "resources: [web.yaml]\n"})
    (path,) = (empty.folder / "hub/default").glob("*web.yaml")
    path.rename(empty.folder / "hub/default/web.yaml")
    empty.write({"placement.yaml": PLACEMENT})
    assert "error SR1012" in empty.refuse("build").err


@each("name: web", "name: web, namespace: elsewhere")
def test_flux_says_the_namespace_of_objects(metadata: str, empty: Shell) -> None:
    """Its `targetNamespace` sets or overrides theirs (fluxcd.io, Kustomization)."""
    bare = PLACEHOLDERS.replace("name: web, namespace: infra", metadata)
    flux = rows_of(__file__, "flux_says_the_namespace_of_objects")
    empty.write({"repository/apps/edge/app/web.yaml": bare, "repository/apps/ks.yaml": flux})
    done = empty.succeed("import", "repository")
    assert "SR1006" not in done.err
    (path,) = (empty.folder / "hub/infra").glob("gateway*")
    assert "namespace: infra" in path.read_text()


def test_a_project_has_the_release_that_serves_its_hub(empty: Shell) -> None:
    """TCPRoutes of old versions are in the experimental channel alone."""
    empty.write({"hub/web.yaml": WEB, "hub/tcp.yaml": TCP})
    empty.succeed("init", "--spokes", "eu", "--ci", "none")
    assert "gateway-api@v1.7.0/experimental]" in (empty.folder / "fleet.yaml").read_text()
