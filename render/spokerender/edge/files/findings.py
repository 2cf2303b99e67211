"""Findings about a plan: errors that refuse the build, and notes for its reader."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spokerender.findings.codes.project import BLOCKED, FOREIGN, FOREIGN_FOLDER, STEERED, STRAY
from spokerender.findings.phrasing import listed
from spokerender.findings.results import Result
from spokerender.model import Origin
from spokerender.model.plan import FolderPlan, Plan
from spokerender.rendering.values.engines import FolderRules, Steering

_SHOWN = 3


def findings(plan: Plan, output: Path, rules: FolderRules, effect: str = "") -> tuple[Result, ...]:
    """Return the errors of a plan that refuse the build, and findings about foreign files.

    `rules` say which foreign files keep an engine from applying the listed files. `effect` is what
    an engine does with a folder of no spoke, as text; empty for nothing.
    """
    results = [result for folder in plan.folders for result in _of_folder(folder, output, rules)]
    if plan.strays:
        results.append(
            STRAY.result(
                f"{listed(plan.strays, _SHOWN)} in {output} are from no build of ours",
                cure="move them away; the folder exists only during a build",
            )
        )
    results += _steered(plan.beside, output, rules.in_output)
    if effect:
        for place in ((output / name).as_posix() for name in plan.others):
            message = f"{place} does not belong to a spoke: {effect}"
            cure = "move it out of the output, or delete it"
            results.append(FOREIGN_FOLDER.result(message, cure=cure, origin=Origin(place)))
    return tuple(results)


def hidden(paths: Iterable[str], output: Path) -> tuple[Result, ...]:
    """Return errors for the submodules in the output, as their files can't be read here."""
    places = [(output / path).as_posix() for path in paths]
    return tuple(
        STEERED.result(
            f"{place} is a submodule: its content is applied, and can't be checked here",
            cure="remove it from the output",
            origin=Origin(place),
        )
        for place in places
    )


def blocked(plan: FolderPlan, output: Path) -> Iterator[Result]:
    """Yield errors for foreign files at paths where a file must be written."""
    for path in plan.blocked:
        place = (output / plan.folder / path).as_posix()
        yield BLOCKED.result(
            f"{place} would be overwritten, and its first line does not say that it is ours",
            cure="move it away or delete it, then build again",
            origin=Origin(place),
            spokes=_spokes(plan),
        )


def _of_folder(plan: FolderPlan, output: Path, rules: FolderRules) -> Iterator[Result]:
    yield from blocked(plan, output)
    foreign = plan.foreign
    # Only in folders of spokes that stay: the bootstrap of another folder is its own affair.
    for bootstrap in rules.bootstraps if _spokes(plan) and not plan.is_removed else ():
        others = tuple(path for path in foreign if path.split("/")[0] != bootstrap.folder)
        if others != foreign:
            place = (output / plan.folder / bootstrap.folder).as_posix()
            yield bootstrap.kind.result(
                f"{place} {bootstrap.message}",
                cure=bootstrap.cure,
                origin=Origin(place),
                spokes=_spokes(plan),
            )
        foreign = others
    if not plan.is_removed:
        of_fleet = not _spokes(plan)
        read = [
            path
            for path in foreign
            if not (of_fleet and any(b.writes(path) for b in rules.bootstraps))
        ]
        steerings = rules.in_fleet if of_fleet else rules.in_spoke
        yield from _steered(read, output / plan.folder, steerings, _spokes(plan))
    if foreign:
        yield FOREIGN.result(
            f"{listed(foreign, _SHOWN)} in {(output / plan.folder).as_posix()} are not ours: "
            "they stay, and are not listed in kustomization.yaml",
            spokes=_spokes(plan),
        )


def _steered(
    foreign: Iterable[str],
    folder: Path,
    steerings: Iterable[Steering],
    spokes: tuple[str, ...] = (),
) -> Iterator[Result]:
    """Yield errors for foreign files that keep an engine from applying just what a folder lists."""
    for path in foreign:
        effect = next((row.effect for row in steerings if row.matches(path)), "")
        if effect:
            place = (folder / path).as_posix()
            yield STEERED.result(
                f"{place} is not ours: {effect}",
                cure="move it away or delete it",
                origin=Origin(place),
                spokes=spokes,
            )


def _spokes(plan: FolderPlan) -> tuple[str, ...]:
    """Return the spoke that a folder belongs to; empty if the folder's name begins with `_`."""
    return () if plan.folder.startswith("_") else (plan.folder,)
