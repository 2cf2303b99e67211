"""Publishing: kinds that consumers see under other names, and copies of what they write.

It does as a function of files what kcp's api-syncagent does live. `kcp` writes schemas and exports,
`copies` copies objects; neither knows the other. `gotemplates`, `jsonpaths` and `gojson` are
languages of Go, which know nothing of publishing.
"""
