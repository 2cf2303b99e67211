"""How hard laws try: little for a pull request, much once a week (`make weekly`)."""

from hypothesis import settings

HOUSE, WEEKLY = "house", "weekly"
FEW, MANY = 6, 100

# A busy machine is no reason to fail. A pull request fails for what it changes: its examples are
# the same each time. Weekly runs draw others, and first try again what failed (.hypothesis).
settings.register_profile(HOUSE, deadline=None, max_examples=FEW, derandomize=True)
settings.register_profile(WEEKLY, deadline=None, max_examples=MANY, print_blob=True)


def is_weekly() -> bool:
    return settings.get_current_profile_name() == WEEKLY


def examples(weekly: int = MANY, *, house: int = FEW) -> int:
    """Return the number of examples that a law tries in this run, for `max_examples`.

    `weekly` is its share of `make weekly`. `house` is its share of all other runs; give it where
    an example costs next to nothing.
    """
    return weekly if is_weekly() else min(weekly, house)
