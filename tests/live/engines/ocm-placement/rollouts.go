package main

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	clocktesting "k8s.io/utils/clock/testing"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	sdkv1alpha1 "open-cluster-management.io/sdk-go/pkg/apis/cluster/v1alpha1"
	sdkv1beta1 "open-cluster-management.io/sdk-go/pkg/apis/cluster/v1beta1"
)

type rolloutQuestion struct {
	Strategy clusterv1alpha1.RolloutStrategy `json:"strategy"`
	Groups   []struct {
		Name     string   `json:"name"`
		Index    int32    `json:"index"`
		Clusters []string `json:"clusters"`
	} `json:"groups"`
	Existing []clusterStatus `json:"existing"`
}

type clusterStatus struct {
	Cluster string `json:"cluster"`
	Status  string `json:"status"`
	Since   string `json:"since,omitempty"`
}

type rolloutAnswer struct {
	Rollout  []clusterStatus `json:"rollout"`
	TimedOut []clusterStatus `json:"timeout"`
	Removed  []clusterStatus `json:"removed"`
	Breach   bool            `json:"breach"`
	Recheck  *float64        `json:"recheckAfterSeconds,omitempty"`
}

var statuses = []string{"ToApply", "Progressing", "Succeeded", "Failed", "TimeOut", "Skip"}

func released(asked rolloutQuestion, now time.Time) answer {
	sdkv1alpha1.RolloutClock = clocktesting.NewFakeClock(now)
	groups := sdkv1beta1.ClusterGroupsMap{}
	for _, group := range asked.Groups {
		groups[sdkv1beta1.GroupKey{GroupName: group.Name, GroupIndex: group.Index}] = sets.New(group.Clusters...)
	}
	tracker := sdkv1beta1.NewPlacementDecisionClustersTrackerWithGroups(nil, nil, groups)
	handler := must(sdkv1alpha1.NewRolloutHandler[any](tracker, nil))
	var existing []sdkv1alpha1.ClusterRolloutStatus
	for _, one := range asked.Existing {
		existing = append(existing, one.typed())
	}
	_, result, err := handler.GetRolloutCluster(asked.Strategy, existing)
	if err != nil {
		return answer{Error: err.Error()}
	}
	found := &rolloutAnswer{
		plain(result.ClustersToRollout), plain(result.ClustersTimeOut), plain(result.ClustersRemoved),
		result.MaxFailureBreach, nil,
	}
	if result.RecheckAfter != nil {
		seconds := result.RecheckAfter.Seconds()
		found.Recheck = &seconds
	}
	return answer{Rollout: found}
}

func (s clusterStatus) typed() sdkv1alpha1.ClusterRolloutStatus {
	found := sdkv1alpha1.ClusterRolloutStatus{ClusterName: s.Cluster, Status: sdkv1alpha1.RolloutStatus(len(statuses))}
	for i, name := range statuses {
		if name == s.Status {
			found.Status = sdkv1alpha1.RolloutStatus(i)
		}
	}
	if s.Since != "" {
		since := metav1.NewTime(must(time.Parse(time.RFC3339Nano, s.Since)))
		found.LastTransitionTime = &since
	}
	return found
}

func plain(found []sdkv1alpha1.ClusterRolloutStatus) []clusterStatus {
	answers := make([]clusterStatus, len(found))
	for i, one := range found {
		answers[i] = clusterStatus{Cluster: one.ClusterName, Status: "other"}
		if int(one.Status) < len(statuses) {
			answers[i].Status = statuses[one.Status]
		}
		if one.LastTransitionTime != nil {
			answers[i].Since = one.LastTransitionTime.UTC().Format(time.RFC3339Nano)
		}
	}
	return answers
}
