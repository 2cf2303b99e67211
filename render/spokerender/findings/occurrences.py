"""Merges equal findings about many spokes into one."""

from collections.abc import Iterable, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.phrasing import listed
from spokerender.findings.results import Result, Severity
from spokerender.model.shapes import grouped
from spokerender.model.slots import Values, fill_ref, fill_text

_MARKS = ".,;:)"
"""Punctuation that may follow a word."""
_ELSEWHERE = 2
"""The number of other spokes' words that are shown beside a word."""
_OBJECTS_LISTED = 20
"""The number of objects that a message names."""


class Occurrence(Struct, frozen=True, eq=False):
    """A finding on some spokes; `values` replace its slots (placeholders) when it is reported.

    Findings with an equal `key` are merged even if they differ, for example in spokes' own values.
    """

    result: Result
    spokes: tuple[str, ...]
    key: Result | None = None
    values: Values = field(default_factory=dict)


def merge_occurrences(occurrences: Iterable[Occurrence]) -> tuple[Result, ...]:
    """Return the findings; findings that are equal or share a key become one, with all spokes.

    The order of the findings is unchanged; the spokes of each finding are sorted.
    """
    alike = grouped((occurrence.result, occurrence) for occurrence in occurrences)
    spokes_of: dict[Result, set[str]] = {}
    for group in _join_groups(alike.values()):
        # Where other spokes' words differ, they are shown beside those of the first finding.
        first = fill_result(group[0].result, group[0].values)
        texts = {fill_text(item.result.message, item.values): None for item in group}
        result = replace(first, message=_with_all_words([*texts]), spokes=())
        spokes_of.setdefault(result, set()).update(*(each.spokes for each in group))
    return tuple(
        replace(result, spokes=tuple(sorted(names))) for result, names in spokes_of.items()
    )


def join_alike(results: Iterable[Result]) -> tuple[Result, ...]:
    """Return the findings; findings of different spokes that differ in a few words are joined."""
    groups: dict[Result, list[Result]] = {}
    first_of: dict[tuple[Result, int], Result] = {}
    spokes_of: dict[Result, set[str]] = {}
    for result in results:
        shape = (replace(result, message="", spokes=()), result.message.count(" "))
        first = first_of.setdefault(shape, result) if result.spokes else result
        # On the same spoke they are two findings, however similar.
        if not spokes_of.get(first, set()).isdisjoint(result.spokes) or not _is_alike(
            first.message, result.message
        ):
            first = result
        groups.setdefault(first, []).append(result)
        spokes_of.setdefault(first, set()).update(result.spokes)
    return tuple(
        replace(
            first,
            message=_with_all_words([item.message for item in group]),
            spokes=tuple(sorted(spokes_of[first])),
        )
        for first, group in groups.items()
    )


def _is_alike(text: str, other: str) -> bool:
    pairs = list(zip(text.split(" "), other.split(" "), strict=True))
    return sum(a != b for a, b in pairs) * 4 <= len(pairs)


def _with_all_words(texts: Sequence[str]) -> str:
    """Return the first text; if all have equally many words, as `host a.io (elsewhere b.io)`."""
    words = [text.split(" ") for text in texts]
    if len(words) == 1 or len({*map(len, words)}) > 1:
        return texts[0]
    parts = (list(dict.fromkeys(part)) for part in zip(*words, strict=True))
    return " ".join(map(_with_others, parts))


def _with_others(words: Sequence[str]) -> str:
    """Return a word with its alternatives: `api.eu.example (elsewhere api.us.example),`."""
    word, *others = words
    if not others:
        return word
    bare = word.rstrip(_MARKS)
    more = listed((other.rstrip(_MARKS).lstrip("(") for other in others), _ELSEWHERE)
    return f"{bare} (elsewhere {more}){word[len(bare) :]}"


def _join_groups(groups: Iterable[list[Occurrence]]) -> list[list[Occurrence]]:
    """Return the groups of equal findings; groups that share a key are joined."""
    joined: list[list[Occurrence]] = []
    by_key: dict[Result, list[Occurrence]] = {}
    for group in groups:
        keys = [each.result if each.key is None else each.key for each in group]
        same = next((by_key[key] for key in keys if key in by_key), None)
        if same is None:
            joined.append(same := [])
        same += group
        by_key.update(dict.fromkeys(keys, same))
    return joined


def fold_infos(results: Iterable[Result]) -> tuple[Result, ...]:
    """Return the findings; infos that differ only in the object are joined."""
    folded: dict[Result, list[Result]] = {}
    for result in results:
        is_info = result.severity is Severity.INFO and result.resource is not None
        key = replace(result, resource=None, origin=None, causes=()) if is_info else result
        folded.setdefault(key, []).append(result)
    return tuple(name_others(first, others) for first, *others in folded.values())


def without_repeats(rendered: Iterable[Result], judged: Iterable[Result]) -> tuple[Result, ...]:
    """Return `rendered` without findings whose code and object a finding in `judged` has, too."""
    repeated = {(result.code, result.resource) for result in judged}
    return tuple(item for item in rendered if (item.code, item.resource) not in repeated)


def name_others(first: Result, others: Sequence[Result]) -> Result:
    """Return the first finding, with a sentence that names the objects of the others."""
    refs = {other.resource for other in others if other.resource} - {first.resource}
    if not refs:
        return first
    message = f"{first.message}. The same is true of {listed(sorted(refs), _OBJECTS_LISTED)}"
    return replace(first, message=message, also=tuple(sorted({*first.also, *refs})))


def fill_result(result: Result, values: Values) -> Result:
    """Return a finding with the slots in its texts and in its object replaced."""
    return replace(
        result,
        message=fill_text(result.message, values),
        cure=fill_text(result.cure, values),
        resource=fill_ref(result.resource, values) if result.resource else None,
    )
