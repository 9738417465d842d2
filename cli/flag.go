package cli

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/digital-asset-library/dal/app/account"
)

// topicKey is the annotation that holds the topic of a flag.
const topicKey = "dal_topic"

// flags defines the flags of a command. Its methods take a pointer to the value, which
// contains the default.
type flags struct {
	cmd   *cobra.Command
	set   *pflag.FlagSet
	topic string // heading of the next flags in the guide; "" for none
}

// flagsOf returns a builder for the local flags of cmd.
func flagsOf(cmd *cobra.Command) *flags { return &flags{cmd: cmd, set: cmd.Flags()} }

// under sets the topic of the next flags.
func (f *flags) under(topic string) { f.topic = topic }

func (f *flags) define(v pflag.Value, name, usage string) *pflag.Flag {
	flag := f.set.VarPF(v, name, "", usage)
	if f.topic != "" {
		f.must(f.set.SetAnnotation(name, topicKey, []string{f.topic}))
	}
	return flag
}

// must panics on an error that can only be caused by an invalid definition.
func (f *flags) must(err error) {
	if err != nil {
		panic(err)
	}
}

// text defines a flag for any text. Completion suggests offers.
func (f *flags) text(v *string, name, usage string, offers ...string) {
	f.define(&textValue{v}, name, usage)
	f.complete(name, cobra.FixedCompletions(offers, cobra.ShellCompDirectiveNoFileComp))
}

func (f *flags) yes(v *bool, name, usage string) {
	f.define((*switchValue)(v), name, usage).NoOptDefVal = "true"
}

func (f *flags) number(l account.Limit, name, usage string) { f.bounded(l, numbers, name, usage) }
func (f *flags) size(l account.Limit, name, usage string)   { f.bounded(l, sizes, name, usage) }
func (f *flags) time(l account.Limit, name, usage string)   { f.bounded(l, times, name, usage) }

func (f *flags) bounded(l account.Limit, u unit, name, usage string) {
	f.define(&boundedValue{l, u}, name, usage)
	f.complete(name, cobra.NoFileCompletions)
}

// choice defines a flag for one of several texts.
func (f *flags) choice(v *string, name, usage string, options []string) {
	f.define(&choiceValue{v, options}, name, usage)
	f.complete(name, cobra.FixedCompletions(options, cobra.ShellCompDirectiveNoFileComp))
}

// list defines a flag for several texts, comma-separated or repeated. check rejects invalid
// ones.
func (f *flags) list(v *[]string, name, usage string, check func(string) error, offers ...string) {
	f.define(&listValue{all: v, check: check}, name, usage)
	f.complete(name, cobra.FixedCompletions(offers, cobra.ShellCompDirectiveNoFileComp))
}

// prefixes defines a flag for addresses and CIDRs.
func (f *flags) prefixes(v *[]netip.Prefix, name, usage string) {
	f.list(new([]string), name, usage, readPrefix(v))
}

// parsed defines a flag for a text that parse reads. If byDefault is not empty, it is
// parsed immediately.
func (f *flags) parsed(parse func(string) error, name, byDefault, usage string) {
	v := &parsedValue{parse: parse}
	if byDefault != "" {
		f.must(v.Set(byDefault))
	}
	f.define(v, name, usage)
	f.complete(name, cobra.NoFileCompletions)
}

// folder defines a flag for the path of a folder.
func (f *flags) folder(v *string, name, usage string) {
	f.define(&textValue{v}, name, usage)
	f.must(f.set.SetAnnotation(name, cobra.BashCompSubdirsInDir, []string{}))
}

// folders defines a flag for the paths of several folders.
func (f *flags) folders(v *[]string, name, usage string) {
	f.define(&listValue{all: v, check: func(string) error { return nil }}, name, usage)
	f.must(f.set.SetAnnotation(name, cobra.BashCompSubdirsInDir, []string{}))
}

// file defines a flag for the path of a file with one of the extensions, or any.
func (f *flags) file(v *string, name, usage string, extensions ...string) {
	f.define(&textValue{v}, name, usage)
	f.must(f.set.SetAnnotation(name, cobra.BashCompFilenameExt, extensions))
}

// user defines a flag for the email of a user. Completion suggests those in the library.
func (f *flags) user(s *settings, v *string, name, usage string) {
	f.define(&textValue{v}, name, usage)
	f.complete(name, s.completeEmail)
}

// json defines --json.
func (f *flags) json(v *bool) { f.yes(v, "json", "write one JSON document") }

func (f *flags) complete(name string, fn cobra.CompletionFunc) {
	f.must(f.cmd.RegisterFlagCompletionFunc(name, fn))
}

// required marks flags that must be given.
func (f *flags) required(names ...string) {
	for _, name := range names {
		f.must(f.cmd.MarkFlagRequired(name))
	}
}

// usagef returns a usage error.
func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// flagError rewords an error of pflag.
func flagError(err error) error {
	e, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return &exitError{exitUsage, err}
	}
	return usagef("--%s %w", e.GetFlag().Name, e.Unwrap())
}

// checkRequired returns an error if required flags are missing.
func checkRequired(cmd *cobra.Command) error {
	var missing []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[cobra.BashCompOneRequiredFlag] != nil && !f.Changed {
			missing = append(missing, "--"+f.Name)
		}
	})
	switch len(missing) {
	case 0:
		return nil
	case 1:
		return usagef("%s is required", missing[0])
	}
	return usagef("%s are required", inWords(missing, "and"))
}

// takes returns the check of a command that takes arguments with these names.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if n := len(args); n < len(names) {
			return fmt.Errorf("%s is missing; see %s --help", names[n], cmd.CommandPath())
		}
		if n := len(names); len(args) > n {
			return fmt.Errorf("unexpected argument %q; see %s --help", args[n], cmd.CommandPath())
		}
		return nil
	}
}

// inWords joins a list for a sentence, such as "a, b or c".
func inWords(list []string, last string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	n := len(list) - 1
	return strings.Join(list[:n], ", ") + " " + last + " " + list[n]
}
