// Package fleet reads the profiles of many processes from files, folders, net/http/pprof endpoints
// and Pyroscope servers. It adds each profile to the sites of its label group and then discards the
// profile, so memory does not grow with the number of profiles. Nothing is stored, and no merged
// profile is created.
//
// # Labels
//
// The labels of a profile determine the group to which it is added. The labels of a file come from
// its path, as in service=web/version=1.4/instance=a7/0001.pb.gz. The labels of a URL come from its
// fragment, as in http://host:6060/debug/pprof/allocs#service=web,version=1.4. A Pyroscope series
// has its own labels. A label in the samples is also used, if all samples of a profile carry it
// with the same value.
//
// # Processes
//
// Heap profiles of Go are cumulative from the start of a process. Therefore the allocations of each
// process are counted once, in its last profile, and the difference between two profiles of a
// process determines the age of its values. Profiles belong to the same instance if they have the
// same value of the label instance, pod, hostname or host. Without such a label, the instance of a
// URL is its host. The instance of a file is its folder and its name without the date or number at
// the end: web-0-20261122T101500.pb.gz is the instance web-0. An instance's profiles are read in
// the order of their names, with numbers in numerical order. If the count of any site falls, or the
// time does not advance, a new process has started.
//
// # Ages
//
// By Little's law, the mean age of a site's values is computed from two profiles of one process:
// the number of values in use, integrated over the time between the profiles, is divided by the
// number allocated in that time. Two profiles suffice if the collector ran a few times between
// them. A merged profile from Pyroscope has no ages.
package fleet
