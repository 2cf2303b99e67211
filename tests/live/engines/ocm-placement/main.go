// Open Cluster Management's scheduler of Placements, its expressions and its rollout strategies.
//
// It reads one question in JSON from each line, and answers it with a line: what the controller
// writes for the first Placement among the objects, or how expressions come out on the first
// cluster, or the clusters that a strategy releases. Objects get the defaults of their CRDs first.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"k8s.io/klog/v2"
)

type question struct {
	Objects     []json.RawMessage `json:"objects"`
	Expressions []string          `json:"expressions"`
	Rollout     *rolloutQuestion  `json:"rollout"`
	Now         string            `json:"now"`
}

type answer struct {
	// Refused is what the CRDs have against an object.
	Refused   []string          `json:"refused,omitempty"`
	Error     string            `json:"error,omitempty"`
	Panic     string            `json:"panic,omitempty"`
	Placement *placementAnswer  `json:"placement,omitempty"`
	Results   []expressionValue `json:"results,omitempty"`
	Rollout   *rolloutAnswer    `json:"rollout,omitempty"`
}

func main() {
	folder := flag.String("crds", "", "the folder with the CRDs that defaults come from; none without")
	klog.InitFlags(nil)
	flag.Parse()
	check(flag.Set("logtostderr", "false"))
	check(flag.Set("stderrthreshold", "FATAL"))
	definitions := readDefinitions(*folder)
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked question
		check(json.Unmarshal(line, &asked))
		check(out.Encode(answered(definitions, asked)))
	}
}

func answered(definitions definitions, asked question) (found answer) {
	defer func() {
		if reason := recover(); reason != nil {
			found = answer{Panic: fmt.Sprint(reason)}
		}
	}()
	now := time.Now()
	if asked.Now != "" {
		now = must(time.Parse(time.RFC3339Nano, asked.Now))
	}
	if asked.Rollout != nil {
		return released(*asked.Rollout, now)
	}
	hub, refused, err := definitions.read(asked.Objects)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if asked.Expressions != nil {
		return answer{Refused: refused, Results: hub.evaluate(asked.Expressions)}
	}
	found = hub.schedule(now)
	found.Refused = refused
	return found
}

func readDefinitions(folder string) definitions {
	found := definitions{}
	if folder == "" {
		return found
	}
	for _, path := range must(filepath.Glob(filepath.Join(folder, "*.yaml"))) {
		found.add(must(os.ReadFile(path)))
	}
	return found
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Panic(err)
	}
}
