package engine

// self is this program, even if its file was replaced by a newer one.
func self() string { return "/proc/self/exe" }

// emptyDir is where a worker works.
func emptyDir() string { return "/" }
