package cli

import (
	"bytes"
	"embed"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/digital-asset-library/dal/app"
	"github.com/digital-asset-library/dal/app/dam"
)

//go:embed presets
var presets embed.FS

// presetNames are the definitions bundled with dal.
var presetNames = []string{"iptc"}

// withPreset returns the current definitions, extended by those of a preset that are
// missing: it skips fields whose key or XMP property is already used.
func withPreset(cmd *cobra.Command, a *app.App, name string) (*dam.Definitions, error) {
	text, err := presets.ReadFile("presets/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("preset %s: %w", name, err)
	}
	preset, err := readDefinitions(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("preset %s: %w", name, err)
	}
	d, err := a.Definitions.ExportDefinitions(cmd.Context())
	if err != nil {
		return nil, err
	}
	d.AssetClasses = nil // they are not changed
	for _, f := range preset.Fields {
		f.Line = 0
		if !slices.ContainsFunc(d.Fields, func(o dam.FieldDefinition) bool { return o.Key == f.Key || o.XMPPath == f.XMPPath }) {
			d.Fields = append(d.Fields, f)
		}
	}
	for _, v := range preset.Vocabularies {
		v.Line = 0
		used := slices.ContainsFunc(d.Fields, func(f dam.FieldDefinition) bool { return f.Vocabulary == v.Key })
		if used && !slices.ContainsFunc(d.Vocabularies, func(o dam.VocabularyDefinition) bool { return o.Key == v.Key }) {
			d.Vocabularies = append(d.Vocabularies, v)
		}
	}
	return d, nil
}

// fileOrPreset checks the arguments of dal metadata apply.
func (m *metadataRun) fileOrPreset(cmd *cobra.Command, args []string) error {
	if m.preset == "" {
		return takes("FILE")(cmd, args)
	}
	return takes()(cmd, args)
}
