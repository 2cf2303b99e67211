"""Every kind of finding, with its stable code: a module for each hundred.

Import a kind of finding from its module. `spokerender.findings.codes.table` has all there are.
"""
