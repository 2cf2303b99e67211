"""`python -m tests.fuzz --mutations N --seed S`: break projects, and tell what did not bear it.

Cases are numbered and equal in every run. `--case` runs one, and makes it small; `--keep` leaves
it in a folder. The exit status is 1 where a promise was broken.
"""

import argparse
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path

from tests.fuzz.cases import Case, numbers_of, smaller
from tests.fuzz.running import PATIENCE, Sandbox

_FORK = multiprocessing.get_context("fork")
_PATIENCE = 2 * PATIENCE
"""Seconds until a worker that no signal reaches, in a library's own code, is ended."""


def main() -> int:
    """Parse the arguments and run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--mutations", type=int, default=10_000, help="how many, at least")
    parser.add_argument("--seed", type=int, default=1, help="which cases")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--case", type=int, help="run this one alone, made small")
    parser.add_argument("--only", type=lambda text: tuple(map(int, filter(None, text.split(",")))))
    parser.add_argument("--keep", type=Path, help="write the case's project there, and run nothing")
    asked = parser.parse_args()
    if asked.keep is not None:
        case = Case(asked.seed, asked.case, asked.only)
        case.write(asked.keep)
        print(*case.commands, sep="\n")
        return 0
    if asked.case is not None:
        return _one(Case(asked.seed, asked.case, asked.only))
    return _many(asked.seed, asked.mutations, asked.workers)


def _one(case: Case) -> int:
    with _folder() as base:
        sandbox = Sandbox(base)
        faults = sandbox.faults(case)
        print(case, *case.commands, *faults, sep="\n")
        was = _signatures(faults)
        while was:
            less = next(
                (one for one in smaller(case) if _signatures(sandbox.faults(one)) & was), None
            )
            if less is None:
                break
            case = less
        if faults:
            print(case, *sandbox.faults(case), sep="\n")
    return 1 if faults else 0


def _many(seed: int, mutations: int, workers: int) -> int:
    cases, total = numbers_of(seed, mutations)
    began, found = time.monotonic(), Counter[str]()
    for case, fault in _faults(seed, cases, workers):
        signature = _signature(fault)
        found[signature] += 1
        if found[signature] == 1:
            print(f"{case}\n    {fault}", flush=True)
    print(
        f"seed {seed}: {total:,} mutations in {cases:,} cases, {time.monotonic() - began:.0f} s;"
        f" {found.total()} faults of {len(found)} kinds"
    )
    for signature, times in found.most_common():
        print(f"{times:7} {signature}")
    return 1 if found else 0


def _signatures(faults: list[str]) -> set[str]:
    return set(map(_signature, faults))


def _signature(fault: str) -> str:
    """What is the same of a fault in other cases."""
    _, _, told = fault.partition("': ")
    return re.sub(r"[0-9,.]+ MiB|: '.*|project/.*", "", told or fault)[:100]


def _faults(seed: int, cases: int, workers: int) -> Iterator[tuple[Case, str]]:
    """Run all cases in processes that may die."""
    running: dict[Connection, tuple[multiprocessing.process.BaseProcess, range]] = {}
    for first in range(workers):
        _start(seed, range(first, cases, workers), running)
    while running:
        ready = wait(list(running), timeout=_PATIENCE)
        for pipe in [each for each in running if each in ready] or list(running):
            process, numbers = running[pipe]
            try:
                number, faults = pipe.recv() if ready else _nothing()
            except EOFError:
                process.kill()
                process.join()
                del running[pipe]
                if numbers:
                    yield Case(seed, numbers[0]), f"'': the process died with {process.exitcode}"
                    _start(seed, numbers[1:], running)
                continue
            running[pipe] = process, range(number + workers, cases, workers)
            yield from ((Case(seed, number), fault) for fault in faults)


def _nothing() -> tuple[int, list[str]]:
    raise EOFError


def _start(
    seed: int,
    numbers: range,
    running: dict[Connection, tuple[multiprocessing.process.BaseProcess, range]],
) -> None:
    if not numbers:
        return
    mine, its = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_work, args=(seed, numbers, its))
    process.start()
    its.close()
    running[mine] = process, numbers


def _work(seed: int, numbers: range, pipe: Connection) -> None:
    with _folder() as base:
        sandbox = Sandbox(base)
        for number in numbers:
            pipe.send((number, sandbox.faults(Case(seed, number))))


class _folder:  # noqa: N801  (used as a function)
    """A folder in memory, gone afterwards."""

    def __enter__(self) -> Path:
        memory = Path("/dev/shm")  # noqa: S108  (a million cases are for no disk)
        parent = memory if os.access(memory, os.W_OK) else None
        self._path = Path(tempfile.mkdtemp(prefix="spokerender-fuzz-", dir=parent))
        return self._path

    def __exit__(self, *_: object) -> None:
        os.chdir("/")
        shutil.rmtree(self._path, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
