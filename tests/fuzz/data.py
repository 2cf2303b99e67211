"""What happens to a project, one thing at a time; the same random numbers do the same again."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.fuzz import hostile
from tests.fuzz.projects import Files, copied, parts, seeds
from tests.fuzz.texts import mutate_text

Place = tuple[Any, Any]
"""A list or mapping, and the index or key of what is meant in it."""

_MOST_REPEATED = 200
_IDENTIFYING = frozenset({"apiVersion", "kind", "metadata", "name", "namespace"})


def mutate_data(files: Files, random: Random, *, gently: bool) -> None:
    """Change a node of a document of some file; gently: by something that might stand there."""
    file = files[_some_path(files, random, gently=gently)]
    if file.documents is None:
        mutate_text(files, random)
        return
    file.is_changed = True
    if random.random() < (0.02 if gently else 0.06) or not file.documents:
        _change_documents(file.documents, random)
        return
    places = list(_places(file.documents))
    container, key = random.choice(places)
    if gently and key in _IDENTIFYING and random.random() < 0.8:
        container, key = random.choice(places)
    random.choice(_GENTLE if gently else _CHANGES)(container, key, random, places)


def _some_path(files: Files, random: Random, *, gently: bool = False) -> str:
    """A file: of the committed tree seldom; gently: seldom one whose every field is checked."""
    kinds: dict[str, list[str]] = {"tree": [], "ours": [], "data": []}
    for path in files:
        is_ours = path.startswith(("fleet", "placement", "publishing"))
        kinds["tree" if path.startswith("clusters/") else "ours" if is_ours else "data"].append(
            path
        )
    likely = {"tree": 0.1, "ours": 0.08 if gently else 0.3}
    for kind, chance in likely.items():
        if kinds[kind] and random.random() < chance:
            return random.choice(kinds[kind])
    return random.choice(kinds["data"] or list(files))


def _places(data: Any) -> Iterator[Place]:
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from _places(data[key])


def _change_documents(documents: list[Any], random: Random) -> None:
    """Duplicate, take away, or bring one of another project."""
    other = random.choice(random.choice([d for s in seeds() for d in s.documents.values() if d]))
    change = random.randrange(4)
    if change == 0 and documents:
        documents.append(copied(random.choice(documents)))
    elif change == 1 and documents:
        documents.pop(random.randrange(len(documents)))
    elif change == 2 and documents:
        listed = {"apiVersion": "v1", "kind": "List", "items": copied(documents)}
        documents[:] = [listed] * random.choice((1, 2))
    else:
        documents.insert(random.randrange(len(documents) + 1), copied(other))


def _set(container: Any, key: Any, value: Any) -> None:
    container[key] = value


def _replace(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    _set(container, key, hostile.value(random))


def _express(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    texts = random.choice(
        (hostile.EXPRESSIONS, hostile.CEL, hostile.PATTERNS, hostile.POINTERS, hostile.GO_TEMPLATES)
    )
    _set(container, key, random.choice(texts))


def _name(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    _set(container, key, random.choice(hostile.NAMES))


def _fit(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    """What is of the sort that stands there: CEL for CEL, a pattern for a pattern."""
    value = container[key]
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        _transplant(container, key, random, [])
        return
    fitting: dict[Any, tuple[Any, ...]] = {
        "rule": hostile.CEL, "messageExpression": hostile.CEL, "pattern": hostile.PATTERNS,
        "path": hostile.POINTERS, "from": hostile.POINTERS, "template": hostile.GO_TEMPLATES,
    }  # fmt: skip
    if key in fitting:
        _set(container, key, random.choice(fitting[key]))
    elif isinstance(value, int | float):
        _set(container, key, random.choice(hostile.NUMBERS))
    elif "{{" in value or random.random() < 0.1:
        _set(container, key, random.choice(hostile.EXPRESSIONS))
    elif random.random() < 0.7:
        _set(container, key, random.choice(parts().get(key, ["x"])))
    else:
        _set(container, key, random.choice((*hostile.NAMES, *hostile.ODD_TEXTS)))


def _delete(container: Any, key: Any, _: Random, __: list[Place]) -> None:
    del container[key]


def _duplicate(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    if isinstance(container, list):
        container[key:key] = [copied(container[key]) for _ in range(random.choice((1, 1, 2, 20)))]
    else:
        container[hostile.key(random)] = copied(container[key])


def _swap(container: Any, key: Any, random: Random, places: list[Place]) -> None:
    other, its = random.choice(places)
    one, two = copied(container[key]), copied(other[its])
    container[key] = two
    if its in other if isinstance(other, dict) else its < len(other):
        other[its] = one


def _transplant(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    there = parts()
    same = there.get(key) if isinstance(key, str) and random.random() < 0.6 else None
    _set(container, key, copied(random.choice(same or random.choice(list(there.values())))))


def _rename(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    if isinstance(container, dict):
        container[hostile.key(random)] = container.pop(key)
    else:
        container.reverse()


def _add(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    inner = container[key]
    target = inner if isinstance(inner, dict | list) else container
    there = parts()
    if isinstance(target, list):
        target.append(hostile.value(random))
    elif random.random() < 0.5:
        name = random.choice(list(there))
        target[name] = copied(random.choice(there[name]))
    else:
        target[hostile.key(random)] = hostile.value(random)


def _retype(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    value = container[key]
    shapes: list[Callable[[], Any]] = [
        lambda: [value], lambda: {"a": value}, lambda: str(value), lambda: {str(value): value},
        lambda: len(str(value)), lambda: value is None, lambda: None, lambda: [value, [value, [value]]],
        lambda: list(value) if isinstance(value, dict | str) else [],
        lambda: dict(enumerate(value)) if isinstance(value, list) else {},
    ]  # fmt: skip
    _set(container, key, copied(random.choice(shapes)()))


def _repeat(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    value, times = container[key], random.choice((2, 30, _MOST_REPEATED))
    if isinstance(value, list) and value:
        _set(container, key, [copied(value[i % len(value)]) for i in range(max(times, len(value)))])
    elif isinstance(value, dict) and value:
        first = next(iter(value.values()))
        for number in range(times):
            value[f"k{number}"] = copied(first)
    else:
        _set(container, key, str(value) * times)


def _edit(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    value = container[key]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        _replace(container, key, random, [])
    elif isinstance(value, str):
        at, odd = random.randrange(len(value) + 1), random.choice(hostile.ODD_TEXTS)
        tails = (value[at:], "", value, value[at + 1 :], value.swapcase())
        _set(container, key, value[:at] + odd + random.choice(tails))
    else:
        _set(
            container,
            key,
            random.choice((-value, value + 1, value * 10, value + 0.5, float(value), str(value))),
        )


def _copies(container: Any, key: Any, random: Random, _: list[Place]) -> None:
    """A JSON Patch that doubles what it patches, again and again."""
    times = random.choice((2, 8, 40))
    source = random.choice(("/spec", "/metadata", "/metadata/labels", ""))
    _set(
        container,
        key,
        [{"op": "copy", "from": source, "path": f"{source}/x{i}"} for i in range(times)],
    )


_GENTLE = (_fit, _fit, _fit, _fit, _transplant, _duplicate, _delete, _swap, _copies)
_CHANGES = (
    _fit, _fit, _fit, _fit, _fit,
    _replace, _replace, _replace, _express, _express, _name, _name, _delete, _delete, _duplicate, _swap, _transplant, _transplant,
    _rename, _add, _add, _retype, _repeat, _edit, _edit, _edit, _copies,
)  # fmt: skip
