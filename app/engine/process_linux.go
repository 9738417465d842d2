package engine

// self returns the path of this program, even if its file was replaced by a newer one.
func self() string { return "/proc/self/exe" }

// emptyDir returns the working directory of a worker.
func emptyDir() string { return "/" }
