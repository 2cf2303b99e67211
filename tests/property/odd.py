"""Objects as nobody should write them: right ones in which something is put into odd places."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

Place = tuple[str | int, ...]

VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 10**30, "", "x", "*", "a b", "é", "x" * 300, "Gateway", "merge"),
    *([], {}, [None], [[]], [{}], [1], {"a": None}, {"": ""}, {"rules": None}, {"limits": []}),
    *({"kind": 1}, [{"name": None}], {"strategy": 1, "rules": []}, {"name": []}, {"rates": {}}),
)
KEYS = (
    *("targetRef", "targetRefs", "targetSelectors", "sectionName", "defaults", "overrides"),
    *("rules", "limits", "when", "strategy", "labels", "namespace", "x"),
)


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Every place in JSON data, the outer ones first."""
    yield place
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*place, key))


@st.composite
def spoiled(
    draw: Any,
    value: Any,
    kept: Sequence[Place] = (),
    keys: Sequence[str] = KEYS,
    values: Sequence[Any] = VALUES,
) -> Any:
    """A copy with one to three things changed: replaced, taken out, put in, repeated or nested."""
    made = deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        found = [place for place in places(made) if place and place not in kept]
        if not found:
            break
        *path, last = draw(st.sampled_from(found))
        inside = made
        for step in path:
            inside = inside[step]
        odd = deepcopy(draw(st.sampled_from(values)))
        match draw(st.sampled_from(["replace", "replace", "take", "put", "repeat", "nest"])):
            case "take" if isinstance(inside, dict):
                del inside[last]
            case "put" if isinstance(inside, dict):
                inside[draw(st.sampled_from(keys))] = odd
            case "repeat":
                inside[last] = [inside[last], deepcopy(inside[last])]
            case "nest":
                inside[last] = {draw(st.sampled_from(keys)): inside[last]}
            case _:
                inside[last] = odd
    return made
