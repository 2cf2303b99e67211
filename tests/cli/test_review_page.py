"""`spokerender review` on a prepared pull request of the flagship: its formats and its page."""

import json
import re
import shutil
from pathlib import Path

import pytest

from spokerender.report.markdown import MARK
from tests.cli.project import Shell
from tests.conftest import ROOT
from tests.report.page.reading import read
from tests.support.inert import is_inert
from tests.support.sale import make_sale

GOLDEN = ROOT / "docs/review.html"


@pytest.fixture
def sale(empty: Shell) -> Shell:
    """The working tree of the pull request."""
    make_sale(empty.folder)
    return empty


@pytest.mark.golden
def test_the_page_in_the_documentation_is_the_one_of_this_pull_request(
    sale: Shell, *, update_golden: bool
) -> None:
    """`docs/review.html`; its picture in the README is made by `python -m ci.screenshot`."""
    page = sale.run("review", "--against", "main", "--format", "html").out
    if update_golden:
        GOLDEN.write_text(page, encoding="utf-8")
    assert page == GOLDEN.read_text(encoding="utf-8")


def test_the_page_says_what_where_and_who(sale: Shell) -> None:
    page = read(sale.run("review", "--against", "main", "--format", "html").out)
    texts = " ".join(text for _, text in page.texts)
    for part in (
        "hub/teams/checkout/policies.yaml:14",
        "hub/teams/cart/policies.yaml:41",
        "120 in 1m",
        "1200 in 1m",
        "HTTPRoute catalog/trending",
        "Stricter than before",
        "ap-southeast-1-prod",
        "/trending",
        "checkout lets in more callers than before in rules.authorization.confirmed",
    ):
        assert part in texts


def test_what_the_page_offers_to_accept_is_accepted(sale: Shell) -> None:
    page = sale.run("review", "--format", "html").out
    listed = read(page.partition("<pre>")[2].partition("</pre>")[0])
    lines = "".join(text for _, text in listed.texts).splitlines()
    fleet = Path("fleet.yaml")
    text = fleet.read_text(encoding="utf-8")
    assert lines[0] == "suppressions:"
    entries = "".join(f"    {line}\n" for line in lines[1:])
    fleet.write_text(text.replace("\nspec:\n", f"\nspec:\n  suppressions:\n{entries}", 1))
    done = sale.run("review", "--fail-on", "warning")
    assert (done.status, done.out.count("(accepted: ")) == (0, 4), done.out + done.err


def test_every_format(sale: Shell) -> None:
    markdown = sale.run("review", "--format", "markdown").out
    assert markdown.startswith(MARK)
    assert is_inert(markdown)
    document = json.loads(sale.run("review", "--format", "json").out)
    assert {item["topic"] for item in document["consequences"]} >= {"access", "limits", "dns"}
    places = {item["location"]["path"] for item in json.loads(_codequality(sale))}
    assert "hub/teams/cart/policies.yaml" in places


def _codequality(shell: Shell) -> str:
    return shell.run("review", "--format", "codequality").out


def test_the_page_goes_to_a_file_beside_another_format(sale: Shell) -> None:
    done = sale.run("review", "--format", "markdown", "--page", "page.html")
    assert done.out.startswith(MARK)
    assert done.err == "wrote page.html\n"
    assert Path("page.html").read_text() == sale.run("review", "--format", "html").out


def test_a_page_is_not_written_through_a_link(sale: Shell) -> None:
    Path("secret").write_text("kept")
    Path("page.html").symlink_to("secret")
    assert "page.html: it is a link" in sale.refuse("review", "--page", "page.html").err
    assert Path("secret").read_text() == "kept"


def test_an_unknown_revision(sale: Shell) -> None:
    done = sale.refuse("review", "--against", "nowhere", "--page", "page.html")
    assert "nowhere" in done.err
    assert not Path("page.html").exists()


def test_values_are_supposed_against_the_working_tree(sale: Shell) -> None:
    setting = 'spokes.us-east-1-staging.labels.internal="true"'
    supposed = sale.run("review", "--set", setting, "--fail-on", "never").out
    assert "added Gateway gateways/internal on us-east-1-staging" in supposed
    assert "limits.per-customer" not in supposed, "the pull request's own change is on both sides"
    assert sale.run("explain", "--set", setting).out == supposed


def test_a_long_review_is_paged_on_a_terminal(sale: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    paged: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", lambda text, **_: paged.append(text))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("LINES", "10")
    assert sale.run("review").out == ""
    assert "limits.per-customer" in paged[0]
    monkeypatch.setenv("LINES", "1000")
    assert "limits.per-customer" in sale.run("review").out


def test_spokes_that_are_alike_but_for_their_own_values_are_one_picture(empty: Shell) -> None:
    """Their hostnames have the placeholders of `effective`."""
    before, after = empty.folder / "before", empty.folder / "after"
    for folder in (before, after):
        shutil.copytree(ROOT / "examples/one-gateway-two-spokes", folder)
    policy = after / "hub/toystore.yaml"
    policy.write_text(policy.read_text(encoding="utf-8").rpartition("---")[0], encoding="utf-8")
    asked = ("review", str(after), "--against", str(before), "--format", "html")
    page = empty.run(*asked).out
    assert re.findall(r"<summary>(On .*)</summary>", page) == ["On all 2 spokes"]
    assert "api.{{ spoke.values.domain }}" in page
