"""The page of a review in a real browser: filters, keys, dark, print, no scripts, axe-core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from spokerender.formats.comparing import ABSENT, Change
from tests.browser.conftest import Open, Watched
from tests.report.page.test_page import BREAKING
from tests.support import cases
from tests.support.reviews import consequence, difference, review, whole

if TYPE_CHECKING:
    from playwright.sync_api import Page

CARDS = "article.card, details.change"


def violations(page: Page) -> list[tuple[str, list[Any]]]:
    """What axe-core calls serious or worse."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    return [
        (item["id"], [node["html"][:200] for node in item["nodes"]])
        for item in found
        if item["impact"] in ("serious", "critical")
    ]


@cases(("light", 6), ("dark", 1_000))
def test_axe_finds_nothing_serious(scheme: str, spokes: int, open_page: Open) -> None:
    assert violations(open_page(whole(spokes), color_scheme=scheme).page) == []


def filled(watched: Watched, **values: str) -> Page:
    """The page with these filters."""
    for name, value in values.items():
        field = watched.page.locator(f"[name={name}]")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    return watched.page


def clear(page: Page) -> None:
    """Press Clear, and wait until it is done."""
    page.get_by_role("button", name="Clear").click()
    page.locator("#chosen").wait_for(state="hidden")


def wait_for_no_spoke(page: Page) -> None:
    """Wait until the filter by spoke is empty; the page's policy forbids to evaluate text."""
    expect = pytest.importorskip("playwright.sync_api").expect
    expect(page.locator("[name=spoke]")).to_have_value("")


def test_filters_leave_what_matches(open_page: Open) -> None:
    watched = open_page()
    every = watched.shown(CARDS)
    assert every == 8
    page = filled(watched, severity="warning")
    assert watched.shown("article.card") == 1
    assert page.locator("#count").inner_text() == "5 of 8 entries"
    filled(watched, severity="", spoke="s0005")
    assert watched.shown("article.card") == 2, "an error on all spokes, what is stricter on it"
    assert watched.shown(".matrix thead th[data-s]") == 1
    filled(watched, spoke="", policy="AuthPolicy shop/cart")
    assert watched.shown(".matrix tbody tr") == 1
    clear(page)
    assert watched.shown(CARDS) == every
    assert page.locator("#count").inner_text() == ""


def test_filters_are_in_the_address(open_page: Open) -> None:
    page = filled(open_page(), spoke="s0005", severity="error")
    assert page.url.endswith("#?spoke=s0005&severity=error")
    again = open_page(address="#?spoke=s0005&severity=error")
    assert again.page.locator("[name=spoke]").input_value() == "s0005"
    assert again.shown("article.card") == 1
    again.page.evaluate("location.hash = '#?severity=info'")
    wait_for_no_spoke(again.page)
    assert again.shown("article.card") == 2


def test_a_gateway_of_the_paths_is_a_filter(open_page: Open) -> None:
    other = consequence("x", spokes=["s0000"])
    watched = open_page(review([other, consequence("y", spokes=["s0001"])]))
    options = watched.page.locator("[name=gateway] option").all_inner_texts()
    assert options == ["any gateway", "Gateway infra/web"]
    filled(watched, gateway="Gateway infra/web")
    assert watched.shown("article.card") == 2


def test_a_section_without_a_match_says_so(open_page: Open) -> None:
    watched = open_page()
    filled(watched, severity="error")
    after = "getComputedStyle(document.getElementById('{}'), '::after').content"
    assert "No entry matches" in watched.page.evaluate(after.format("stricter"))
    assert watched.page.evaluate(after.format("consequences")) == "none"


ODD = ("<img src=x onerror=alert(1)>", "javascript:alert(1)", "%00%ff", "__proto__", "x" * 9999)


def test_an_address_of_others_does_nothing(open_page: Open) -> None:
    fields = ("spoke", "gateway", "policy", "severity", "constructor")
    watched = open_page()
    page, place = watched.page, watched.page.url
    before = page.locator("body *").count()
    for value in ODD:
        page.goto(f"{place}#?{'&'.join(f'{name}={quote(value)}' for name in fields)}")
        page.reload()
        assert page.locator("body *").count() == before
        assert page.locator("[name=severity]").input_value() in ("", value)
        clear(page)
        assert watched.shown(CARDS) == 8


def test_a_link_to_a_change_opens_it(open_page: Open) -> None:
    watched = open_page(review([consequence("cart")], [difference("cart")]))
    watched.page.evaluate("document.querySelectorAll('details').forEach(item => item.open = false)")
    watched.page.get_by_role("link", name="see the change").first.click()
    assert watched.page.evaluate("document.activeElement.open") is True


def test_keys(open_page: Open) -> None:
    page = open_page().page
    headings = "document.activeElement.querySelector('h3')?.textContent"
    page.keyboard.press("j")
    assert page.evaluate(headings) == "nobody is asked any more"
    page.keyboard.press("j")
    assert page.evaluate(headings) == "the limit rises"
    page.keyboard.press("k")
    assert page.evaluate(headings) == "nobody is asked any more"
    for _ in range(20):
        page.keyboard.press("j")
    assert page.evaluate("document.activeElement.open") is True
    page.keyboard.press("o")
    assert page.evaluate("document.activeElement.open") is False
    page.keyboard.press("/")
    page.keyboard.type("s0005")
    assert page.locator("[name=spoke]").input_value() == "s0005"
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    wait_for_no_spoke(page)
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()


def test_a_set_of_spokes_opens_where_it_is_named(open_page: Open) -> None:
    watched = open_page(whole(30))
    link = watched.page.locator("a.where").first
    place = watched.page.locator(str(link.get_attribute("href")))
    assert place.get_attribute("open") is None
    link.click()
    assert place.get_attribute("open") is not None


def test_dark_and_light_differ(open_page: Open) -> None:
    colors = {
        open_page(color_scheme=scheme).page.evaluate(
            "[getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.querySelector('svg .box')).fill].join()"
        )
        for scheme in ("light", "dark")
    }
    assert len(colors) == 2


def test_print_shows_everything_and_no_controls(open_page: Open) -> None:
    watched = open_page()
    watched.page.evaluate("document.querySelectorAll('details').forEach(item => item.open = false)")
    watched.page.emulate_media(media="print")
    watched.page.set_viewport_size({"width": 718, "height": 1000})  # of A4
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 718
    assert not watched.page.locator(".bar").is_visible()
    assert watched.shown("table.sides") == 2
    assert len(watched.page.pdf()) > 10_000


def test_without_scripts_everything_is_there(open_page: Open) -> None:
    watched = open_page(java_script_enabled=False)
    assert watched.shown(CARDS) == 8
    assert watched.shown("table.sides") == 2
    assert not watched.page.locator("#filters").is_visible()


def test_a_thousand_spokes_are_quick(open_page: Open) -> None:
    watched = open_page(whole(1_000))
    assert watched.shown(CARDS) == 8
    filled(watched, spoke="s0999")
    assert watched.page.locator("#count").inner_text() == "6 of 8 entries"


def test_nothing_is_wider_than_the_window(open_page: Open) -> None:
    watched = open_page()
    for width in (360, 768, 1_280):
        watched.page.set_viewport_size({"width": width, "height": 800})
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= width


def test_hub_text_does_nothing(open_page: Open) -> None:
    """Breaking texts stand on one page: what any of them does is noticed at the end."""
    cards, changes = [*map(consequence, BREAKING)], [*map(difference, BREAKING)]
    watched = open_page(review(cards, changes, with_picture=True))
    watched.page.mouse.move(400, 400)
    assert watched.page.locator("script").count() == 1


def test_a_phone_shows_both_sides_below_each_other(open_page: Open) -> None:
    watched = open_page(review([], [difference("shop", ["s0000"])]))
    watched.page.set_viewport_size({"width": 390, "height": 800})
    sides = watched.page.locator(".sides td.del, .sides td.ins")
    boxes = [box for item in sides.all() if (box := item.bounding_box()) is not None]
    assert len(boxes) == sides.count() > 2
    assert all(box["x"] + box["width"] <= 390 for box in boxes)


def test_a_phone_shows_what_goes_and_then_what_comes(open_page: Open) -> None:
    item = difference("shop", ["s0000"])
    gone, come = {"first": {"a": 1}, "second": 2}, {"third": {"b": 3}, "fourth": 4}
    changes = (Change(("spec", "old"), gone, ABSENT), Change(("spec", "new"), ABSENT, come))
    watched = open_page(review([], [replace(item, changes=changes)]))
    watched.page.set_viewport_size({"width": 390, "height": 800})
    boxes = {
        style: [item.bounding_box() for item in watched.page.locator(f".sides td.{style}").all()]
        for style in ("del", "ins")
    }
    gone_at, come_at = ([box["y"] for box in each if box is not None] for each in boxes.values())
    assert len(gone_at) == len(come_at) == 4
    assert max(gone_at) < min(come_at)


def test_an_address_with_a_gateway_that_is_not_there_filters_by_none(open_page: Open) -> None:
    watched = open_page(review([], [difference("shop", ["s0000"])]), "#?gateway=infra/none")
    assert watched.page.locator("select[name=gateway]").input_value() == ""
    assert watched.page.locator("select[name=gateway] option:checked").count() == 1
