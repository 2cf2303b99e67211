"""What a live export carries and a cluster owns reaches no spoke."""

from spokerender.rendering.marks import cleaned
from spokerender.wings.combined import all_engines
from tests.support import cases, rows_of, text_of
from tests.support.stages import CLASS, GATEWAY, objects, render, values

LIVE = text_of(__file__, "cleaning.yaml")
CLEAN = text_of(__file__, "cleaning_clean.yaml")


def test_only_what_the_owner_wrote_is_left() -> None:
    assert cleaned(values(LIVE)[0], all_engines().marks) == values(CLEAN)[0]


def test_nothing_of_a_live_export_is_shipped() -> None:
    assert objects(render([CLASS, GATEWAY, LIVE]))["HTTPRoute shop/cart"] == values(CLEAN)[0]


def test_the_order_of_what_is_left_is_kept_and_the_object_is_not_changed() -> None:
    data = values(LIVE)[0]
    made = cleaned(data, all_engines().marks)
    assert list(made["metadata"]) == ["annotations", "labels", "name", "namespace"]
    assert data == values(LIVE)[0]
    assert made["spec"] is data["spec"]


@cases(*rows_of(__file__, "labels_and_annotations"))
def test_labels_and_annotations(before: str, after: str) -> None:
    (data,), (expected,) = values(f"metadata: {before}\n"), values(f"metadata: {after}\n")
    assert cleaned(data, all_engines().marks) == expected


def test_a_field_named_status_that_is_not_the_objects_own_stays() -> None:
    (data,) = values("{metadata: {name: a}, spec: {status: x, uid: z}}\n")
    assert cleaned(data, all_engines().marks) == data
