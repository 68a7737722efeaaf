package shard

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// awkward is a folder name that scripts must quote.
const awkward = `a 'b' "c" $d %j \e ä`

// scripts writes a plan with one session per shard to a folder below one with an awkward name.
func scripts(t *testing.T, sessions int) (folder, root string) {
	t.Helper()
	above := filepath.Join(t.TempDir(), awkward)
	folder, root = filepath.Join(above, "plan"), filepath.Join(above, "tree")
	p := planned(t, 1)
	p.Sweep.Repetitions, p.Shards = sessions/6, sessions
	p, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(p, Place{Folder: folder, Root: root, Binary: os.Args[0], Image: "golang:1"}); err != nil {
		t.Fatal(err)
	}
	return folder, root
}

// TestSlurmScript verifies that shellcheck accepts the Slurm script, and that each task runs the
// shard with the task's number.
func TestSlurmScript(t *testing.T) {
	folder, root := scripts(t, 12)
	name := filepath.Join(folder, SlurmFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n#SBATCH --array=0-11\n", "\n#SBATCH --exclusive\n", "\n#SBATCH --nodes=1\n", "\n#SBATCH --ntasks=1\n",
		"\n#SBATCH --chdir=" + option(root) + "\n", `a 'b' \"c\" $d %%j \\e ä/plan/logs/%A_%a.txt"` + "\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
	if program, err := exec.LookPath("shellcheck"); err == nil {
		// The severity below warning would report that $ is not expanded in single quotes.
		if out, err := exec.Command(program, "-S", "warning", name).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	if err := os.Remove(filepath.Join(folder, BinaryFile)); err != nil {
		t.Fatal(err)
	}
	stand(t, filepath.Join(folder, BinaryFile))
	got := bash(t, name, "SLURM_ARRAY_TASK_ID=7", "COPPICE_FIRST=")
	if want := "lab run -shard " + folder + "/7\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// If it has no task number, the script submits itself as job arrays, so that there is one task for
// each shard.
func TestSlurmScriptSubmitsAll(t *testing.T) {
	folder, _ := scripts(t, 2004)
	commands := t.TempDir()
	stand(t, filepath.Join(commands, "sbatch"))
	got := bash(t, filepath.Join(folder, SlurmFile), "PATH="+commands+":"+os.Getenv("PATH"), "SLURM_ARRAY_TASK_ID=")
	var want strings.Builder
	for _, piece := range []string{"0-999 --export=ALL,COPPICE_FIRST=0", "0-999 --export=ALL,COPPICE_FIRST=1000", "0-3 --export=ALL,COPPICE_FIRST=2000"} {
		want.WriteString("--array=" + piece + " " + folder + "/slurm.sh\n")
	}
	if got != want.String() {
		t.Errorf("%s\nwant\n%s", got, &want)
	}
}

// stand writes a stand-in program that prints its arguments.
func stand(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(name, []byte("#!/bin/sh\nprintf '%s\\n' \"$*\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
}

// bash runs a script with additional environment variables and returns its output.
func bash(t *testing.T, script string, variables ...string) string {
	t.Helper()
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(program, script)
	cmd.Env = append(os.Environ(), variables...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestJob verifies that the Kubernetes Job is valid YAML with one index per shard, and that it
// mounts the folders that the shards need at the paths in the command.
func TestJob(t *testing.T) {
	folder, root := scripts(t, 12)
	text, err := os.ReadFile(filepath.Join(folder, JobFile))
	if err != nil {
		t.Fatal(err)
	}
	var job struct {
		Kind string
		Spec struct {
			CompletionMode           string `yaml:"completionMode"`
			Completions, Parallelism int
			Template                 struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					RestartPolicy string `yaml:"restartPolicy"`
					Affinity      struct {
						PodAntiAffinity struct {
							Required []struct {
								TopologyKey   string `yaml:"topologyKey"`
								LabelSelector struct {
									MatchLabels map[string]string `yaml:"matchLabels"`
								} `yaml:"labelSelector"`
							} `yaml:"requiredDuringSchedulingIgnoredDuringExecution"`
						} `yaml:"podAntiAffinity"`
					}
					Containers []struct {
						Image, WorkingDir string
						Dir               string `yaml:"workingDir"`
						Command           []string
						VolumeMounts      []struct {
							Name, MountPath string
							Path            string `yaml:"mountPath"`
						} `yaml:"volumeMounts"`
					}
					Volumes []struct {
						Name     string
						HostPath struct{ Path string } `yaml:"hostPath"`
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &job); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	spec := job.Spec.Template.Spec
	if job.Kind != "Job" || job.Spec.CompletionMode != "Indexed" || job.Spec.Completions != 12 || job.Spec.Parallelism != 12 || spec.RestartPolicy != "Never" {
		t.Errorf("%+v", job)
	}
	apart := spec.Affinity.PodAntiAffinity.Required
	if len(apart) != 1 || apart[0].TopologyKey != "kubernetes.io/hostname" || len(apart[0].LabelSelector.MatchLabels) != 1 ||
		apart[0].LabelSelector.MatchLabels["app"] != job.Spec.Template.Metadata.Labels["app"] {
		t.Errorf("the shards are not kept apart: %+v", apart)
	}
	if len(spec.Containers) != 1 || len(spec.Volumes) != 2 || len(spec.Containers[0].VolumeMounts) != 2 {
		t.Fatalf("%+v", spec)
	}
	c := spec.Containers[0]
	if want := []string{filepath.Join(folder, BinaryFile), "lab", "run", "-shard", folder}; !slices.Equal(c.Command, want) || c.Dir != root || c.Image != "golang:1" {
		t.Errorf("%q in %q, want %q in %q", c.Command, c.Dir, want, root)
	}
	for i, want := range []string{root, folder} {
		if c.VolumeMounts[i].Path != want || spec.Volumes[i].HostPath.Path != want || c.VolumeMounts[i].Name != spec.Volumes[i].Name {
			t.Errorf("%+v, %+v, want %s", c.VolumeMounts[i], spec.Volumes[i], want)
		}
	}
}

func TestWriteRejectsControlCharacters(t *testing.T) {
	err := Write(planned(t, 1), Place{Folder: filepath.Join(t.TempDir(), "a\nb"), Root: "x"})
	if err == nil || !strings.Contains(err.Error(), "without control characters") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}
