"""Publishing: kinds that consumers see under other names, and copies of consumers' objects.

Publishing does with files what kcp's api-syncagent does in live clusters. `kcp` writes schemas and
exports, `copies` copies objects; neither imports the other. `gotemplates`, `jsonpaths` and `gojson`
implement languages of Go, and import nothing else of publishing.
"""
