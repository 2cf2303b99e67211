"""A Gateway and an HTTPRoute of one name: renaming the one retargets nothing that names the other.

kustomize's name references know no kind of target, and its output for the same objects is wrong:
policies on the route follow the gateway, and the route itself does not.
"""

from pathlib import Path

from tests.support import end_to_end as e2e, rows_of
from tests.support.end_to_end import parsed

LISTED = e2e.fleet(
    ("kuadrant.io", "AuthPolicy"),
    ("gateway.envoyproxy.io", "BackendTrafficPolicy"),
    ("gateway.networking.k8s.io", "HTTPRoute"),
)
HEADER = "# Rendered by spokerender. Do not edit: change the hub or the placement instead.\n"
SPOKE = rows_of(__file__, "spoke")


def files(fixtures: Path) -> dict[str, str | bytes]:
    return {
        "hub/r.yaml": (fixtures / "kustomize-retarget-bug" / "r.yaml").read_bytes(),
        "fleet.yaml": LISTED,
        "placement.yaml": e2e.everywhere("ns/web", as_="{name: spoke1-web}"),
    }


def test_only_what_names_the_gateway_changes(fixtures: Path) -> None:
    found = e2e.built(files(fixtures))
    assert {path: data.decode() for path, data in found.tree.files("s1").items()} == {
        path: HEADER + text for path, text in SPOKE.items()
    }


def test_kustomize_got_it_wrong(fixtures: Path) -> None:
    """Its output beside ours, object by object: three differ, and the gateway is none of them."""
    theirs = parsed((fixtures / "kustomize-retarget-bug" / "output.txt").read_bytes())
    ours = e2e.objects(e2e.built(files(fixtures)))
    wrong = {name for item in theirs if ours[name := e2e.identity(item)]["spec"] != item["spec"]}
    assert wrong == {"HTTPRoute ns/web", "AuthPolicy ns/p-route", "BackendTrafficPolicy ns/btp"}
