package main

import (
	"context"
	"sort"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	clusterfake "open-cluster-management.io/api/client/cluster/clientset/versioned/fake"
	"open-cluster-management.io/api/client/cluster/informers/externalversions"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	"open-cluster-management.io/ocm/pkg/placement/controllers/framework"
	"open-cluster-management.io/ocm/pkg/placement/controllers/metrics"
	"open-cluster-management.io/ocm/pkg/placement/controllers/scheduling"
	"open-cluster-management.io/ocm/pkg/placement/helpers"
	"open-cluster-management.io/ocm/pkg/placement/plugins/addon"
	"open-cluster-management.io/ocm/pkg/placement/plugins/tainttoleration"
	"open-cluster-management.io/sdk-go/pkg/basecontroller/factory"
)

type placementAnswer struct {
	// Failed is what ends the sync before anything is written.
	Failed    string                          `json:"failed,omitempty"`
	Status    *clusterv1beta1.PlacementStatus `json:"status"`
	Decisions map[string][]string             `json:"decisions"`
	Ranked    []string                        `json:"ranked"`
	Scores    []scheduling.PrioritizerResult  `json:"scores"`
	Totals    scheduling.PrioritizerScore     `json:"totals"`
	Selected  []string                        `json:"selected"`
	Unfilled  int                             `json:"unscheduled"`
}

// seen is a scheduler that keeps its last result.
type seen struct {
	scheduling.Scheduler
	result scheduling.ScheduleResult
}

func (s *seen) Schedule(
	ctx context.Context, placement *clusterv1beta1.Placement, clusters []*clusterv1.ManagedCluster,
) (scheduling.ScheduleResult, *framework.Status) {
	result, status := s.Scheduler.Schedule(ctx, placement, clusters)
	s.result = result
	return result, status
}

func (h hub) schedule(now time.Time) answer {
	fixed := clock.Clock(clocktesting.NewFakeClock(now))
	tainttoleration.TolerationClock, addon.AddOnClock = fixed, fixed
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	placement := first[*clusterv1beta1.Placement](h)
	client := clusterfake.NewSimpleClientset(h.objects...)
	informers := h.informers(client)
	recorder := &silent{}
	measured := metrics.NewScheduleMetrics(clock.RealClock{})
	api := informers.Cluster()
	handle := scheduling.NewSchedulerHandler(
		client, api.V1beta1().PlacementDecisions().Lister(), api.V1alpha1().AddOnPlacementScores().Lister(),
		api.V1().ManagedClusters().Lister(), recorder, measured)
	scheduler := &seen{Scheduler: scheduling.NewPluginScheduler(handle)}
	controller := scheduling.NewSchedulingController(
		ctx, client, api.V1().ManagedClusters(), api.V1beta2().ManagedClusterSets(),
		api.V1beta2().ManagedClusterSetBindings(), api.V1beta1().Placements(), api.V1beta1().PlacementDecisions(),
		api.V1alpha1().AddOnPlacementScores(), scheduler, recorder, measured)
	failed := controller.Sync(ctx, factory.NewSyncContext("judge"), placement.Namespace+"/"+placement.Name)
	read := h.written(ctx, client, placement)
	read.add(scheduler.result)
	if failed != nil {
		read.Failed = failed.Error()
	}
	return answer{Placement: read}
}

func (p *placementAnswer) add(result scheduling.ScheduleResult) {
	if result == nil {
		return
	}
	filtered := result.FilterResults()
	if len(filtered) > 0 {
		p.Ranked = filtered[len(filtered)-1].FilteredClusters
	}
	p.Scores, p.Totals, p.Unfilled = result.PrioritizerResults(), result.PrioritizerScores(), result.NumOfUnscheduled()
	for _, cluster := range result.Decisions() {
		p.Selected = append(p.Selected, cluster.Name)
	}
	sort.Strings(p.Selected)
}

// written returns the status of a Placement, and the clusters of its PlacementDecisions.
func (h hub) written(ctx context.Context, client *clusterfake.Clientset, placement *clusterv1beta1.Placement) *placementAnswer {
	api := client.ClusterV1beta1()
	after := must(api.Placements(placement.Namespace).Get(ctx, placement.Name, metav1.GetOptions{}))
	for i := range after.Status.Conditions {
		after.Status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	read := &placementAnswer{Status: &after.Status, Decisions: map[string][]string{}}
	for _, decision := range must(api.PlacementDecisions(placement.Namespace).List(ctx, metav1.ListOptions{})).Items {
		names := []string{}
		for _, one := range decision.Status.Decisions {
			names = append(names, one.ClusterName)
		}
		if _, ok := h.owned(after.Status)[decision.Name]; ok {
			read.Decisions[decision.Name] = names
		}
	}
	return read
}

func (h hub) owned(status clusterv1beta1.PlacementStatus) map[string]bool {
	names := map[string]bool{}
	for _, group := range status.DecisionGroups {
		for _, name := range group.Decisions {
			names[name] = true
		}
	}
	return names
}

func (h hub) informers(client *clusterfake.Clientset) externalversions.SharedInformerFactory {
	found := externalversions.NewSharedInformerFactory(client, time.Hour)
	api := found.Cluster()
	for _, object := range h.objects {
		switch object.(type) {
		case *clusterv1.ManagedCluster:
			check(api.V1().ManagedClusters().Informer().GetStore().Add(object))
		case *clusterv1beta2.ManagedClusterSet:
			check(api.V1beta2().ManagedClusterSets().Informer().GetStore().Add(object))
		case *clusterv1beta2.ManagedClusterSetBinding:
			check(api.V1beta2().ManagedClusterSetBindings().Informer().GetStore().Add(object))
		case *clusterv1beta1.Placement:
			check(api.V1beta1().Placements().Informer().GetStore().Add(object))
		case *clusterv1beta1.PlacementDecision:
			check(api.V1beta1().PlacementDecisions().Informer().GetStore().Add(object))
		case *clusterv1alpha1.AddOnPlacementScore:
			check(api.V1alpha1().AddOnPlacementScores().Informer().GetStore().Add(object))
		}
	}
	return found
}

type expressionValue struct {
	// Answer is yes, no or refused.
	Answer string `json:"answer"`
	Detail string `json:"detail,omitempty"`
}

// evaluate tells whether each expression, alone in a predicate, selects the first cluster, and why.
func (h hub) evaluate(expressions []string) []expressionValue {
	informers := h.informers(clusterfake.NewSimpleClientset())
	cluster := first[*clusterv1.ManagedCluster](h)
	scores := informers.Cluster().V1alpha1().AddOnPlacementScores().Lister()
	answers := make([]expressionValue, len(expressions))
	for i, source := range expressions {
		predicate := clusterv1beta1.ClusterSelector{
			CelSelector: clusterv1beta1.ClusterCelSelector{CelExpressions: []string{source}},
		}
		// A filter makes one anew, too: what one compiles depends on what it has compiled.
		env := must(helpers.NewEnv(scores))
		selector := must(helpers.NewClusterSelector(predicate, env, nil))
		compiled := selector.Compile()[0]
		switch {
		case compiled.Error != nil:
			answers[i] = expressionValue{"refused", compiled.Error.Error()}
		case selector.Matches(context.Background(), cluster):
			answers[i] = expressionValue{Answer: "yes"}
		default:
			answers[i] = expressionValue{"no", explained(compiled.Program, cluster)}
		}
	}
	return answers
}

type silent struct{ events.EventRecorder }
