"""The table of agreement with controllers (`docs/agreement.md`), which runs of `make live` write.

A run writes the row of what it compared, one for each controller, release and question; the other
rows stay. Small runs print it only: a page of figures needs enough hubs behind it.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Self

from msgspec import Struct

from tests.live.building import ENGINES_BY_NAME

EQUAL, UNKNOWN = "equal", "Unknown"
PAGE = Path(__file__).parents[2] / "docs" / "agreement.md"
ENOUGH = 500
"""So many hubs are behind a row that is written."""
Report = Callable[[object], None]
"""Adds an object to the figures that a run shows at its end: the fixture `report`."""
_COLUMNS = (
    "controller",
    "release",
    "compared",
    "hubs",
    "answers",
    "equal",
    "Unknown",
    "by age",
    "different",
    "of these explained",
)


class Agreement(Struct, frozen=True):
    """How our answers to one question were to those of a controller.

    `hubs` says which ones: their number and seed; or `of` says what was asked. `explained` are
    those of the `different` ones that have a reason in the test, because files can't show it.
    """

    controller: str
    release: str
    compared: str
    hubs: int
    seed: str
    equal: int
    unknown: int = 0
    by_age: int = 0
    different: int = 0
    explained: int = 0
    of: str = ""

    @classmethod
    def of_envoy_gateway(
        cls, compared: str, hubs: int, seed: object, counts: Counter[str], explained: Container[str]
    ) -> Self:
        """The row of a question to Envoy Gateway's judge, from how often we answered how."""
        different = list_different(counts)
        return cls(
            "Envoy Gateway",
            ENGINES_BY_NAME["envoy-gateway-judge"].version,
            compared,
            hubs,
            str(seed),
            counts[EQUAL],
            counts[UNKNOWN],
            different=sum(counts[how] for how in different),
            explained=sum(counts[how] for how in different if how in explained),
        )

    @property
    def key(self) -> tuple[str, str, str]:
        """The row that this is."""
        return self.controller, self.release, self.compared

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of the row; the counts with their share of all answers."""
        answers = self.equal + self.unknown + self.by_age + self.different
        counts = (self.equal, self.unknown, self.by_age, self.different, self.explained)
        shares = (f"{count} ({100 * count / max(answers, 1):.1f} %)" for count in counts)
        return *self.key, self.of or f"{self.hubs} of seed {self.seed}", str(answers), *shares

    def __str__(self) -> str:
        """One line of the run's report."""
        pairs = zip(_COLUMNS, self.row, strict=True)
        return ", ".join(f"{column} {cell}" for column, cell in pairs)


def list_different(counts: Counter[str]) -> list[str]:
    """How we answered otherwise than a controller."""
    return [how for how in counts if how not in (EQUAL, UNKNOWN)]


def write(agreements: Iterable[Agreement], page: Path = PAGE) -> None:
    """Write the rows of a run that was large enough, beside those that the page has."""
    with page.open("r+") as file:
        flock(file, LOCK_EX)  # tests of two workers may be done at once
        head, line, table = file.read().partition(_line(("---",) * len(_COLUMNS)))
        rows = {_cells(row)[:3]: row for row in table.strip().splitlines()}
        for agreement in agreements:
            if agreement.of or agreement.hubs >= ENOUGH:
                rows[agreement.key] = _line(agreement.row).strip()
        file.seek(0)
        file.write(head + line + "".join(f"{rows[key]}\n" for key in sorted(rows)))
        file.truncate()


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.strip("|").split("|"))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
