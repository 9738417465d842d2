package web_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// elements calls do for each element of a page.
func elements(t *testing.T, page []byte, do func(name string, attr map[string]string, n *html.Node)) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(string(page)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			attr := map[string]string{}
			for _, a := range n.Attr {
				attr[a.Key] = a.Val
			}
			do(n.Data, attr, n)
		}
	}
}

// Every page can be reached from the guide's first page and is accessible, and every link
// has a target.
func TestGuide(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ids := map[string]map[string]bool{} // by path
	titles := map[string]string{}
	links := map[string][]string{}
	var visit func(at string)
	visit = func(at string) {
		if ids[at] != nil || !strings.HasPrefix(at, "/docs/guide") || path.Ext(at) != "" {
			return
		}
		a := s.do(t, "GET", at, "", "Authorization", "").want(t, 200)
		if csp := a.Header.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") || strings.Contains(csp, "script-src") {
			t.Errorf("%s: %s", at, csp)
		}
		ids[at] = map[string]bool{}
		var title, headings, lang, skip, main string
		elements(t, a.body, func(name string, attr map[string]string, n *html.Node) {
			if id := attr["id"]; id != "" {
				if ids[at][id] {
					t.Errorf("%s: two elements are called %q", at, id)
				}
				ids[at][id] = true
			}
			switch name {
			case "html":
				lang = attr["lang"]
			case "title":
				title = n.FirstChild.Data
			case "h1":
				headings += "1"
			case "main":
				main = attr["id"]
			case "script", "style":
				t.Errorf("%s has a %s", at, name)
			case "a":
				if skip == "" {
					skip = attr["href"]
				}
				links[at] = append(links[at], attr["href"])
			case "link", "img":
				links[at] = append(links[at], attr["href"]+attr["src"])
			}
			if attr["style"] != "" {
				t.Errorf("%s: a %s is styled in place, which the policy forbids", at, name)
			}
		})
		if lang != "en" || headings != "1" || skip != "#"+main || titles[title] != "" {
			t.Errorf("%s: lang %q, title %q of %s too, top headings %q, skip link %q", at, lang, title, titles[title], headings, skip)
		}
		titles[title] = at
		for _, l := range links[at] {
			to, _, _ := strings.Cut(l, "#")
			visit(to)
		}
	}
	visit("/docs/guide")

	known := map[string]bool{}
	for at, list := range links {
		for _, l := range list {
			to, part, _ := strings.Cut(l, "#")
			switch {
			case strings.HasPrefix(l, "https://") || l == "data:," || strings.HasPrefix(l, "http://127.0.0.1:8080"):
				continue
			case to == "":
				to = at
			case !strings.HasPrefix(to, "/"):
				t.Errorf("%s links to %s, which is relative", at, l)
				continue
			}
			if !known[to] {
				s.do(t, "GET", to, "", "Authorization", "").want(t, 200)
				known[to] = true
			}
			if part != "" && !ids[to][part] {
				t.Errorf("%s links to %s, where there is no %q", at, l, part)
			}
		}
	}
	files, err := filepath.Glob("docs/guide/*.md")
	if err != nil || len(files) != len(ids) {
		t.Errorf("%d pages are reached, of %d: %v", len(ids), len(files), err)
	}
}

var (
	mdLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	mdFence   = regexp.MustCompile("(?ms)^```.*?^```$")
	notInID   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// The links of the documents also work on a forge.
func TestDocsLinksOnAForge(t *testing.T) {
	t.Parallel()
	headings := func(file string) map[string]bool {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		ids := map[string]bool{}
		for _, h := range mdHeading.FindAllStringSubmatch(mdFence.ReplaceAllString(string(data), ""), -1) {
			// Like the heading ids of GitHub and Forgejo.
			ids[strings.ReplaceAll(strings.ToLower(notInID.ReplaceAllString(h[1], "")), " ", "-")] = true
		}
		return ids
	}
	files, err := filepath.Glob("docs/guide/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../README.md", "../.github/CONTRIBUTING.md", "../.github/SECURITY.md", "../.github/CHANGELOG.md") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mdLink.FindAllStringSubmatch(mdFence.ReplaceAllString(string(data), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to, part, _ := strings.Cut(m[1], "#")
			target := file
			if to != "" {
				target = filepath.Join(filepath.Dir(file), to)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			} else if part != "" && !headings(target)[part] {
				t.Errorf("%s links to %s, where there is no such heading", file, m[1])
			}
		}
	}
}

// Operations are listed in reading order, after the primer.
func TestOrderOfTheDocument(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	doc := string(s.do(t, "GET", "/docs/api.json", "").want(t, 200).body)
	at := 0
	for _, want := range []string{
		`# API primer`,
		`"listAssets"`, `"showAsset"`, `"updateAsset"`, `"deleteAsset"`, `"downloadAsset"`,
		`"listCollections"`, `"createCollection"`, `"showCollection"`, `"updateCollection"`, `"deleteCollection"`, `"listCollectionAssets"`,
	} {
		next := strings.Index(doc[at:], want)
		if next < 0 {
			t.Fatalf("%s is not behind what comes before it", want)
		}
		at += next
	}
}

// Files named in the contributors' page exist.
func TestContributingIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../.github/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("`([a-z.][a-z_/.-]*(?:/|\\.go|\\.md))`").FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
			t.Errorf("%s is not there", m[1])
		}
	}
}
