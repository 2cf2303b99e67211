"""The deletion guard."""
