package shard

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// indices lists the environment variables in which schedulers pass the index of a task. In the
// scripts of a plan, the index of the first task is 0.
var indices = []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}

// Target parses the argument of -shard, such as DIR/3, and returns the folder of the plan and the
// index of the shard. If the argument is DIR, the index is read from the environment variables of a
// scheduler, with getenv, which is normally os.Getenv.
func Target(text string, getenv func(string) string) (folder string, i int, err error) {
	if _, err := os.Stat(filepath.Join(text, PlanFile)); err != nil {
		if i, err := strconv.Atoi(filepath.Base(text)); err == nil {
			return filepath.Dir(filepath.Clean(text)), i, nil
		}
		return text, 0, fmt.Errorf("-shard %s: want DIR/NUMBER, where DIR contains a %s written by coppice lab plan", text, PlanFile)
	}
	from, number := "", ""
	for _, name := range indices {
		value := getenv(name)
		if value != "" && number != "" && value != number {
			return text, 0, fmt.Errorf("-shard %[5]s: %[1]s is %[2]s, but %[3]s is %[4]s; name the shard, such as -shard %[5]s/%[6]s", from, number, name, value, text, number)
		}
		if value != "" {
			from, number = name, value
		}
	}
	if number == "" {
		return text, 0, fmt.Errorf("-shard %s: this is a plan, but neither %s nor %s is set; name a shard, such as -shard %s", text, indices[0], indices[1], filepath.Join(text, "0"))
	}
	if i, err = strconv.Atoi(number); err != nil {
		return text, 0, fmt.Errorf("%s is %q, which is not a shard number", from, number)
	}
	return text, i, nil
}
