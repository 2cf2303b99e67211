// Kuadrant's operator on hubs of JSON lists: what is in force, the statuses that it writes, and the
// action sets of the plugin of each Gateway.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	controllers "github.com/kuadrant/kuadrant-operator/internal/controller"
)

func main() {
	var hubs [][]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&hubs); err != nil {
		fail(err)
	}
	answers := make([]*controllers.Judged, len(hubs))
	for i, hub := range hubs {
		judged, err := controllers.Judge(context.Background(), hub)
		if err != nil {
			fail(err)
		}
		answers[i] = judged
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
