package app

// mayWrite finds nothing wrong: on Windows rights are inherited, and there is no
// root.
func mayWrite(string, bool) error { return nil }
