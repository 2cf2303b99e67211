"""The consequences of a change: its effects on requests, and on who may make them.

Read the modules in this order: `drafts` (a consequence before equal ones are joined), then the
comparisons of two views (`comparison`): `asked` (policies on paths), `traffic` and `listening`
(where requests come in and go), `objects`, `states` and `deleting` (objects and policies), and
`consequences`, which joins the drafts.
"""
