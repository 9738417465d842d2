package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Definitions are the same after writing and reading them again; no input makes the reader
// panic or fail without a reason.
func FuzzDefinitions(f *testing.F) {
	for _, s := range []string{
		"asset_classes: [Photo]\n" +
			"vocabularies: [{key: a, name: A, terms: [{key: x, label: X, terms: [{key: y, label: 'no', is_active: false}]}]}]\n" +
			"fields: [{key: f, label: F, type: terms, vocabulary: a, default_value: [x], " +
			"validation: {min: 1, max: 2}, asset_classes: [photo]}]\n",
		"fields:\n" +
			"- {key: d, label: 2026-01-31, type: date, default_value: 2026-01-31, validation: {min: 2000-01-01}}\n" +
			"- {key: n, label: 1_000, type: number, default_value: 0x1F, is_searchable: false}\n",
		"fields:\n- key: t\n  label: |\n    a\n    b\n  type: text\n" +
			"  default_value: \"\\u2028\"\n  validation: {max_length: 10, pattern: '^[a-z]+$'}\n",
		"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
		"<<: {fields: []}\n", "fields: !!set {a}\n", "? [a]\n: b\n", "- a\n", "---\n---\n",
		"\xff\xfe", "{", "fields: [[[[[[[[]]]]]]]]", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := readDefinitions(bytes.NewReader(text))
		if err != nil {
			if explain(err) == "" {
				t.Error("an error without words")
			}
			return
		}
		var once, twice bytes.Buffer
		if err := writeDefinitions(&once, d); err != nil {
			t.Fatal(err)
		}
		again, err := readDefinitions(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("%v in what was written:\n%s", err, &once)
		}
		if err := writeDefinitions(&twice, again); err != nil {
			t.Fatal(err)
		}
		if once.String() != twice.String() {
			t.Errorf("written:\n%s\nread and written again:\n%s", &once, &twice)
		}
	})
}

// YAML bombs and oversized files are rejected immediately.
func TestDefinitionsBounds(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	deep := "vocabularies: [{key: a, name: a, terms: "
	for i := range 11 {
		deep += fmt.Sprintf("[{key: t%d, label: x, terms: ", i)
	}
	deep += "[]" + strings.Repeat("}]", 11) + "}]"
	many := "vocabularies: [{key: a, name: a, terms: [" + strings.Repeat("{key: x, label: x},", 100) + "]}]"
	for name, c := range map[string]struct{ text, want string }{
		"bomb":        {"fields:\n  - " + strings.ReplaceAll(bomb, "\n", "\n    ") + "\n", "Unknown member"},
		"value bomb":  {"fields: [{key: k, label: l, type: text, default_value: [&a x, *a]}]", "Aliases are not supported"},
		"size":        {strings.Repeat("# x\n", maxDefinitionsFile/4) + "fields: []\n", "larger than 4 MiB"},
		"nesting":     {"fields: " + strings.Repeat("[", 100_000), "yaml"},
		"depth":       {deep, "10 deep"},
		"same terms":  {many, "in line 1 already"},
		"many fields": {"fields: [" + strings.Repeat("{key: x, label: x, type: text},", 501) + "]", "at most 500"},
		"problems":    {"fields: [" + strings.Repeat("{nope: x},\n", 1000) + "]", "line 20"},
	} {
		_, err := readDefinitions(strings.NewReader(c.text))
		if err == nil || !strings.Contains(explain(err), c.want) {
			t.Errorf("%s: %.300v", name, err)
		} else if n := strings.Count(explain(err), "\n"); n > 1100 {
			t.Errorf("%s: %d lines of problems", name, n)
		}
	}
}
