"""The kinds of findings, with their stable codes, meanings and cures.

Import a kind from its module. `spokerender.findings.codes.table` has all of them.
"""
