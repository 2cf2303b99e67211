"""The kinds of findings, with stable codes, meanings and suggested fixes.

Import a kind from its module. `spokerender.findings.codes.table` has all of them.
"""
