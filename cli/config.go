package cli

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// applySettings sets the flags that were not given from the environment, or else from a
// file.
func applySettings(cmd *cobra.Command, file string) error {
	if file == "" {
		file = os.Getenv(envName("config"))
	}
	fromFile, err := readConfig(file)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	known := flagNames(cmd.Root())
	for name, line := range fromFile {
		if !known[name] {
			return usagef("%s:%d: there is no setting %q", file, line.number, name)
		}
	}
	var first error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, where := os.Getenv(envName(f.Name)), envName(f.Name)
		if value == "" {
			line := fromFile[f.Name]
			value, where = line.value, fmt.Sprintf("%s:%d", file, line.number)
		}
		if f.Changed || value == "" || f.Name == "help" || f.Name == "version" || first != nil {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			first = usagef("%s: %w", where, flagError(err))
		}
	})
	return first
}

// flagNames returns the names of the flags of all commands.
func flagNames(root *cobra.Command) map[string]bool {
	known := map[string]bool{}
	for _, c := range allCommands(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	}
	return known
}

// envName returns the environment variable of a flag.
func envName(flag string) string {
	return "DAL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// configLine is a setting in a configuration file.
type configLine struct {
	value  string
	number int // line number, from 1
}

// readConfig reads lines "flag = value", each flag at most once. It skips empty lines, and
// comments that begin with # at the start of a line or after a space; a value in quotes is
// taken literally.
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
			return nil, fmt.Errorf("%s:%d: expected flag = value", path, n)
		}
		name = strings.TrimLeft(strings.TrimSpace(name), "-")
		if before, twice := m[name]; twice {
			return nil, fmt.Errorf("%s:%d: %s is already set on line %d", path, n, name, before.number)
		}
		if value, err = configValue(value); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		m[name] = configLine{value, n}
	}
	return m, sc.Err()
}

// configValue reads a value and skips the comment after it.
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
		return "", fmt.Errorf("the closing quote of %s is missing", s)
	}
	return value, nil
}
