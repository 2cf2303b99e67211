"""The page of a review: everything is escaped, nothing is loaded, and it keeps to its size."""

import re
from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from spokerender.findings.results import Severity
from spokerender.model import Ref
from spokerender.report.pictures import draw_svg
from spokerender.review.changes.values import Difference, DifferenceKind
from spokerender.review.values import MatrixCell, MatrixRow, PolicyState
from tests.report.page.reading import read
from tests.support import cases, each, rows_of
from tests.support.profiles import examples
from tests.support.reviews import (
    consequence,
    difference,
    place,
    policy,
    printed,
    rendered,
    review,
    states,
    whole,
)

BREAKING: list[Any] = rows_of(__file__, "breaking")


def of(text: str, severity: Severity = Severity.ERROR) -> str:
    """A page where every text of the hub is `text`."""
    folders = ["s0000", "s0001"]
    return printed(
        review(
            [consequence(text, severity, folders)],
            [difference(text, folders)],
            matrix=[states(text, (folders, PolicyState.IN_FORCE, PolicyState.ABSENT))],
            tightened=[consequence(text, Severity.INFO, folders)],
            with_picture=True,
        ),
        "html",
    )


HARMLESS = of("harmless")


@each(*BREAKING)
def test_hub_text_makes_no_element_and_no_attribute(text: str) -> None:
    def shape(page: str) -> list[tuple[str, frozenset[str]]]:
        return [(tag, frozenset(attributes)) for tag, attributes in read(page).elements]

    page = of(text)
    assert {tag for tag, _ in shape(page)} == {tag for tag, _ in shape(HARMLESS)}
    assert not any(name.startswith("on") for _, names in shape(page) for name in names)
    hrefs = [v for _, found in read(page).elements for k, v in found.items() if "href" in k]
    assert all(href.startswith("#") for href in hrefs)
    assert not re.search(r"[\x00-\x08\x1b\u202e]", page)


@settings(max_examples=examples(30), deadline=None)
@given(st.text(min_size=1, max_size=30))
def test_any_text_stays_text(text: str) -> None:
    page = read(of(text))
    assert {tag for tag, _ in page.elements} == {tag for tag, _ in read(HARMLESS).elements}


def test_a_consequence_of_no_spoke_is_shown() -> None:
    assert "it opens" in read(printed(review([consequence("it opens")]), "html")).all_texts("h3")


def test_a_card_has_its_cure_line_by_line_and_stands_with_those_of_its_cause() -> None:
    item = consequence("x")
    item = replace(item, result=replace(item.result, cure="add:\n- {a: b}"))
    for number, items in enumerate(([item], [item, item])):
        page = printed(review(items), "html")
        assert "add:<br>- {a: b}</dd>" in page
        assert page.count(">2 consequences of <code") == number
        assert page.count('<div class="cause"') == page.count("</article>\n</div>") == number


def test_a_headline_is_the_message_to_the_letter() -> None:
    assert "<script>alert(1)</script>" in read(of("<script>alert(1)</script>")).all_texts("h3")


def test_the_policy_permits_this_style_and_this_script_alone() -> None:
    page = read(of("x"))
    (policy,) = (
        attributes["content"]
        for tag, attributes in page.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    hashes = {
        tag: b64encode(sha256("".join(page.all_texts(tag)).encode()).digest()).decode()
        for tag in ("style", "script")
    }
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes['style']}'; "
        f"script-src 'sha256-{hashes['script']}'; base-uri 'none'; form-action 'none'"
    )
    assert sum(tag in ("style", "script") for tag, _ in page.elements) == 2


def test_nothing_is_loaded() -> None:
    page = of("x")
    loading = {"src", "srcset", "action", "background", "poster", "data", "style"}
    assert not any(loading & attributes.keys() for _, attributes in read(page).elements)
    assert "url(" not in page
    assert "@import" not in page
    assert not {"link", "iframe", "object", "embed", "img"} & {
        tag for tag, _ in read(page).elements
    }


def test_ids_and_links_agree() -> None:
    page = read(printed(whole(30), "html"))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {attributes["href"] for tag, attributes in page.elements if tag == "a"}
    assert {link[1:] for link in links} <= set(ids)


def test_spokes_that_are_equal_in_all_rows_are_one_column() -> None:
    every = [f"s{number:04}" for number in range(1_000)]
    good, gone = PolicyState.IN_FORCE, PolicyState.ABSENT
    rows = [
        states("a", (every[:10], good, gone), (every[10:], good, good)),
        states("b", (every, good, good)),
    ]
    page = printed(review(matrix=rows, spokes=1_000), "html")
    head = re.search(r'<table class="matrix[^"]*">\s*<thead>(.*?)</thead>', page, re.DOTALL)
    assert head is not None
    assert head[1].count("data-s=") == 2
    assert 'data-s="10-999"' in head[1]


MANY_SHORT, FEW_LONG = (4_000, 2_000, 8), (900, 700, 900)


@cases(
    (*FEW_LONG, "💡"),
    pytest.param(*MANY_SHORT, "x", marks=pytest.mark.weekly),
    pytest.param(*FEW_LONG, "'", marks=pytest.mark.weekly),
    pytest.param(*MANY_SHORT, "'", marks=pytest.mark.weekly),
    pytest.param(*MANY_SHORT, "💡", marks=pytest.mark.weekly),
    pytest.param(*FEW_LONG, "x", marks=pytest.mark.weekly),
)
def test_it_keeps_to_its_size_and_counts_what_it_leaves_out(
    alarms: int, changes: int, size: int, letter: str
) -> None:
    every = [f"s{number:04}" for number in range(1_000)]
    report = review(
        [
            consequence(letter * size, Severity.ERROR, every, number)
            for number in range(1, alarms + 1)
        ],
        [difference(f"{letter * size}{number}", every) for number in range(changes)],
        spokes=1_000,
    )
    page = printed(report, "html")
    assert len(page.encode()) < 3_000_000
    for section, card, number in (
        ("consequences", '<article class="card', alarms),
        ("changes", '<details class="card change"', changes),
    ):
        found = re.search(rf'<section id="{section}".*?</section>', page, re.DOTALL)
        assert found is not None
        left = re.search(r"Left out for size: ([\d,]+)", found[0])
        missing = int(left[1].replace(",", "")) if left else 0
        assert found[0].count(card) >= 5
        assert found[0].count(card) + found[0].count('<tr class="item"') + missing == number


def test_policies_without_a_change_are_apart() -> None:
    every = [f"s{number:04}" for number in range(6)]
    good = PolicyState.IN_FORCE
    rows = [states("new", (every, PolicyState.ABSENT, good)), states("old", (every, good, good))]
    page = printed(review(matrix=rows), "html")
    changed, unchanged = page.split("1 policy without a change")
    assert "shop/new" in changed.partition('<table class="matrix')[2]
    assert "shop/old" not in changed.partition('<table class="matrix')[2]
    assert "shop/old" in unchanged


def test_sections_of_one_route_are_one_line() -> None:
    item = replace(consequence("x"), places=(place("e", "f"), place("e", "g")))
    assert "HTTPRoute shop/e [f] [g]" in read(printed(review([item]), "html")).all_texts("code")


def test_a_consequence_leads_to_the_change_that_causes_it() -> None:
    report = review([consequence("b")], [difference("a"), difference("b")])
    page = printed(report, "html")
    assert '<a href="#change-1">see the change</a>' in page
    card = page.partition('id="change-1"')[2].partition("</details>")[0]
    assert "AuthPolicy shop/b" in card, "the changes that consequences are about come first"


def test_what_changed_is_marked_in_the_picture() -> None:
    report = review(with_picture=True)
    (picture,) = report.pictures()
    gateway = next(box.ref for box in picture.diagram.boxes if box.heading == "Gateway")
    assert 'class="changed"' not in printed(report, "html")
    marked = draw_svg(picture.diagram, "", changed={gateway})
    assert marked.count('class="changed"') == 2, "its box, and the legend"


def test_what_only_follows_is_named() -> None:
    texts = read(printed(whole(), "html")).all_texts("p")
    assert "so named by 1 object: AuthPolicy shop/cart" in texts


def test_a_difference_shows_both_sides_in_colour() -> None:
    page = printed(whole(), "html")
    assert '<td class="del">  <i class="k">value</i>' in page
    assert '<td class="ins"><i' in page or '<td class="ins">  <i' in page


def test_all_of_an_object_that_comes_or_goes_is_shown() -> None:
    fleet = rendered()
    path, ref = "gateway.yaml", Ref("gateway.networking.k8s.io", "Gateway", "infra", "web")
    kinds = DifferenceKind.ADDED, DifferenceKind.REMOVED
    changes = [Difference(kind, path, ref, ("s0000",)) for kind in kinds]
    page = printed(replace(review(changes=changes), earlier=fleet), "html")
    for head, side in (("new", "ins"), ("removed", "del")):
        assert f'<th scope="col">{head}</th>' in page
        assert f'<td class="{side}">  <i class="k">gatewayClassName</i>' in page
    assert "gatewayClassName</i>" not in printed(review(changes=changes[1:]), "html")


@cases((Severity.ERROR, "poor"), (Severity.WARNING, "fair"), (Severity.INFO, "open"))
def test_the_number_of_consequences_has_the_tone_of_the_worst(
    severity: Severity, tone: str
) -> None:
    page = printed(review([consequence("x", severity), consequence("y", Severity.INFO)]), "html")
    assert f'<li class="{tone}"><b>2</b>' in page


def test_a_policy_that_comes_or_goes_is_not_called_edited() -> None:
    absent, in_force = PolicyState.ABSENT, PolicyState.IN_FORCE
    rows = [
        states("comes", (["s0000"], absent, in_force)),
        states("goes", (["s0000"], in_force, absent)),
        MatrixRow(policy("stays"), (MatrixCell(("s0000",), in_force, in_force, is_changed=True),)),
    ]
    page = printed(review(matrix=rows), "html")
    marks = re.findall(r'<b class="edited" aria-hidden="true">(\w+)</b>', page)
    assert marks == ["new", "removed", "edited"]


def test_a_verdict_about_a_base_that_was_not_rendered_has_no_tick() -> None:
    report = review(changes=[difference()])
    before = replace(report.review.before, is_rendered=False, note="its tree is compared")
    doubtful = replace(report, review=replace(report.review, before=before))
    sign = re.compile(r'<h1><span class="sign (\w+)"')
    assert sign.findall(printed(report, "html")) == ["good"]
    assert sign.findall(printed(doubtful, "html")) == ["open"]
