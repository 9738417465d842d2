package cli

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// applySettings fills the flags that were not given from the environment and
// then from a file.
func applySettings(cmd *cobra.Command, file string) error {
	if file == "" {
		file = os.Getenv(envName("config"))
	}
	fromFile, err := readConfig(file)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	known := map[string]bool{}
	for _, c := range allCommands(cmd.Root()) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	}
	for name := range fromFile {
		if !known[name] {
			return &exitError{exitUsage, fmt.Errorf("%s: there is no setting %q", file, name)}
		}
	}
	var first error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, where := os.Getenv(envName(f.Name)), envName(f.Name)
		if value == "" {
			value, where = fromFile[f.Name], file
		}
		if f.Changed || value == "" || f.Name == "help" || first != nil {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			first = &exitError{exitUsage, fmt.Errorf("%s: %w", where, err)}
		}
	})
	return first
}

// envName is the variable of a flag.
func envName(flag string) string {
	return "DAL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// readConfig reads lines "flag = value". Empty lines and those that begin with
// # say nothing.
func readConfig(path string) (map[string]string, error) {
	m := map[string]string{}
	if path == "" {
		return m, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("%s:%d: a line is flag = value", path, n)
		}
		m[strings.TrimLeft(strings.TrimSpace(name), "-")] = strings.TrimSpace(value)
	}
	return m, sc.Err()
}
