package kubernetes

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// script is an archive with an experiment that consists of a few lines of shell.
const script = "../../cmd/coppice/testdata/script/labplan.txtar"

// plan builds coppice and calls coppice lab plan with the given image. It returns the folder of the
// plan and the folder of the experiment, both of which it creates in above.
func plan(t *testing.T, above, image string) (folder, root string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "coppice")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/coppice-go/coppice/cmd/coppice").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root = filepath.Join(above, "tree")
	files, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files.Files {
		name := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	folder = filepath.Join(above, "plan")
	cmd := exec.Command(program, "lab", "plan", "shell", "-depth", "1,2", "-sessions", "2", "-shards", "3", "-runs", "2", "-warmup", "1", "-image", image, "-out", folder)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder, root
}

// readJob decodes a Job in the same way as an API server with strict field validation, which
// rejects unknown and duplicate fields.
func readJob(text []byte) (batch.Job, error) {
	var job batch.Job
	err := yaml.UnmarshalStrict(text, &job)
	return job, err
}

// TestJob verifies that coppice lab plan writes a valid Kubernetes Job, even in folders with
// unusual names, and that the files and folders that the Job refers to exist.
func TestJob(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds coppice")
	}
	above := filepath.Join(t.TempDir(), `a 'b' "c" $d #e`)
	folder, root := plan(t, above, "registry.example/golang:1@sha256:0123")
	text, err := os.ReadFile(filepath.Join(folder, "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	job, err := readJob(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if job.APIVersion != batch.SchemeGroupVersion.String() || job.Kind != "Job" {
		t.Errorf("%s %s", job.APIVersion, job.Kind)
	}
	for _, complaint := range complaints(&job) {
		t.Error(complaint)
	}
	if *job.Spec.Completions != 3 || *job.Spec.Parallelism != 3 {
		t.Errorf("completions %d, parallelism %d, want 3 shards", *job.Spec.Completions, *job.Spec.Parallelism)
	}
	exist(t, &job, folder, root)
}

// exist verifies that the folders, the program and the shards that the Job's pods use exist.
func exist(t *testing.T, job *batch.Job, folder, root string) {
	t.Helper()
	pod := job.Spec.Template.Spec
	for _, v := range pod.Volumes {
		if v.HostPath == nil || v.HostPath.Type == nil || *v.HostPath.Type != core.HostPathDirectory {
			t.Errorf("volume %s: %+v", v.Name, v)
			continue
		}
		if info, err := os.Stat(v.HostPath.Path); err != nil || !info.IsDir() {
			t.Errorf("volume %s is of %s: %v", v.Name, v.HostPath.Path, err)
		}
	}
	c := pod.Containers[0]
	if info, err := os.Stat(c.Command[0]); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%s cannot run: %v", c.Command[0], err)
	}
	if !slices.Equal(c.Command[1:], []string{"lab", "run", "-shard", folder}) || c.WorkingDir != root {
		t.Errorf("%q in %s", c.Command, c.WorkingDir)
	}
	for i := range *job.Spec.Completions {
		if _, err := os.Stat(filepath.Join(folder, "shards", string(rune('0'+i))+".json")); err != nil {
			t.Error(err)
		}
	}
}

// complaints returns the errors that the API server would report for a Job. It repeats only the
// rules that matter here, because they are in k8s.io/kubernetes, which is not meant to be imported.
func complaints(job *batch.Job) (all []string) {
	say := func(ok bool, text string) {
		if !ok {
			all = append(all, text)
		}
	}
	all = append(all, validation.IsDNS1123Subdomain(job.Name)...)
	for key, value := range job.Spec.Template.Labels {
		all = append(all, validation.IsQualifiedName(key)...)
		all = append(all, validation.IsValidLabelValue(value)...)
	}
	spec, pod := job.Spec, job.Spec.Template.Spec
	indexed := spec.CompletionMode != nil && *spec.CompletionMode == batch.IndexedCompletion
	say(indexed && spec.Completions != nil && *spec.Completions > 0, "an Indexed Job needs completions")
	say(spec.Parallelism != nil && *spec.Parallelism <= 100_000, "parallelism of an Indexed Job must be at most 100000")
	say(spec.BackoffLimitPerIndex == nil || indexed, "backoffLimitPerIndex needs an Indexed Job")
	say(pod.RestartPolicy == core.RestartPolicyNever, "podFailurePolicy and backoffLimitPerIndex need restartPolicy Never")
	say(spec.PodReplacementPolicy == nil || spec.PodFailurePolicy == nil || *spec.PodReplacementPolicy == batch.Failed, "podReplacementPolicy must be Failed beside podFailurePolicy")
	if spec.PodFailurePolicy != nil {
		for _, r := range spec.PodFailurePolicy.Rules {
			say(r.Action == batch.PodFailurePolicyActionIgnore && len(r.OnPodConditions) > 0, "a rule needs an action, and exit codes or conditions")
			for _, c := range r.OnPodConditions {
				say(c.Type == core.DisruptionTarget, "unknown condition "+string(c.Type))
				say(c.Status == "" || c.Status == core.ConditionTrue, "a condition's status must be True where none is given")
			}
		}
	}
	say(len(pod.Containers) == 1 && pod.Containers[0].Image != "" && len(pod.Containers[0].Command) > 0, "one container with an image and a command")
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		all = append(all, validation.IsDNS1123Label(v.Name)...)
		say(!volumes[v.Name], "volume "+v.Name+" is there twice")
		volumes[v.Name] = true
		say(v.HostPath == nil || !strings.Contains(v.HostPath.Path, ".."), "a path of a volume must not have ..")
	}
	used := map[string]bool{}
	for _, c := range pod.Containers {
		all = append(all, validation.IsDNS1123Label(c.Name)...)
		paths := map[string]bool{}
		for _, m := range c.VolumeMounts {
			say(volumes[m.Name], "no volume "+m.Name)
			say(m.MountPath != "" && !strings.Contains(m.MountPath, ":") && !paths[m.MountPath], "mount path "+m.MountPath+" is empty, has a colon, or is there twice")
			used[m.Name], paths[m.MountPath] = true, true
		}
		for _, e := range c.Env {
			all = append(all, validation.IsEnvVarName(e.Name)...)
			if e.ValueFrom != nil {
				say(e.Value == "" && e.ValueFrom.FieldRef != nil && e.ValueFrom.FieldRef.FieldPath == "spec.nodeName", "a field that pods do not hand to variables")
			}
			// Any other source of a variable would have to exist in the cluster already.
			say(e.ValueFrom == nil || e.ValueFrom.SecretKeyRef == nil && e.ValueFrom.ConfigMapKeyRef == nil, e.Name+" needs an object that the plan does not have")
		}
		say(len(c.EnvFrom) == 0, "it needs an object that the plan does not have")
	}
	for name := range volumes {
		say(used[name], "volume "+name+" is mounted nowhere")
	}
	say(pod.ServiceAccountName == "" && len(pod.ImagePullSecrets) == 0, "it needs an object that the plan does not have")
	terms := pod.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	for _, term := range terms {
		say(term.TopologyKey == core.LabelHostname, "the shards of a machine are told apart by its host name")
		for key, value := range term.LabelSelector.MatchLabels {
			say(job.Spec.Template.Labels[key] == value, "the pods do not have the label "+key+"="+value+" that keeps them apart")
		}
	}
	say(len(terms) > 0, "nothing keeps the shards apart")
	return all
}

// TestComplaints verifies that readJob and complaints detect errors, such as misspelled and
// duplicate fields, a missing volume, and labels that do not match.
func TestComplaints(t *testing.T) {
	good, err := os.ReadFile("testdata/job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	job, err := readJob(good)
	if err != nil || len(complaints(&job)) > 0 {
		t.Fatal(err, complaints(&job))
	}
	for old, changed := range map[string]string{
		"backoffLimitPerIndex: 6":                  "backoffLimitPerIndx: 6",
		"restartPolicy: Never":                     "restartPolicy: Never\n      restartPolicy: Never",
		"completionMode: Indexed":                  "completionMode: NonIndexed",
		"restartPolicy: Never\n":                   "restartPolicy: OnFailure\n",
		"        - name: plan\n          hostPath": "        - name: plans\n          hostPath",
		"podReplacementPolicy: Failed":             "podReplacementPolicy: TerminatingOrFailed",
		"fieldPath: spec.nodeName":                 "fieldPath: spec.name",
		"completions: 3":                           "completions: three",
		"                  app: coppice-lab":       "                  app: other",
	} {
		text := strings.Replace(string(good), old, changed, 1)
		if text == string(good) {
			t.Errorf("no %q", old)
		}
		job, err := readJob([]byte(text))
		if err == nil && len(complaints(&job)) == 0 {
			t.Errorf("%q is not noticed", changed)
		}
	}
}
