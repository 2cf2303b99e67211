"""FindingsReport as GitHub's workflow commands: what its runner makes of them, line by line."""

import re
from collections.abc import Sequence

from spokerender.findings.codes.hub import EMPTY_HUB, MISSING_TARGET
from spokerender.findings.codes.placement import BAD_VALUE, UNPLACED_GATEWAY
from spokerender.findings.codes.shipping import ENTRY_DROPPED
from spokerender.findings.results import Result
from spokerender.findings.suppressions import suppress
from spokerender.model import Origin, Ref
from spokerender.report.github import SHOWN_OF_A_STEP, findings_github
from spokerender.report.reports import FindingsReport, Look
from tests.findings.test_suppressions import Entry
from tests.support import cases, rows_of

AUTH = Ref("kuadrant.io", "AuthPolicy", "shop", "pay")
MISSING = MISSING_TARGET.result(
    "no Gateway shop/web",
    cure='did you mean "infra/web"?',
    resource=AUTH,
    field="spec.targetRef",
    origin=Origin("hub/auth.yaml", 1, 12),
)


def error(line: int, message: str = "odd", path: str = "placement.yaml") -> Result:
    return BAD_VALUE.result(message, origin=Origin(path, 0, line))


def warning(line: int) -> Result:
    return UNPLACED_GATEWAY.result("on no spoke", origin=Origin("hub/a.yaml", 0, line))


def info(line: int, *spokes: str) -> Result:
    return ENTRY_DROPPED.result(
        "dropped", resource=AUTH, origin=Origin("hub/a.yaml", 0, line), spokes=spokes
    )


def github(results: Sequence[Result], *, verbose: bool = False, spokes: int | None = None) -> str:
    return findings_github(FindingsReport(results=results, spokes=spokes), Look(verbose=verbose))


def commands(text: str) -> list[str]:
    """The lines that the runner takes for commands (actions/runner, `TryParseV2`)."""
    found = []
    token = ""
    for line in text.splitlines():
        command = re.match(r"\s*::(\S+)(?: [^:]*)?::(.*)", line)
        if token:
            token = "" if command and command[1] == token else token
        elif command and command[1] == "stop-commands":
            token = command[2]
        elif command:
            found.append(line)
    assert token == "", "commands are never turned on again"
    return found


def test_nothing_found_is_nothing_told() -> None:
    assert github([]) == ""
    assert github([info(1)]) == ""


def test_a_finding_is_an_annotation_with_its_cure() -> None:
    assert github([MISSING]) == (
        "::error file=hub/auth.yaml,line=12,title=SR1010 AuthPolicy shop/pay spec.targetRef::"
        'no Gateway shop/web%0Adid you mean "infra/web"?\n'
        "1 error\n"
    )


def test_what_has_no_place_is_told_of_the_whole() -> None:
    assert github([EMPTY_HUB.result("no object")]).splitlines()[0] == (
        "::error title=SR1004::no object"
    )


def test_errors_come_first_then_by_place() -> None:
    found = github([warning(1), error(9), error(2), info(1)]).splitlines()
    assert [line.partition(",title")[0] for line in found] == [
        "::error file=placement.yaml,line=2",
        "::error file=placement.yaml,line=9",
        "::warning file=hub/a.yaml,line=1",
        "2 errors, 1 warning",
    ]


def test_infos_are_notices_when_asked_for() -> None:
    assert github([info(3, "eu")], verbose=True).splitlines()[0] == (
        "::notice file=hub/a.yaml,line=3,title=SR1503 AuthPolicy shop/pay::dropped%0Aon eu"
    )


def test_a_suppressed_finding_is_no_annotation() -> None:
    assert github(suppress([MISSING], [Entry(code="SR1010")])) == ""


def test_what_many_spokes_share_is_one_annotation() -> None:
    many = [f"s{number:03}" for number in range(200)]
    (line, _) = github([info(1, *many)], verbose=True, spokes=200).splitlines()
    assert line.endswith("::dropped%0Aon all 200 spokes")


@cases(*rows_of(__file__, "a_message_is_escaped"))
def test_a_message_is_escaped(message: str, written: str) -> None:
    text = github([error(1, message)])
    assert text.splitlines()[0].endswith(f"title=SR1407::{written}")
    assert len(commands(text)) == 1


@cases(*rows_of(__file__, "a_path_is_escaped_and_short"))
def test_a_path_is_escaped_and_short(path: str, written: str) -> None:
    assert github([error(1, path=path)]).startswith(f"::error file={written},line=1,")


def test_as_many_as_github_shows_need_no_list() -> None:
    many = [make(n) for make in (error, warning) for n in range(SHOWN_OF_A_STEP)]
    text = github(many)
    assert len(commands(text)) == 20
    assert text.splitlines()[-1] == "10 errors, 10 warnings"


def test_what_is_cut_is_counted_and_everything_is_listed() -> None:
    many = [*map(warning, range(11)), *map(error, range(13)), *(info(n) for n in range(5))]
    text = github(many)
    found = commands(text)
    assert [line for line in found if "file=" not in line] == [
        "::group::All findings",
        "::endgroup::",
    ]
    assert len([line for line in found if line.startswith("::error ")]) == 10
    assert "::error file=placement.yaml,line=9," in text
    assert "::error file=placement.yaml,line=10," not in text
    assert len([line for line in found if line.startswith("::warning ")]) == 10
    assert "13 errors, 11 warnings; without an annotation: 3 errors, 1 warning" in text.splitlines()
    assert "placement.yaml:12: error SR1407: odd" in text
    assert "hub/a.yaml:10: warning SR1404: on no spoke" in text
    assert "info" not in text


def test_what_a_file_says_is_never_a_command() -> None:
    many = [
        BAD_VALUE.result("odd", cure="write\n::error::mine\n::stop-commands::x\n##[error]y")
        for _ in range(11)
    ]
    found = commands(github(many))
    assert [line for line in found if line.strip().startswith("::error::mine")] == []
    assert len(found) == 12
