// Contour on hubs of JSON lists: the statuses that it would write.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/projectcontour/contour/internal/dag"
)

func main() {
	var hubs [][]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&hubs); err != nil {
		fail(err)
	}
	answers := make([]any, len(hubs))
	for i, hub := range hubs {
		objects, err := dag.Judge(hub)
		if err != nil {
			fail(err)
		}
		answers[i] = objects
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
