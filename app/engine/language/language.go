// Package language contains Tesseract's language data. It comes from npm packages, which
// ../make lists and packs.
package language

import (
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/digital-asset-library/dal/app/packed"
)

//go:embed *.traineddata.zst
var files embed.FS

const (
	// Orientation is the name of the data for detecting the page orientation. It is not a
	// language.
	Orientation = "osd"

	maxFile = 64 << 20 // bytes of a language file in a folder
	most    = 500      // languages listed from a folder
	suffix  = ".traineddata"
)

// form matches the names of languages, such as "eng", "chi_sim" and "uzb_cyrl".
var form = regexp.MustCompile(`^[A-Za-z0-9]{2,16}(_[A-Za-z0-9]{1,16}){0,3}$`)

// Names lists the built-in languages, and those with a file NAME.traineddata in dir, unless
// dir is "".
func Names(dir string) ([]string, error) {
	var names []string
	builtIn, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, f := range builtIn {
		names = append(names, strings.TrimSuffix(f.Name(), suffix+".zst"))
	}
	if dir != "" {
		others, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, f := range others[:min(len(others), most)] {
			if name, ok := strings.CutSuffix(f.Name(), suffix); ok && form.MatchString(name) {
				names = append(names, name)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == Orientation })
	slices.Sort(names)
	return slices.Compact(names), nil
}

// CheckName validates the name of a language.
func CheckName(name string) error {
	if !form.MatchString(name) || name == Orientation {
		return fmt.Errorf("%q is not the name of a language, such as eng", name)
	}
	return nil
}

// Open returns the data of a language: NAME.traineddata in dir, if dir is not "" and
// contains it, otherwise the built-in data.
func Open(name, dir string) ([]byte, error) {
	if !form.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a language", name)
	}
	if dir != "" {
		data, err := readFile(filepath.Join(dir, name+suffix))
		if err == nil || !os.IsNotExist(err) {
			return data, err
		}
	}
	data, err := files.ReadFile(name + suffix + ".zst")
	if err != nil {
		return nil, fmt.Errorf("there is no data of the language %q", name)
	}
	out, err := packed.Unpack(data)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	return out, nil
}

// readFile reads a file of limited size.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxFile>>20)
	}
	return data, err
}
