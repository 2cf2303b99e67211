"""Facts about kinds, as rows of `kinds.table`, and the references that objects of a kind contain.

Pure: no I/O, and malformed data raises nothing. Import from the module that defines a name.
"""
