package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/search"
	"github.com/digital-asset-library/dal/web"
)

// eachFlag calls fn with each flag of dal's commands.
func eachFlag(fn func(cmd *cobra.Command, f *pflag.Flag)) {
	for _, cmd := range ourCommands(newRoot()) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != "version" {
				fn(cmd, f)
			}
		})
	}
}

// ourCommands returns cmd and all of its subcommands, except those that cobra adds.
func ourCommands(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(allCommands(cmd), func(c *cobra.Command) bool {
		path := c.CommandPath() + " "
		return strings.HasPrefix(path, "dal help ") || strings.HasPrefix(path, "dal completion ")
	})
}

// use runs a command in this process and returns its exit code and messages.
func use(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Main(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, errs.String()
}

// argsOf returns placeholders for the arguments that a command takes.
func argsOf(cmd *cobra.Command) (args []string) {
	for _, word := range strings.Fields(cmd.Use)[1:] {
		switch {
		case strings.HasPrefix(word, "-"):
			return args
		case word == "ID":
			word = "1"
		case word == "ROLE":
			word = "viewer"
		}
		args = append(args, word)
	}
	return args
}

// Every number, size and time has bounds. A value just outside of them causes exit code 2
// and a message with the bounds, whether it is from a flag, the environment or a file.
func TestBounds(t *testing.T) {
	t.Setenv("DAL_DATA", filepath.Join(t.TempDir(), "none"))
	count := 0
	eachFlag(func(cmd *cobra.Command, f *pflag.Flag) {
		switch f.Value.(type) {
		case *textValue, *switchValue, *choiceValue, *listValue, *parsedValue:
			return
		}
		name := cmd.CommandPath() + " --" + f.Name
		v, ok := f.Value.(*boundedValue)
		if !ok {
			t.Errorf("%s is a %T, which has no bounds", name, f.Value)
			return
		}
		count++
		want := fmt.Sprintf("--%s must be between %s and %s, not ", f.Name, v.unit.shown(v.Min), v.unit.shown(v.Max))
		path := append(strings.Fields(cmd.CommandPath())[1:], argsOf(cmd)...)
		for _, n := range []int64{v.Min - 1, v.Max + 1} {
			value := v.unit.written(n)
			if code, stderr := use(t, append(path, "--"+f.Name+"="+value)...); code != exitUsage || stderr != "dal: "+want+v.unit.shown(n)+"\n" {
				t.Errorf("%s %s: exit %d, %s", name, value, code, stderr)
			}
			t.Setenv(envName(f.Name), value)
			if code, stderr := use(t, path...); code != exitUsage || stderr != "dal: "+envName(f.Name)+": "+want+v.unit.shown(n)+"\n" {
				t.Errorf("%s from the environment, %s: exit %d, %s", name, value, code, stderr)
			}
			os.Unsetenv(envName(f.Name))
			file := filepath.Join(t.TempDir(), "dal.conf")
			if err := os.WriteFile(file, []byte("# settings\n"+f.Name+" = "+value+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			code, stderr := use(t, append(path, "--config", file)...)
			if code != exitUsage || stderr != "dal: "+file+":2: "+want+v.unit.shown(n)+"\n" {
				t.Errorf("%s from a file, %s: exit %d, %s", name, value, code, stderr)
			}
		}
		for _, n := range []int64{v.Min, v.Max} {
			if err := f.Value.Set(v.unit.written(n)); err != nil || v.Value() != n {
				t.Errorf("%s does not take %s: %v", name, v.unit.written(n), err)
			}
		}
	})
	if count < 30 {
		t.Errorf("only %d flags have bounds", count)
	}
}

// The default values of the server's flags are those of app and web, and each of their
// bounded settings has a flag.
func TestServerDefaults(t *testing.T) {
	t.Parallel()
	f := newServeFlags()
	cmd := &cobra.Command{}
	f.define(flagsOf(cmd))
	if err := cmd.Flags().Parse(nil); err != nil {
		t.Fatal(err)
	}
	cfg, opt := app.DefaultConfig(), web.DefaultOptions()
	cfg.Version = thisBuild().Version
	cfg.EmbeddingsKey, cfg.AIKey = f.app.EmbeddingsKey, f.app.AIKey
	cfg.Language = search.English // commands other than serve keep the language of the index
	for _, pair := range [][2]any{{cfg, f.app}, {opt, f.web}} {
		want, got := reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1])
		for i := range want.NumField() {
			if a, b := want.Field(i), got.Field(i); a.Kind() != reflect.Func && !reflect.DeepEqual(a.Interface(), b.Interface()) {
				t.Errorf("%s is %v, not the default %v", want.Type().Field(i).Name, b, a)
			}
		}
	}
	bound := map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*boundedValue); ok {
			bound[v.Name] = true
			if f.DefValue != v.unit.written(v.Default) {
				t.Errorf("the default of --%s is %s, not %s", f.Name, f.DefValue, v.unit.written(v.Default))
			}
		}
	})
	noFlag := []string{"EventKeep", "JobAttempts", "Media.MaxFrames", "Media.Timeout", "WebhookTimeout"}
	for _, l := range append(f.app.Limits(), f.web.Limits()...) {
		if bound[l.Name] == slices.Contains(noFlag, l.Name) {
			t.Errorf("%s has a flag: %v", l.Name, bound[l.Name])
		}
	}
}

// Every number of a Config and of Options has bounds, and its users reject a value outside
// of them.
func TestLimitsAreComplete(t *testing.T) {
	t.Parallel()
	cfg, opt := app.DefaultConfig(), web.DefaultOptions()
	for _, c := range []struct {
		settings any
		limits   account.Limits
	}{{cfg, cfg.Limits()}, {opt, opt.Limits()}} {
		var numbers []string
		var collect func(prefix string, v reflect.Value)
		collect = func(prefix string, v reflect.Value) {
			for i := range v.NumField() {
				name, field := prefix+v.Type().Field(i).Name, v.Field(i)
				switch {
				case v.Type().Field(i).Anonymous:
					collect(prefix, field)
				case field.Kind() == reflect.Struct:
					collect(name+".", field)
				case field.CanInt() && name != "Access":
					numbers = append(numbers, name)
				}
			}
		}
		collect("", reflect.ValueOf(c.settings))
		var limited []string
		for _, l := range c.limits {
			limited = append(limited, l.Name)
		}
		slices.Sort(numbers)
		slices.Sort(limited)
		if !slices.Equal(numbers, limited) {
			t.Errorf("%T has the numbers %v and the limits %v", c.settings, numbers, limited)
		}
	}
	cfg.DataDir, cfg.MaxBatchFiles = filepath.Join(t.TempDir(), "lib"), 0
	if _, err := app.Open(t.Context(), cfg); err == nil || err.Error() != "MaxBatchFiles must be between 1 and 100,000, not 0" {
		t.Errorf("app.Open: %v", err)
	}
	opt.Stall = 0
	if _, err := web.New(nil, opt); err == nil || err.Error() != "Stall must be between 100ms and 24h0m0s, not 0s" {
		t.Errorf("web.New: %v", err)
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		unit unit
		text string
		want int64 // -1 for an invalid text
		back string
	}{
		{numbers, "12", 12, "12"},
		{numbers, "1.5", -1, ""},
		{numbers, "", -1, ""},
		{numbers, "99999999999999999999", 1<<63 - 1, "9223372036854775807"},
		{sizes, "10GiB", 10 << 30, "10GiB"},
		{sizes, "1536", 1536, "1536B"},
		{sizes, "1.5 MiB", 3 << 19, "1536KiB"},
		{sizes, "16EiB", -1, ""},
		{sizes, "many", -1, ""},
		{times, "90d", 90 * 24 * 3600e9, "90d"},
		{times, "24h", 24 * 3600e9, "1d"},
		{times, "1h30m", 5400e9, "1h30m"},
		{times, "2h", 7200e9, "2h"},
		{times, "90s", 90e9, "1m30s"},
		{times, "0.5d", 12 * 3600e9, "12h"},
		{times, "1e300d", 1 << 62, ""},
		{times, "NaNd", -1, ""},
		{times, "soon", -1, ""},
	} {
		n, err := tt.unit.parse(tt.text)
		if (err != nil) != (tt.want < 0) || err == nil && (n != tt.want || tt.back != "" && tt.unit.written(n) != tt.back) {
			t.Errorf("%s %q: %d %q, %v", tt.unit.name, tt.text, n, tt.unit.written(n), err)
		}
	}
}
