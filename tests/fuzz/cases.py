"""One case: a project, what befalls it, and the commands that have to bear it."""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.accidents import Disk, disk_accident
from tests.fuzz.arguments import arguments
from tests.fuzz.data import mutate_data
from tests.fuzz.projects import seeds
from tests.fuzz.texts import mutate_text

DATA, TEXT, DISK, ARGUMENTS = "data", "text", "disk", "arguments"
_KINDS = (DATA,) * 44 + (TEXT,) * 4 + (DISK,) + (ARGUMENTS,)
_FEW, _MANY = (1, 2, 2, 3, 4, 6), (8, 12, 16)
_GENTLY = 0.75
_REFS = {
    "AuthPolicy/infra/everybody": "east",
    "httproute/shop/cart": "west",
    "Gateway/infra/web": "third",
    "team-a|AuthPolicy/shop/cart": "nowhere",
    "nothing": "",
}


@dataclass
class Case:
    """A numbered case of a run; equal numbers of equal seeds are equal cases.

    `kept` are the indexes of the mutations that happen; None: all. That makes a case smaller.
    """

    seed: int
    number: int
    kept: tuple[int, ...] | None = None
    commands: list[list[str]] = field(default_factory=list)

    def __str__(self) -> str:
        """How to see it again."""
        only = f" --only {','.join(map(str, self.kept))}" if self.kept is not None else ""
        return f"--seed {self.seed} --case {self.number}{only}"

    def kinds(self) -> list[str]:
        """What sort of mutation each is."""
        random = self._random("kinds")
        count = random.choice(_FEW if random.random() < 0.9 else _MANY)
        return [random.choice(_KINDS) for _ in range(count)]

    def write(self, folder: Path) -> None:
        """Write the mutated project to a folder that is not there yet; make the commands."""
        random = self._random("project")
        files = random.choice(seeds()).files(with_tree=random.random() < 0.3)
        wanted, gently = self._wanted(), random.random() < _GENTLY
        for index in wanted.get(DATA, ()):
            mutate_data(files, self._random(index), gently=gently)
        for index in wanted.get(TEXT, ()):
            mutate_text(files, self._random(index))
        for path, file in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.written(random).encode(errors="surrogatepass"))
        for index in wanted.get(DISK, ()):
            its = self._random(index)
            _befall(folder, its.choice([*files, "clusters", "hub", ""]), disk_accident(its))
        broken = len(wanted.get(ARGUMENTS, ()))
        self.commands = [arguments(random, _REFS, hostile_ones=broken)]
        if random.random() < 0.3:
            self.commands.append(arguments(random, _REFS, hostile_ones=0))

    def _wanted(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index, kind in enumerate(self.kinds()):
            if self.kept is None or index in self.kept:
                found.setdefault(kind, []).append(index)
        return found

    def _random(self, what: str | int) -> Random:
        return Random(f"{self.seed}/{self.number}/{what}")  # noqa: S311  (to be repeatable is the point)


def _befall(folder: Path, path: str, accident: Disk) -> None:
    target = folder / path if path else folder / "new.yaml"
    with suppress(OSError):  # an earlier accident took its folder, or made a circle of it
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
        accident(target)


def numbers_of(seed: int, mutations: int) -> tuple[int, int]:
    """How many cases have at least as many mutations, and how many they have."""
    number = total = 0
    while total < mutations:
        total += len(Case(seed, number).kinds())
        number += 1
    return number, total


def smaller(case: Case) -> Sequence[Case]:
    """The case with one mutation less, in every way."""
    kept = case.kept if case.kept is not None else tuple(range(len(case.kinds())))
    return [Case(case.seed, case.number, tuple(i for i in kept if i != gone)) for gone in kept]
