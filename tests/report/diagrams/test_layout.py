"""The places of boxes: no overlap, columns from left to right, few crossings."""

from itertools import combinations

from hypothesis import given, strategies as st

from spokerender.report.pictures import BoxSize, Spot, lay_out


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[BoxSize], list[tuple[int, int]]]:
    """Boxes of many sizes, and edges to the right."""
    sizes = [
        BoxSize(*item)
        for item in draw(
            st.lists(
                st.tuples(st.integers(0, 5), st.floats(10, 300), st.floats(10, 200)), max_size=25
            )
        )
    ]
    pairs = [
        (a, b)
        for a, one in enumerate(sizes)
        for b, other in enumerate(sizes)
        if one.column < other.column
    ]
    return sizes, draw(st.lists(st.sampled_from(pairs), max_size=40)) if pairs else []


@given(graphs())
def test_no_box_covers_another(graph: tuple[list[BoxSize], list[tuple[int, int]]]) -> None:
    sizes, edges = graph
    spots = lay_out(sizes, edges)
    boxes = list(zip(spots, sizes, strict=True))
    assert all(spot.x >= 0 and spot.y >= -1e-6 for spot in spots)
    for (spot, size), (other, other_size) in combinations(boxes, 2):
        beside = spot.x + size.width <= other.x or other.x + other_size.width <= spot.x
        below = (
            spot.y + size.height <= other.y + 1e-6 or other.y + other_size.height <= spot.y + 1e-6
        )
        assert beside or below
        assert size.column >= other_size.column or spot.x < other.x


def test_a_tree_that_is_given_in_disorder_has_no_crossing() -> None:
    sizes = [BoxSize(0, 50, 20)] * 3 + [BoxSize(1, 50, 20)] * 3
    edges = [(0, 5), (1, 4), (2, 3)]
    spots = lay_out(sizes, edges)
    order = [[(spots[a].y, spots[b].y) for a, b in edges]]
    for pairs in order:
        starts, ends = zip(*sorted(pairs), strict=True)
        assert list(ends) == sorted(ends)
        assert list(starts) == sorted(starts)


def test_a_parent_stands_level_with_the_middle_of_its_children() -> None:
    sizes = [BoxSize(0, 50, 20), *[BoxSize(1, 50, 20)] * 3]
    spots = lay_out(sizes, [(0, 1), (0, 2), (0, 3)])
    assert spots[0] == Spot(0, spots[2].y)


def test_a_box_stands_in_sight_of_the_first_one_that_it_leads_to() -> None:
    sizes = [BoxSize(0, 100, 40), *[BoxSize(1, 100, 40)] * 300]
    parent, first, *_ = lay_out(sizes, [(0, place) for place in range(1, 301)])
    assert 0 < parent.y - first.y <= 300
