"""What kubectl and kustomize make of the trees: exactly what we meant, for every scalar.

kustomize reads YAML in other ways than kubectl does, and Argo CD and Flux read a folder with a
kustomization.yaml through kustomize: both have to find the same in our files.
"""

import json
import subprocess
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from spokerender.model.plan import KUSTOMIZATION
from tests.conftest import ROOT
from tests.support import end_to_end as e2e, text_of
from tests.support.project import rendered_folder

pytestmark = pytest.mark.kubectl

EXAMPLES = sorted(path.name for path in (ROOT / "examples").iterdir() if path.is_dir())
POLICY = "AuthPolicy infra/p"
NO_KEY = '"<<"'
"""kustomize takes it for a merge, in quotes too."""
HEAD = text_of(__file__, "kubectl_head.yaml")
TARGET = """\
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}
"""


def kustomized(kubectl: str, folder: Path) -> bytes:
    """What kustomize makes of a folder, and so what Argo CD and Flux apply."""
    done = subprocess.run([kubectl, "kustomize", folder], check=True, capture_output=True)
    return done.stdout


def read(kubectl: str, text: bytes) -> list[Any]:
    """The objects of a stream as kubectl reads them; nothing is asked of a cluster."""
    command = [kubectl, "annotate", "--local", "-f", "-", "-o", "json", "read-by=kubectl"]
    done = subprocess.run(command, input=text, check=True, capture_output=True)
    decoder, rest, found = json.JSONDecoder(), done.stdout.decode().strip(), []
    while rest:
        item, end = decoder.raw_decode(rest)
        found.append(item)
        rest = rest[end:].lstrip()
    for item in found:
        del item["metadata"]["annotations"]["read-by"]
        if not item["metadata"]["annotations"]:
            del item["metadata"]["annotations"]
    return found


def exact(value: Any) -> str:
    """JSON text tells 1 from true and from 1.0, which Python's `==` does not."""
    return json.dumps(value, sort_keys=True)


def stream(files: Mapping[str, bytes]) -> bytes:
    """The objects of a spoke's files."""
    return b"---\n".join(data for path, data in files.items() if path != KUSTOMIZATION)


def test_kustomize_accepts_spokes_of_every_example(kubectl: str, tmp_path: Path) -> None:
    """Two spokes of each; `make live` asks about all of them."""
    meant: dict[str, list[str]] = {}
    straight, through = [], []
    for example in EXAMPLES:
        rendered = rendered_folder(ROOT / "examples" / example)
        for spoke in [*rendered.bundles][:2]:
            files = rendered.tree.files(spoke)
            folder = tmp_path / example / spoke
            e2e.write(folder, files)
            straight.append(stream(files))
            through.append(kustomized(kubectl, folder))
            # Namespaces that are made have no model: of them the text is all there is
            objects = e2e.objects(rendered, spoke) | e2e.model(rendered, spoke)
            meant[f"{example}/{spoke}"] = sorted(map(exact, objects.values()))
    for texts in (straight, through):
        items = iter(read(kubectl, b"---\n".join(texts)))
        arrived = {spoke: sorted(map(exact, islice(items, len(meant[spoke])))) for spoke in meant}
        assert arrived == meant
        assert [*items] == []


@pytest.fixture(scope="module")
def scalars(fixtures: Path) -> list[dict[str, Any]]:
    """Texts, each with what kubectl reads where one stands without quotes."""
    data = json.loads((fixtures / "yaml-scalars-kubectl.json").read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = data["rows"]
    assert len(rows) == 73
    return rows


def fleet(hub: str, overrides: str = "[]") -> dict[str, str]:
    return {
        "hub/all.yaml": hub,
        "fleet.yaml": e2e.fleet(("kuadrant.io", "AuthPolicy")),
        "placement.yaml": e2e.placement(
            "[{name: s1}]",
            "[{gateways: {names: [infra/web]}, spokes: {all: true}, as: {name: front}}]",
            overrides,
        ),
    }


def policies(kubectl: str, files: dict[str, str], folder: Path) -> list[Any]:
    """The policy of a fleet as both of them read it."""
    written = e2e.built(files).tree.files("s1")
    e2e.write(folder, written)
    ways = read(kubectl, stream(written)), read(kubectl, kustomized(kubectl, folder))
    return [{e2e.identity(item): item for item in items}[POLICY] for items in ways]


def test_every_text_arrives_as_that_text(
    scalars: list[dict[str, Any]], kubectl: str, tmp_path: Path
) -> None:
    """As an annotation, as a value, as a key, in a list; and in flow style."""
    texts = [row["scalar"] for row in scalars]
    quoted = [json.dumps(text) for text in texts]
    notes = "".join(f"    n{i}: {text}\n" for i, text in enumerate(quoted))
    values = "".join(f"    v{i}: {text}\n" for i, text in enumerate(quoted))
    keys = "".join(f"    {text}: {text}\n" for text in quoted if text != NO_KEY)
    items = "".join(f"  - {text}\n" for text in quoted)
    hub = (
        f"{HEAD}  annotations:\n{notes}{TARGET}  values:\n{values}  keys:\n{keys}"
        f"  items:\n{items}  flow: [{', '.join(quoted)}]\n"
    )
    for policy in policies(kubectl, fleet(hub), tmp_path):
        synced = {"kuadrant.io/policy-synced": "true"}
        assert policy["metadata"]["annotations"] == {
            **{f"n{i}": text for i, text in enumerate(texts)},
            **synced,
        }
        assert policy["spec"]["values"] == {f"v{i}": text for i, text in enumerate(texts)}
        assert policy["spec"]["keys"] == {text: text for text in texts if text != "<<"}
        assert policy["spec"]["items"] == texts
        assert policy["spec"]["flow"] == texts


def test_every_text_of_an_override_arrives_as_that_text(
    scalars: list[dict[str, Any]], kubectl: str, tmp_path: Path
) -> None:
    """These are written by us alone, as fixed texts and as a spoke's values."""
    texts = [row["scalar"] for row in scalars]
    merge = {"spec": {"fixed": texts, "own": [f"{{{{ spoke.values.v{i} }}}}" for i in range(73)]}}
    override = {"target": {"kind": "AuthPolicy"}, "spokes": {"all": True}, "merge": merge}
    files = fleet(HEAD + TARGET, json.dumps([override]))
    spokes = [{"name": "s1", "values": {f"v{i}": text for i, text in enumerate(texts)}}]
    files["placement.yaml"] = files["placement.yaml"].replace("[{name: s1}]", json.dumps(spokes))
    for policy in policies(kubectl, files, tmp_path):
        assert policy["spec"]["fixed"] == texts
        assert policy["spec"]["own"] == texts


def test_every_plain_scalar_arrives_as_what_kubectl_reads_there(
    scalars: list[dict[str, Any]], kubectl: str, tmp_path: Path
) -> None:
    rows = [row for row in scalars if "value" in row["kubectl"]]
    values = "".join(f"    v{i}: {row['scalar']}\n" for i, row in enumerate(rows))
    items = "".join(f"  - {row['scalar']}\n" for row in rows)
    hub = f"{HEAD}{TARGET}  values:\n{values}  items:\n{items}"
    wanted = [row["kubectl"]["value"] for row in rows]
    for policy in policies(kubectl, fleet(hub), tmp_path):
        assert exact(policy["spec"]["items"]) == exact(wanted)
        assert exact(policy["spec"]["values"]) == exact({f"v{i}": v for i, v in enumerate(wanted)})


def test_what_kubectl_refuses_is_refused(scalars: list[dict[str, Any]]) -> None:
    rows = [row["scalar"] for row in scalars if "error" in row["kubectl"]]
    assert rows == [".inf", "-.INF", ".nan", "*.example.com"]
    for scalar in rows:
        (error,) = e2e.errors(e2e.rendered(fleet(f"{HEAD}{TARGET}  value: {scalar}\n")).results)
        assert error.code == "SR1001"
        line, _, column = str(error.origin).rpartition(":")
        assert line == "hub/all.yaml:13"
        assert int(column) >= len("  value: x")


def test_a_key_that_kustomize_takes_for_a_merge_is_refused() -> None:
    (error,) = e2e.errors(e2e.rendered(fleet(f"{HEAD}{TARGET}  {NO_KEY}: {{a: b}}\n")).results)
    assert (error.code, str(error.origin)) == ("SR1001", "hub/all.yaml:13:3")
