// Cilium's operator on hubs of JSON lists: the statuses that its Gateway API reconciler writes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	gatewayapi "github.com/cilium/cilium/operator/pkg/gateway-api"
)

func main() {
	var hubs [][]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&hubs); err != nil {
		fail(err)
	}
	answers := make([]any, len(hubs))
	for i, hub := range hubs {
		objects, err := gatewayapi.Judge(context.Background(), hub)
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
