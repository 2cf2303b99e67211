"""`spokerender review` on a prepared pull request of the flagship: its formats and its page."""

import json
import re
import shutil
from collections.abc import Mapping
from contextlib import chdir
from functools import partial
from pathlib import Path

import pytest

from spokerender.report.markdown import MARK
from tests.cli.project import Done, Shell, call
from tests.conftest import ROOT
from tests.report.page.reading import read
from tests.support.inert import is_inert
from tests.support.sale import make_sale
from tests.support.sharing import share

GOLDEN = ROOT / "docs/review.html"


@pytest.fixture
def sale(empty: Shell) -> Shell:
    """The working tree of the pull request."""
    make_sale(empty.folder)
    return empty


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Done]:
    """The review of the pull request in each format; with Markdown it writes a page as well."""
    return share(tmp_path_factory, "sale", lambda: review_sale(tmp_path_factory.mktemp("sale")))


def review_sale(folder: Path) -> Mapping[str, Done]:
    """Print the review of the pull request in each format."""
    make_sale(folder)
    review = partial(call, "review", "--against", "main", "--format")
    with chdir(folder):
        done = {name: review(name) for name in ("html", "json", "codequality")}
        done["markdown"] = review("markdown", "--page", "page.html")
        done["page.html"] = Done(0, Path("page.html").read_text(encoding="utf-8"), "")
    return done


@pytest.mark.golden
def test_the_page_in_the_documentation_is_the_one_of_this_pull_request(
    printed: Mapping[str, Done], *, update_golden: bool
) -> None:
    """`docs/review.html`; its picture in the README is made by `python -m ci.screenshot`."""
    page = printed["html"].out
    if update_golden:
        GOLDEN.write_text(page, encoding="utf-8")
    assert page == GOLDEN.read_text(encoding="utf-8")


def test_the_page_says_what_where_and_who(printed: Mapping[str, Done]) -> None:
    page = read(printed["html"].out)
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


def test_what_the_page_offers_to_accept_is_accepted(
    sale: Shell, printed: Mapping[str, Done]
) -> None:
    page = printed["html"].out
    listed = read(page.partition("<pre>")[2].partition("</pre>")[0])
    lines = "".join(text for _, text in listed.texts).splitlines()
    fleet = Path("fleet.yaml")
    text = fleet.read_text(encoding="utf-8")
    assert lines[0] == "suppressions:"
    entries = "".join(f"    {line}\n" for line in lines[1:])
    fleet.write_text(text.replace("\nspec:\n", f"\nspec:\n  suppressions:\n{entries}", 1))
    done = sale.run("review", "--fail-on", "warning")
    assert (done.status, done.out.count("(accepted: ")) == (0, 4), done.out + done.err


def test_every_format(printed: Mapping[str, Done]) -> None:
    markdown = printed["markdown"].out
    assert markdown.startswith(MARK)
    assert is_inert(markdown)
    document = json.loads(printed["json"].out)
    assert {item["topic"] for item in document["consequences"]} >= {"access", "limits", "dns"}
    places = {item["location"]["path"] for item in json.loads(printed["codequality"].out)}
    assert "hub/teams/cart/policies.yaml" in places


def test_the_page_goes_to_a_file_beside_another_format(printed: Mapping[str, Done]) -> None:
    assert printed["markdown"].out.startswith(MARK)
    assert printed["markdown"].err == "wrote page.html\n"
    assert printed["page.html"].out == printed["html"].out


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


def test_a_long_review_is_paged_on_a_terminal(
    pair: tuple[str, ...], empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    paged: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", lambda text, **_: paged.append(text))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("LINES", "10")
    assert empty.run(*pair).out == ""
    assert "toystore" in paged[0]
    monkeypatch.setenv("LINES", "1000")
    assert "toystore" in empty.run(*pair).out


@pytest.fixture
def pair(empty: Shell) -> tuple[str, ...]:
    """The review of a small project in which a policy goes."""
    before, after = empty.folder / "before", empty.folder / "after"
    for folder in (before, after):
        shutil.copytree(ROOT / "examples/one-gateway-two-spokes", folder)
    policy = after / "hub/toystore.yaml"
    policy.write_text(policy.read_text(encoding="utf-8").rpartition("---")[0], encoding="utf-8")
    return "review", str(after), "--against", str(before)


def test_spokes_that_are_alike_but_for_their_own_values_are_one_picture(
    pair: tuple[str, ...], empty: Shell
) -> None:
    """Their hostnames have the placeholders of `effective`."""
    page = empty.run(*pair, "--format", "html").out
    assert re.findall(r"<summary>(On .*)</summary>", page) == ["On all 2 spokes"]
    assert "api.{{ spoke.values.domain }}" in page
