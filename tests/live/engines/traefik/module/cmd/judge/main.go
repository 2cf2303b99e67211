// Traefik's provider of the Gateway API on hubs of JSON lists: the statuses that it would write.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/traefik/traefik/v3/pkg/provider/kubernetes/gateway"
)

func main() {
	var question struct {
		Hubs  [][]json.RawMessage
		Ports []int
	}
	if err := json.NewDecoder(os.Stdin).Decode(&question); err != nil {
		fail(err)
	}
	answers := make([]any, len(question.Hubs))
	for i, hub := range question.Hubs {
		objects, err := gateway.Judge(hub, question.Ports)
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
