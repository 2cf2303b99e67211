"""The fleet's tree: what shall be on disk, byte for byte."""

from spokerender.formats import yamlio
from spokerender.model.plan import HEADER, is_ours
from spokerender.rendering.values.rendered import Rendered
from tests.support import each, rows_of
from tests.support.stages import CLASS, GATEWAY, auth, objects, render, route, told, values

HUB = (
    CLASS,
    GATEWAY,
    """\
    # Who may come in.
    apiVersion: kuadrant.io/v1
    kind: AuthPolicy
    metadata:
      name: "on"          # a name that YAML takes for true
      namespace: infra
      uid: 1f0c           # the hub's own
    spec:
      targetRef:
        group: gateway.networking.k8s.io
        kind: Gateway
        name: web         # follows the gateway
      when: ['a', "b"]
    status: {conditions: []}
    """,
    route("cart", spec="hostnames: [a.shop.example]"),
)
MOVED = (
    "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {name: edge, namespace: "
    "'{{ spoke.values.ns }}', hostnames: {'*.shop.example': '*.{{ spoke.values.domain }}'}}}"
)


def parsed(found: Rendered, spoke: str) -> dict[str, object]:
    files = found.tree.files(spoke)
    assert all(is_ours(data) and b"\r" not in data for data in files.values())
    return {path: values(data.decode())[0] for path, data in files.items()}


def test_one_object_per_file_and_a_kustomization_that_lists_them() -> None:
    found = render(HUB, MOVED)
    assert told(found.results) == []
    for spoke in ("eu", "us"):
        made = objects(found, spoke)
        paths = {
            f"edge-{spoke}/authpolicy.kuadrant.io_on.yaml": made[f"AuthPolicy edge-{spoke}/on"],
            f"edge-{spoke}/gateway.gateway.networking.k8s.io_edge.yaml": made[
                f"Gateway edge-{spoke}/edge"
            ],
            "shop/httproute.gateway.networking.k8s.io_cart.yaml": made["HTTPRoute shop/cart"],
        }
        assert parsed(found, spoke) == {
            "kustomization.yaml": {
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": sorted(paths),
            },
            **paths,
        }


def test_the_hubs_own_text_survives_where_nothing_of_the_clusters_is_in_it() -> None:
    found = render(HUB, MOVED)
    assert found.tree.files("eu")["edge-eu/authpolicy.kuadrant.io_on.yaml"] == HEADER + (
        b"# Who may come in.\n"
        b"apiVersion: kuadrant.io/v1\n"
        b"kind: AuthPolicy\n"
        b"metadata:\n"
        b'  name: "on"          # a name that YAML takes for true\n'
        b"  namespace: edge-eu\n"
        b"  annotations:\n"
        b'    kuadrant.io/policy-synced: "true"\n'
        b"spec:\n"
        b"  targetRef:\n"
        b"    group: gateway.networking.k8s.io\n"
        b"    kind: Gateway\n"
        b"    name: edge         # follows the gateway\n"
        b"  when: ['a', \"b\"]\n"
    )


def test_one_file_per_spoke_has_the_same_documents() -> None:
    many, one = render(HUB, MOVED), render(HUB, MOVED, settings="layout: spoke")
    for spoke in ("eu", "us"):
        files = one.tree.files(spoke)
        assert sorted(files) == ["kustomization.yaml", "manifests.yaml"]
        assert values(files["kustomization.yaml"].decode())[0]["resources"] == ["manifests.yaml"]
        apart = [
            values(data.decode())[0]
            for path, data in sorted(many.tree.files(spoke).items())
            if path != "kustomization.yaml"
        ]
        assert values(files["manifests.yaml"].decode()) == apart


def test_a_spoke_with_nothing_placed_keeps_its_folder_and_is_told() -> None:
    rules = "- {gateways: {names: [infra/web]}, spokes: {names: [us]}}"
    for settings in ("", "layout: spoke", "namespaces: create"):
        found = render(HUB, rules, settings=settings)
        assert "eu" in found.tree.folders
        assert found.tree.files("eu") == {
            "kustomization.yaml": HEADER
            + b"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n"
        }
        assert told(found.results, "SR1408") == [
            (
                "SR1408: spoke eu gets nothing; its folder stays, with an empty list (name the "
                "spoke in a rule, or take it out of the placement) [eu]"
            )
        ]


def test_every_spoke_has_a_folder_and_fleet_is_there_when_asked_for() -> None:
    assert render(HUB).tree.folders == ("eu", "us")
    delivery = """\
        delivery:
          argocd: {name: shop, repoURL: "https://git.example.com/f.git", path: clusters}
        """
    found = render(HUB, settings=delivery)
    assert found.tree.folders == ("_fleet", "eu", "us")
    files = found.tree.files("_fleet")
    assert list(files) == ["argocd/applicationset.yaml"]
    assert all(is_ours(data) for data in files.values())
    assert values(files["argocd/applicationset.yaml"].decode())[0]["kind"] == "ApplicationSet"


def test_asking_twice_gives_the_same_bytes() -> None:
    found = render(HUB, MOVED)
    assert found.tree.files("eu") == found.tree.files("eu")
    assert render(HUB, MOVED).tree.files("eu") == found.tree.files("eu")


def test_spokes_that_get_the_same_have_the_same_bytes() -> None:
    found = render(HUB)
    assert found.tree.files("eu") == found.tree.files("us")


NASTY = rows_of(__file__, "nasty")


def test_every_value_of_a_spoke_is_read_back_as_it_was_meant() -> None:
    listed = yamlio.emit([{"name": f"s{n}", "values": {"x": text}} for n, text in enumerate(NASTY)])
    found = render(
        [CLASS, GATEWAY, auth("p", "kind: Gateway, name: web", spec="x: old")],
        spokes=listed,
        overrides="- {target: {kind: AuthPolicy}, spokes: {all: true}, "
        "merge: {spec: {x: '{{ spoke.values.x }}', deep: {list: ['{{ spoke.values.x }}']}}}}",
    )
    assert told(found.results) == []
    for number, text in enumerate(NASTY):
        data = found.tree.files(f"s{number}")["infra/authpolicy.kuadrant.io_p.yaml"].decode()
        spec = values(data)[0]["spec"]
        assert (spec["x"], spec["deep"]) == (text, {"list": [text]})


@each("spec: {x: %s}", "spec: {x: [%s]}", "metadata: {annotations: {x: %s}}")
def test_a_string_that_kustomize_cannot_carry_is_an_error_that_names_it(place: str) -> None:
    """No file may have one, but an expression can make one."""
    expression = r""" "{{ spoke.name + '\\x7f' if spoke.name == 'eu' else 'plain' }}" """
    found = render(
        [CLASS, GATEWAY, auth("p", "kind: Gateway, name: web")],
        overrides="- {target: {kind: AuthPolicy}, spokes: {all: true}, merge: "
        f"{{{place % expression}}}}}",
    )
    (error,) = (result for result in found.results if result.severity == "error")
    assert (error.code, error.spokes) == ("SR1512", ("eu",))
    assert error.message == "a string has the character U+007F, which kustomize can't carry"


@each("object", "spoke")
def test_the_objects_of_some_files(layout: str) -> None:
    """Each with the variant that it was made of, and the text that it has in its file."""
    found = render(HUB, MOVED, settings=f"layout: {layout}\nnamespaces: create\n")
    files = found.tree.files("eu")
    everything = found.tree.written("eu")
    assert len(everything) == 5
    kinds = ["" if each.variant is None else each.variant.ref.kind for each in everything]
    assert sorted(kinds) == ["", "", "AuthPolicy", "Gateway", "HTTPRoute"]
    assert all(any(each.text in data for data in files.values()) for each in everything)
    assert found.tree.written("eu", ["kustomization.yaml"]) == []
    for path in files.keys() - {"kustomization.yaml"}:
        texts = {each.text for each in found.tree.written("eu", [path])}
        assert texts == {*files[path].removeprefix(HEADER).split(b"---\n")} - {b""}
    for path, data in files.items():
        assert {(path, data)} <= found.tree.files("eu", [path]).items() <= files.items()
