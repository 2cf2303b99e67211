"""What people call an object, and the identity that its fields give it."""

from typing import Any

from hypothesis import given, strategies as st

from spokerender.formats.comparing import Item
from spokerender.model import ObjectName, Ref, identity, kind_name, shown
from tests.support import cases, each, rows_of


def test_shown_as_kubernetes_shows_it() -> None:
    assert shown(("spec", "targetRefs", 0, "name")) == "spec.targetRefs[0].name"
    assert shown(("metadata", "labels", "kuadrant.io/managed")) == (
        "metadata.labels[kuadrant.io/managed]"
    )
    assert shown(()) == ""
    assert shown(("spec", "listeners", Item((("name", "https"),)), "tls")) == (
        "spec.listeners[name=https].tls"
    )


PAY = Ref("kuadrant.io", "AuthPolicy", "shop", "pay")
CLASS = Ref("gateway.networking.k8s.io", "GatewayClass", "", "istio")

WORDS = st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True)
KINDS = st.from_regex(r"[A-Z][A-Za-z0-9]{0,8}", fullmatch=True)
GROUPS = st.one_of(st.just(""), st.from_regex(r"[a-z]{1,5}(\.[a-z]{1,5}){0,2}", fullmatch=True))
REFS = st.builds(Ref, GROUPS, KINDS, st.one_of(st.just(""), WORDS), WORDS)


@cases(
    ("AuthPolicy/shop/pay", ObjectName("AuthPolicy", None, "shop", "pay")),
    ("authpolicy.kuadrant.io/shop/pay", ObjectName("authpolicy", "kuadrant.io", "shop", "pay")),
    ("GatewayClass/istio", ObjectName("GatewayClass", None, "", "istio")),
    ("AuthPolicy/shop/pay@eu-1", ObjectName("AuthPolicy", None, "shop", "pay", "eu-1")),
)
def test_a_name_is_read_and_written(text: str, name: ObjectName) -> None:
    assert ObjectName.read(text) == name
    assert str(name) == text


NO_NAMES = rows_of(__file__, "no_names")


@each(*NO_NAMES)
def test_a_text_of_another_shape_is_no_name(text: str) -> None:
    assert ObjectName.read(text) is None


@cases(
    ("AuthPolicy/shop/pay", PAY, True),
    ("authpolicy/shop/pay", PAY, True),
    ("AuthPolicy.kuadrant.io/shop/pay@eu", PAY, True),
    ("AuthPolicy.example.com/shop/pay", PAY, False),
    ("AuthPolicy/pay", PAY, False),
    ("AuthPolicy/Shop/pay", PAY, False),
    ("GatewayClass/istio", CLASS, True),
    ("GatewayClass/shop/istio", CLASS, False),
)
def test_what_a_name_names(text: str, ref: Ref, is_named: bool) -> None:
    name = ObjectName.read(text)
    assert name is not None
    assert name.names(ref) is is_named


@given(ref=REFS, spoke=st.one_of(st.just(""), WORDS))
def test_a_written_name_names_what_it_was_written_for(ref: Ref, spoke: str) -> None:
    for with_group in (True, False):
        name = ObjectName.of(ref, with_group=with_group, spoke=spoke)
        assert ObjectName.read(str(name)) == name
        assert name.names(ref)


@cases(
    ({"apiVersion": "kuadrant.io/v1", "kind": "AuthPolicy",
      "metadata": {"namespace": "shop", "name": "pay"}}, PAY),
    ({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}},
     Ref("", "Service", "", "s")),
    ({"apiVersion": "v1", "kind": "List"}, Ref("", "List", "", "")),
    ({"kind": "A", "metadata": {"namespace": None}}, Ref("", "A", "", "")),
    ({"apiVersion": 1, "kind": "A"}, None),
    ({"kind": "A", "metadata": {"namespace": True, "name": "a"}}, None),
    ({"metadata": ["name"]}, None),
    (None, None),
)  # fmt: skip
def test_the_identity_that_an_object_has(data: Any, ref: Ref | None) -> None:
    assert identity(data) == ref


def test_a_kind_is_told_with_its_group() -> None:
    assert kind_name("kuadrant.io", "AuthPolicy") == "AuthPolicy.kuadrant.io"
    assert kind_name("", "Service") == "Service"
