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
	for name, line := range fromFile {
		if !known[name] {
			return &exitError{exitUsage, fmt.Errorf("%s:%d: there is no setting %q", file, line.number, name)}
		}
	}
	var first error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, where := os.Getenv(envName(f.Name)), envName(f.Name)
		if value == "" {
			line := fromFile[f.Name]
			value, where = line.value, fmt.Sprintf("%s:%d", file, line.number)
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

// configLine is a setting in a file.
type configLine struct {
	value  string
	number int // of the line, from 1
}

// readConfig reads lines "flag = value", each flag once. Empty lines and what
// follows a # at the beginning of a line, or after a space, say nothing; a value
// in quotes is taken as it is.
func readConfig(path string) (map[string]configLine, error) {
	m := map[string]configLine{}
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
		name = strings.TrimLeft(strings.TrimSpace(name), "-")
		if before, twice := m[name]; twice {
			return nil, fmt.Errorf("%s:%d: %s is set on line %d already", path, n, name, before.number)
		}
		if value, err = configValue(value); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		m[name] = configLine{value, n}
	}
	return m, sc.Err()
}

// configValue reads a value with what may follow it.
func configValue(s string) (string, error) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, `"`) {
		if i := strings.Index(" "+s, " #"); i >= 0 {
			s = s[:max(0, i-1)]
		}
		return strings.TrimSpace(s), nil
	}
	value, rest, closed := strings.Cut(s[1:], `"`)
	if rest = strings.TrimSpace(rest); !closed || rest != "" && !strings.HasPrefix(rest, "#") {
		return "", fmt.Errorf("the value %s does not end with its quote", s)
	}
	return value, nil
}
