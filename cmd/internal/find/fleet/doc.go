// Package fleet reads profiles of many processes: files, folders, endpoints of net/http/pprof and
// servers of Pyroscope. Each profile is added to the sites of its group of labels and then
// discarded, so memory does not grow with the number of profiles. Nothing is stored, and no merged
// profile is created.
//
// # Labels
//
// The labels of a profile split the table. The labels of a file come from its path, as in
// service=web/version=1.4/instance=a7/0001.pb.gz. The labels of a URL come from its fragment, as in
// http://host:6060/debug/pprof/allocs#service=web,version=1.4. A series of Pyroscope has labels of
// its own. A label of samples is also used, if all samples of a profile carry it with the same
// value.
//
// # Processes
//
// Heap profiles of Go are cumulative from the start of a process. So profiles of one process are
// compared: the table counts the allocations of each process once, and the difference between two
// of its profiles determines the age of its values. Profiles belong to one instance if their label
// instance, pod, hostname or host is the same. Without such a label, the instance of a URL is its
// host. The instance of a file is its folder and its name without the date or number at the end:
// web-0-20261122T101500.pb.gz is the instance web-0. An instance's profiles are read in the order
// of their names, with numbers in numerical order. If the count of any site falls, or the time does
// not advance, a new process has started.
//
// # Ages
//
// By Little's law, the mean age of a site's values is computed between two profiles of one process:
// the number in use, integrated over time, is divided by the number allocated in that time. Two
// profiles suffice if there are some collections between them. A merged profile of Pyroscope has no
// ages.
package fleet
