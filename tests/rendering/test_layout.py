"""Which object goes into which file, and the files that are not one object's."""

import pytest
from hypothesis import given, settings, strategies as st

from spokerender.model import Ref
from spokerender.model.plan import HEADER, KUSTOMIZATION, is_ours
from spokerender.rendering.values.layout import (
    ALL_IN_ONE,
    fitted,
    kustomization,
    one_file,
    one_place,
    path_of,
)
from tests.support import cases, rows_of
from tests.support.profiles import examples
from tests.support.stages import values


@cases(
    (Ref("gateway.networking.k8s.io", "HTTPRoute", "shop", "cart"),
     "shop/httproute.gateway.networking.k8s.io_cart.yaml"),
    (Ref("", "Service", "shop", "cart.v2"), "shop/service_cart.v2.yaml"),
    (Ref("", "Namespace", "", "shop"), "_cluster/namespace_shop.yaml"),
    (Ref("example.com", "World", "", "one"), "_cluster/world.example.com_one.yaml"),
    (Ref("kuadrant.io", "AuthPolicy", "infra", "web", "http"),
     "infra/authpolicy.kuadrant.io_web.yaml"),
)  # fmt: skip
def test_paths(ref: Ref, path: str) -> None:
    assert path_of(ref) == path


labels = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,5}[a-z0-9])?", fullmatch=True)
subdomains = st.lists(labels, min_size=1, max_size=3).map(".".join)
kinds = st.from_regex(r"[A-Z][A-Za-z0-9]{0,5}", fullmatch=True)
refs = st.builds(Ref, st.just("") | subdomains, kinds, st.just("") | labels, subdomains)


@pytest.mark.property
@settings(max_examples=examples(200, house=20), deadline=None)
@given(refs, refs)
def test_two_identities_never_share_a_path(one: Ref, other: Ref) -> None:
    """Kinds that differ in case only are refused before (`rendering.checks.collisions`)."""
    same = (one.group, one.kind.lower(), one.namespace, one.name) == (
        other.group,
        other.kind.lower(),
        other.namespace,
        other.name,
    )
    assert (path_of(one) == path_of(other)) is same


@pytest.mark.property
@settings(max_examples=examples(house=20), deadline=None)
@given(refs)
def test_a_path_is_inside_its_folder_and_never_the_kustomization(ref: Ref) -> None:
    parts = path_of(ref).split("/")
    assert len(parts) == 2
    assert not {"", ".", ".."} & set(parts)
    assert parts[0] == (ref.namespace or "_cluster")
    assert path_of(ref) not in {KUSTOMIZATION, ALL_IN_ONE}


def test_the_kustomization_lists_every_file_sorted() -> None:
    text = kustomization(["b/x.yaml", "_cluster/n.yaml", "a/y.yaml"])
    assert text == HEADER + (
        b"apiVersion: kustomize.config.k8s.io/v1beta1\n"
        b"kind: Kustomization\n"
        b"resources:\n"
        b'- "_cluster/n.yaml"\n'
        b"- a/y.yaml\n"
        b"- b/x.yaml\n"
    )


def test_the_kustomization_of_nothing_is_an_empty_list() -> None:
    text = kustomization([])
    assert text.endswith(b"\nresources: []\n")
    assert is_ours(text)


def test_a_path_that_yaml_would_take_for_something_else_is_quoted() -> None:
    paths = ["1e3/a.yaml", "on", "no", "~", "null", "5", "0x1f", "a: b", "# a"]
    assert values(kustomization(paths).decode())[0]["resources"] == sorted(paths)


def test_one_file_has_all_documents_in_the_order_of_their_paths() -> None:
    documents = [("b.yaml", HEADER + b"b: 1\n"), ("a.yaml", HEADER + b"a: 1\n")]
    assert one_file(documents) == HEADER + b"---\na: 1\n---\nb: 1\n"
    assert one_file(documents[::-1]) == one_file(documents)


def test_a_name_that_no_file_system_takes_ends_in_its_hash() -> None:
    group, name = ".".join(["g" * 63] * 3), ".".join(["n" * 63] * 3)
    paths = [path_of(Ref(group, "K" * 63, "shop", f"{name}.{end}")) for end in ("a", "b")]
    assert len(set(paths)) == len(paths)
    for path in paths:
        folder, _, file = path.rpartition("/")
        assert (folder, len(file.encode()), file[-5:]) == ("shop", 255, ".yaml")
        assert fitted(path) == path


def test_a_name_that_just_fits_stays_as_it_is() -> None:
    name = ".".join(["n" * 63] * 3)
    group = "g" * (255 - len("a._.yaml") - len(name))
    assert path_of(Ref(group, "A", "shop", name)) == f"shop/a.{group}_{name}.yaml"
    assert path_of(Ref(f"{group}g", "A", "shop", name)) != f"shop/a.{group}g_{name}.yaml"


@cases(*rows_of(__file__, "what_is_one_file_somewhere"))
def test_what_is_one_file_somewhere(one: str, other: str) -> None:
    assert one_place(one) == one_place(other)
