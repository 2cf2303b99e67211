"""Words that several pieces of advice share."""

from msgspec.structs import replace

from spokerender.judging.advice.phrases import describe_path, describe_paths, list_few
from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.paths import RequestPath
from tests.support import cases

WEB = Ref(GATEWAY_API, "Gateway", "infra", "web")
PATH = RequestPath(
    "istio", WEB, None, "http", Ref(GATEWAY_API, "HTTPRoute", "shop", "cart"), "rule-1"
)
OWN = replace(WEB, kind="ListenerSet", name="own")


@cases(
    ([], ""),
    ([1], "1"),
    ("abc", "a, b, c"),
    ("abcd", "a, b, c and 1 more"),
    (range(9), "0, 1, 2 and 6 more"),
)
def test_some(items: list[object], expected: str) -> None:
    assert list_few(items) == expected


@cases(
    (PATH, "HTTPRoute shop/cart [rule-1] on Gateway infra/web [http]"),
    (replace(PATH, route=None), "Gateway infra/web [http]"),
    (
        replace(PATH, listener_set=OWN),
        "HTTPRoute shop/cart [rule-1] on ListenerSet infra/own [http]",
    ),
)
def test_place(path: RequestPath, expected: str) -> None:
    assert describe_path(path) == expected


def test_places() -> None:
    assert describe_paths([PATH]) == describe_path(PATH)
    assert describe_paths([PATH] * 2) == f"{describe_path(PATH)} and 1 more path"
    assert describe_paths([PATH] * 9) == f"{describe_path(PATH)} and 8 more paths"
