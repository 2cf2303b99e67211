// Kuadrant's operator on hubs of JSON lists: what is in force, the statuses that it writes, and the
// action sets of the plugin of each Gateway. Its extensions for plans and OIDC write their policies
// first, and their statuses last.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	kuadrantv1 "github.com/kuadrant/kuadrant-operator/api/v1"
	oidc "github.com/kuadrant/kuadrant-operator/cmd/extensions/oidc-policy/judged"
	plan "github.com/kuadrant/kuadrant-operator/cmd/extensions/plan-policy/judged"
	controllers "github.com/kuadrant/kuadrant-operator/internal/controller"
)

func main() {
	var hubs [][]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&hubs); err != nil {
		fail(err)
	}
	answers := make([]*controllers.Judged, len(hubs))
	for i, hub := range hubs {
		hub, err := withWritten(hub)
		if err != nil {
			fail(err)
		}
		judged, err := controllers.Judge(context.Background(), hub)
		if err != nil {
			fail(err)
		}
		if err := addStatuses(judged, hub); err != nil {
			fail(err)
		}
		answers[i] = judged
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fail(err)
	}
}

// withWritten adds what the extensions write for their own policies.
func withWritten(hub []json.RawMessage) ([]json.RawMessage, error) {
	for _, text := range hub {
		var of struct{ Kind string }
		if err := json.Unmarshal(text, &of); err != nil {
			return nil, err
		}
		var written any
		var err error
		switch of.Kind {
		case "PlanPolicy":
			written, err = plan.Written(text)
		case "OIDCPolicy":
			written, err = oidc.Written(text)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		more, err := json.Marshal(written)
		if err != nil {
			return nil, err
		}
		hub = append(hub, more)
	}
	return hub, nil
}

// addStatuses adds the policies of the extensions, with the statuses that these write.
func addStatuses(judged *controllers.Judged, hub []json.RawMessage) error {
	limits, auths := map[string]*kuadrantv1.RateLimitPolicy{}, map[string]*kuadrantv1.AuthPolicy{}
	for _, object := range judged.Objects {
		name := object.GetNamespace() + "/" + object.GetName()
		switch one := object.(type) {
		case *kuadrantv1.RateLimitPolicy:
			limits[name] = one
		case *kuadrantv1.AuthPolicy:
			auths[name] = one
		}
	}
	for _, text := range hub {
		var of struct {
			Kind     string
			Metadata struct{ Namespace, Name string }
		}
		if err := json.Unmarshal(text, &of); err != nil {
			return err
		}
		name := of.Metadata.Namespace + "/" + of.Metadata.Name
		switch of.Kind {
		case "PlanPolicy":
			policy, err := plan.WithStatus(text, limits[name])
			if err != nil {
				return err
			}
			judged.Objects = append(judged.Objects, policy)
		case "OIDCPolicy":
			hasGateway, err := judged.HasGateway(auths[name].Spec.TargetRef)
			if err != nil {
				return err
			}
			policy, err := oidc.WithStatus(text, auths[name], hasGateway)
			if err != nil {
				return err
			}
			judged.Objects = append(judged.Objects, policy)
		}
	}
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
