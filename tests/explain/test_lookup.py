"""What an argument names, and what is said where it names nothing."""

import pytest

from spokerender.explain.lookup import find_object, find_policy_kind, find_routes
from spokerender.findings.errors import InputError
from tests.support import cases, each, manifest, rows_of
from tests.support.shop import shop


@each("cart", "shop/cart", "HTTPRoute/cart", "httproute/shop/cart", "HTTPRoute/shop/cart")
def test_routes(text: str) -> None:
    assert [str(ref) for ref in find_routes(shop(), text)] == ["HTTPRoute shop/cart"]


@cases(*rows_of(__file__, "no_such_route"))
def test_no_such_route(text: str, code: str, message: str | None, cure: str | None) -> None:
    with pytest.raises(InputError) as refused:
        find_routes(shop(), text)
    (result,) = refused.value.results
    assert result.code == code
    assert message in (None, result.message)
    assert cure in (None, result.cure)


@each("AuthPolicy", "authpolicy", "RateLimitPolicy", "doorpolicy")
def test_kinds_of_policy(text: str) -> None:
    """The hub has no RateLimitPolicy, and a DoorPolicy that no table has."""
    door = manifest("DoorPolicy infra/d", "", api="example.com/v1")
    assert find_policy_kind(shop(door), text).casefold() == text.casefold()


@cases(*rows_of(__file__, "no_such_kind_of_policy"))
def test_no_such_kind_of_policy(text: str, cure: str | None) -> None:
    with pytest.raises(InputError) as refused:
        find_policy_kind(shop(), text)
    (result,) = refused.value.results
    assert (result.code, result.message) == ("SR2007", f'no kind of policy is called "{text}"')
    assert cure in (None, result.cure)


@cases(
    ("shop/cart", "put its kind first: HTTPRoute/shop/cart"),
    ("httproute/shop/cat", 'did you mean "HTTPRoute/shop/cart"?'),
)
def test_no_such_object(text: str, cure: str) -> None:
    with pytest.raises(InputError) as refused:
        find_object(shop(), text)
    (result,) = refused.value.results
    assert result.cure is not None
    assert cure in result.cure
