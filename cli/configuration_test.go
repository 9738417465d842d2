package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write web/docs/guide/configuration.md")

const configurationFile = "../web/docs/guide/configuration.md"

const configurationHead = `# Configuration

<!-- Generated from the flags: go test ./cli -run TestConfigurationPage -update -->

Every setting can be given in three ways. A flag takes precedence over an
environment variable, and a variable over the configuration file.

` + "```sh\n" + `dal serve --max-file-size 20GiB
DAL_MAX_FILE_SIZE=20GiB dal serve
dal serve --config dal.conf
` + "```" + `

The variable is ` + "`DAL_`" + ` followed by the flag's name in capitals with underscores. The key in the file is the
flag without its dashes:

` + "```ini\n" + configurationExample + "```" + `

Sizes are written ` + "`10GiB`, `500MB` or `1048576`" + ` (bytes), times ` + "`90d`, `24h` or `1h30m`" + `. Where a setting
takes several values, they are separated by commas; the flag can also be repeated. An invalid value, an unknown key or a
duplicate key ends the command with exit code 2 and an error that names its position.

`

const configurationExample = `# dal.conf
data = /srv/dal
site-url = https://dam.example.com
trusted-proxy = 127.0.0.1, 10.0.0.2   # a comment
max-file-size = 20GiB
audit-keep = 365d
log-format = "json"
`

const configurationTail = `## Variables without a flag

- **` + "`DAL_EMBEDDINGS_KEY`" + `**: the API key of the endpoint in ` + "`--embeddings`" + `. It has no flag, so that
  it does not appear in the list of processes.
- **` + "`DAL_AI_KEY`" + `**: the API key of the endpoint in ` + "`--ai-endpoint`" + `; it has no flag either.
- **` + "`GOMEMLIMIT`**, **`GOMAXPROCS`" + `**: the limits of the Go runtime. If one is set, dal does not change it;
  with ` + "`GOMEMLIMIT`" + `, ` + "`--memory`" + ` has no effect.
`

// The guide's page about configuration matches the flags. -update writes it.
func TestConfigurationPage(t *testing.T) {
	t.Parallel()
	page := configurationPage()
	if *update {
		if err := os.MkdirAll(filepath.Dir(configurationFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(configurationFile, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(configurationFile)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(string(written), "\n"), strings.Split(page, "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s is out of date from line %d on; run this test with -update", configurationFile, i+1)
		}
	}
	for i, line := range want {
		if len([]rune(line)) >= 140 {
			t.Errorf("%s:%d is too long", configurationFile, i+1)
		}
	}
}

// The example file on the page is valid.
func TestConfigurationExample(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "dal.conf")
	if err := os.WriteFile(file, []byte(configurationExample), 0o600); err != nil {
		t.Fatal(err)
	}
	root := newRoot()
	cmd, _, err := root.Find([]string{"serve"})
	if err == nil {
		err = cmd.ParseFlags(nil)
	}
	if err == nil {
		err = applySettings(cmd, file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"max-file-size": "20GiB", "audit-keep": "365d", "trusted-proxy": "127.0.0.1,10.0.0.2", "log-format": "json", "data": "/srv/dal",
	} {
		if got := cmd.Flag(name).Value.String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func configurationPage() string {
	var page bytes.Buffer
	page.WriteString(configurationHead)
	root := newRoot()
	topics, flags := []string{}, map[string][]*pflag.Flag{}
	var commands bytes.Buffer
	for _, cmd := range append([]*cobra.Command{root}, slices.DeleteFunc(ourCommands(root), hidden)...) {
		set := cmd.Flags()
		if cmd == root {
			set = cmd.PersistentFlags()
		}
		var own []*pflag.Flag
		set.VisitAll(func(f *pflag.Flag) {
			topic := f.Annotations[topicKey]
			switch {
			case slices.Contains([]string{"help", "version", "json"}, f.Name), cmd != root && cmd.InheritedFlags().Lookup(f.Name) != nil:
			case topic == nil:
				own = append(own, f)
			case flags[topic[0]] == nil:
				topics = append(topics, topic[0])
				fallthrough
			default:
				if !slices.Contains(flags[topic[0]], f) {
					flags[topic[0]] = append(flags[topic[0]], f)
				}
			}
		})
		if len(own) > 0 {
			fmt.Fprintf(&commands, "### %s\n\n%s.\n\n%s", cmd.CommandPath(), cmd.Short, settingList(own))
		}
	}
	for _, topic := range topics {
		fmt.Fprintf(&page, "## %s\n\n%s", topic, settingList(flags[topic]))
	}
	page.WriteString("## Single commands\n\n")
	page.WriteString("Set these in the same three ways. Commands that list or report something also have `--json`.\n\n")
	page.Write(commands.Bytes())
	page.WriteString(configurationTail)
	return page.String()
}

// settingList describes flags, one list item each.
func settingList(flags []*pflag.Flag) string {
	var b strings.Builder
	for _, f := range flags {
		usage := strings.ReplaceAll(f.Usage, "`", "")
		item := fmt.Sprintf("- **`--%s`** (`%s`): %s.", f.Name, envName(f.Name), usage)
		var facts []string
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
			facts = append(facts, "Default `"+f.DefValue+"`")
		}
		switch v := f.Value.(type) {
		case *boundedValue:
			if v.Default < v.Min {
				facts = nil
			}
			if v.Max == maxID {
				facts = append(facts, "at least "+v.unit.shown(v.Min))
			} else {
				facts = append(facts, v.bounds("from ", " to "))
			}
		case *choiceValue:
			facts = append(facts, "one of `"+strings.Join(v.options, "`, `")+"`")
		}
		if text := strings.Join(facts, ", "); text != "" {
			item += " " + strings.ToUpper(text[:1]) + text[1:] + "."
		}
		b.WriteString(wrap(item, 118))
	}
	return b.String() + "\n"
}

// wrap breaks a list item into lines.
func wrap(item string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(item) {
		if n := len([]rune(word)) + 1; column+n > width {
			b.WriteString("\n  ")
			column = 2 + n
		} else if column > 0 {
			b.WriteByte(' ')
			column += n
		} else {
			column = n
		}
		b.WriteString(word)
	}
	return b.String() + "\n"
}
