"""Reviews made by hand, for the tests of what prints them."""

from collections.abc import Sequence
from functools import cache

from spokerender.edge.carried import carried_page
from spokerender.explain.diagram import Picture, draw_topology
from spokerender.findings.results import Result, Severity
from spokerender.formats.comparing import ABSENT, Change
from spokerender.model import GATEWAY_API, Origin, Ref
from spokerender.pipeline import judge_hub
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.formats import printer
from spokerender.report.reports import Look, ReviewReport
from spokerender.review.changes.values import Difference, DifferenceKind, Varying
from spokerender.review.values import (
    Consequence,
    ConsequencePath,
    MatrixCell,
    MatrixRow,
    PolicyState,
    Review,
    ReviewedState,
    Topic,
)
from tests.support import end_to_end as e2e

GATEWAY = """\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: infra}
spec:
  gatewayClassName: istio
  listeners: [{name: http, port: 80, protocol: HTTP}]
"""


@cache
def rendered(spokes: int = 6) -> Rendered:
    """A fleet of a Gateway on so many spokes."""
    names = ", ".join(f"{{name: s{number:04}}}" for number in range(spokes))
    return e2e.built(
        {
            "hub/web.yaml": GATEWAY,
            "fleet.yaml": e2e.fleet(("kuadrant.io", "AuthPolicy")),
            "placement.yaml": e2e.everywhere("infra/web", spokes=f"[{names}]"),
        }
    )


def policy(name: str, kind: str = "AuthPolicy") -> Ref:
    """A policy of Kuadrant."""
    return Ref("kuadrant.io", kind, "shop", name)


def place(route: str, rule: str = "rule-1", gateway: str = "web") -> ConsequencePath:
    """A path to a rule of a route."""
    parent, child = (
        Ref(GATEWAY_API, kind, namespace, name)
        for kind, namespace, name in (("Gateway", "infra", gateway), ("HTTPRoute", "shop", route))
    )
    return ConsequencePath((parent, parent.section("http"), child, child.section(rule)))


def consequence(
    text: str = "nobody is asked any more",
    severity: Severity = Severity.ERROR,
    spokes: Sequence[str] = (),
    number: int = 0,
) -> Consequence:
    """A consequence of which every text is `text`."""
    return Consequence(
        Result(
            code="SR1909",
            severity=severity,
            message=f"{text} {number}" if number else text,
            cure=text,
            resource=policy(text),
            origin=Origin(f"hub/{text}.yaml", line=3),
            spokes=tuple(spokes),
        ),
        Topic.ACCESS,
        (place(text),),
        (text,),
        (policy(text),),
        text,
        text,
    )


def difference(
    text: str = "shop", folders: Sequence[str] = ("s0000",), new: object = None
) -> Difference:
    """A change of fields of which every text is `text`."""
    changes = (
        Change(("spec", text, "rules"), {text: [text]}, ABSENT),
        Change(("spec", "value"), text, new if new is not None else f"{text}!"),
    )
    kind = DifferenceKind.CHANGED
    return Difference(kind, f"{text}.yaml", policy(text), tuple(folders), changes, problem=text)


def review(  # noqa: PLR0913  (an argument for each part)
    consequences: Sequence[Consequence] = (),
    changes: Sequence[Difference] = (),
    *,
    spokes: int = 6,
    matrix: Sequence[MatrixRow] = (),
    tightened: Sequence[Consequence] = (),
    with_picture: bool = False,
) -> ReviewReport:
    """A report of these."""
    fleet = rendered(spokes)
    pictures = [Picture("The hub", draw_topology(judge_hub(fleet)))] if with_picture else []
    return ReviewReport(
        review=Review(
            before=ReviewedState("origin/main", spokes),
            after=ReviewedState("the working tree", spokes),
            changes=tuple(changes),
            consequences=tuple(consequences),
            tightened=tuple(tightened),
            matrix=tuple(matrix),
        ),
        rendered=fleet,
        pictures=lambda: pictures,
        spokes=spokes,
    )


def states(name: str, *cells: tuple[Sequence[str], PolicyState, PolicyState]) -> MatrixRow:
    """A row of the matrix."""
    return MatrixRow(
        policy(name), tuple(MatrixCell(tuple(s), a, b, a is not b) for s, a, b in cells)
    )


def whole(spokes: int = 6) -> ReviewReport:
    """A review with something of everything."""
    every = [f"s{number:04}" for number in range(spokes)]
    first, rest = every[: spokes // 2], every[spokes // 2 :]
    weight = ("spec", "weight")
    ways = tuple(((name,), Change(weight, 1, n)) for n, name in enumerate(every))
    varying = Difference(
        DifferenceKind.CHANGED,
        "dns.yaml",
        policy("dns", "DNSPolicy"),
        tuple(every),
        varying=(Varying(ways[0][1], ways),),
    )
    moved = Difference(
        DifferenceKind.MOVED,
        "x.yaml",
        policy("now"),
        tuple(rest),
        was=policy("before"),
        follows=(policy("cart"),),
    )
    cart = difference("cart", rest)
    good, poor = PolicyState.IN_FORCE, PolicyState.UNATTACHED
    return review(
        [
            consequence(spokes=every),
            consequence("the limit rises", Severity.WARNING, first),
            consequence("another geo answers", Severity.INFO, every[:1]),
        ],
        [difference(folders=every), cart, moved, varying],
        spokes=spokes,
        matrix=[
            states("cart", (first, good, poor), (rest, good, good)),
            states("dns", (every, good, good)),
            states("new", (rest, PolicyState.ABSENT, good)),
        ],
        tightened=[consequence("an API key is asked", Severity.INFO, rest)],
        with_picture=True,
    )


def printed(report: ReviewReport, form: str, *, color: bool = False, width: int = 80) -> str:
    """The report in a format, as the command prints it."""
    look = Look(color=color, width=width, page=carried_page, verbose=True)
    return printer(ReviewReport, form)(report, look)
