"""Characters that are invisible, or that change the order in which a text is read.

A reviewer has to see in a file what the cluster reads, and a reader in a message what it says.
"""

CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but for tab and line feed, DEL, C1: ECMA-48
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0"  # drawn as nothing
    "\u2028\u2029"  # line and paragraph separator
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e0fff"  # no characters, or tags
)
"""Characters that control a display or show nothing, as a set for the brackets of a pattern.

Unicode's categories Cc, Cf, Cs, Zl and Zp, its property Default_Ignorable_Code_Point
(DerivedCoreProperties.txt) except variation selectors, and the blank of Braille.
"""
VARIATIONS = "\ufe00-\ufe0f"
"""Variation selectors change the character before them: an emoji has one; many can hide a text."""
