"""The consequences of a change: what it means for requests, and for who may make them.

Read it in this order: `drafts` (a consequence before it is joined with others), then what is
compared, by views of both states (`comparison`): `asked` (policies on paths), `traffic` and
`listening` (where requests come in and go), `objects`, `states` and `deleting` (objects and
policies as such), and `consequences`, which joins them.
"""
