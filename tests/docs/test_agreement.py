"""The table of agreement keeps the rows of other runs, and takes those of large ones only."""

from pathlib import Path

from tests.live.agreement import PAGE, Agreement, write

_ROWS = (
    Agreement("Istio", "v1.30.3", "policies", 500, "1", 7),
    Agreement("Envoy Gateway", "v1.9.1", "policies", 500, "1", 90, 5, 0, 5, 5),
)


def test_a_row_of_a_large_run_replaces_the_one_before(tmp_path: Path) -> None:
    page = tmp_path / "agreement.md"
    head = PAGE.read_text().partition("| ---")[0]
    page.write_text(head + PAGE.read_text().removeprefix(head).splitlines(keepends=True)[0])
    write(_ROWS, page)
    write(
        [
            Agreement("Istio", "v1.30.3", "policies", 500, "2", 1, 1),
            Agreement("Istio", "v1.30.3", "paths in force", 499, "2", 8),
        ],
        page,
    )
    assert page.read_text().removeprefix(head).splitlines()[1:] == [
        (
            "| Envoy Gateway | v1.9.1 | policies | 500 of seed 1 | 100 | 90 (90.0 %) | 5 (5.0 %) "
            "| 0 (0.0 %) | 5 (5.0 %) | 5 (5.0 %) |"
        ),
        (
            "| Istio | v1.30.3 | policies | 500 of seed 2 | 2 | 1 (50.0 %) | 1 (50.0 %) "
            "| 0 (0.0 %) | 0 (0.0 %) | 0 (0.0 %) |"
        ),
    ]
