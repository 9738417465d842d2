package web

import (
	"context"

	"github.com/digital-asset-library/dal/app/dam"
)

// Preset is a named set of options for rendering pictures.
type Preset struct {
	ID        int64             `json:"id" example:"1"`
	Name      string            `json:"name" example:"social-square"`
	Width     *int64            `json:"width" doc:"Width in pixels; null if it follows from the height." example:"1080"`
	Height    *int64            `json:"height" doc:"Height in pixels; null if it follows from the width." example:"1080"`
	Fit       dam.Fit           `json:"fit" example:"cover"`
	Gravity   dam.Gravity       `json:"gravity" example:"focal"`
	Format    dam.PictureFormat `json:"format" example:"jpeg"`
	Quality   int               `json:"quality" doc:"Quality from 1 to 100." example:"82"`
	CreatedAt Time              `json:"created_at"`
	UpdatedAt Time              `json:"updated_at"`
}

func toPreset(p *dam.Preset) Preset {
	return Preset{ID: p.ID, Name: p.Name, Width: number(p.Width), Height: number(p.Height), Fit: p.Fit, Gravity: p.Gravity, Format: p.Format,
		Quality: p.Quality, CreatedAt: Time{p.CreatedAt}, UpdatedAt: Time{p.UpdatedAt}}
}

// PresetChanges are the writable members of a preset.
type PresetChanges struct {
	Name    Opt[string]            `json:"name,omitempty" nullable:"false" maxLength:"50" doc:"Name: lower-case letters, digits and hyphens."`
	Width   Opt[int]               `json:"width,omitempty" minimum:"1" maximum:"8192" example:"1920"`
	Height  Opt[int]               `json:"height,omitempty" minimum:"1" maximum:"8192" example:"1080"`
	Fit     Opt[dam.Fit]           `json:"fit,omitempty" example:"contain"`
	Gravity Opt[dam.Gravity]       `json:"gravity,omitempty" example:"focal"`
	Format  Opt[dam.PictureFormat] `json:"format,omitempty" example:"jpeg"`
	Quality Opt[int]               `json:"quality,omitempty" minimum:"1" maximum:"100" example:"82"`
}

func (c *PresetChanges) dam() *dam.PresetPatch {
	return &dam.PresetPatch{Name: c.Name.Opt, Width: c.Width.Opt, Height: c.Height.Opt, Fit: c.Fit.Opt, Gravity: c.Gravity.Opt,
		Format: c.Format.Opt, Quality: c.Quality.Opt}
}

type (
	// PresetInput names a preset in the path.
	PresetInput struct {
		Preset int64 `path:"preset" doc:"The preset's id." example:"1"`
	}
	createPresetInput struct {
		Body PresetChanges `contentType:"application/json"`
	}
	updatePresetInput struct {
		PresetInput
		ReturnedInput
		Body *PresetChanges `contentType:"application/json"`
	}
)

func (s *Server) presetRoutes() {
	presets := group{tag: "Pictures", path: "/presets"}
	register(s, presets.route("listPresets", "GET", "", "List presets", dam.AssetsRead), s.listPresets)
	register(s, presets.route("createPreset", "POST", "", "Create a preset", dam.SharesManage).creating().forAdmins(), s.createPreset)
	register(s, presets.route("showPreset", "GET", "/{preset}", "Show a preset", dam.AssetsRead), s.showPreset)
	registerPut(s, presets.route("updatePreset", "PUT", "/{preset}", "Update a preset", dam.SharesManage).forAdmins(),
		s.presetAsShown, s.updatePreset)
	registerChange(s, presets.route("deletePreset", "DELETE", "/{preset}", "Delete a preset", dam.SharesManage).forAdmins(),
		shownBy(s.showPreset), s.deletePreset)
}

func (s *Server) listPresets(ctx context.Context, in *PageInput) (*listOutput[Preset], error) {
	return pageAnswer(ctx, in, toPreset)(s.app.Definitions.Presets(ctx, requestOf(ctx).actor, in.page()))
}

func (s *Server) showPreset(ctx context.Context, in *PresetInput) (*oneOutput[Preset], error) {
	return answer(toPreset)(s.app.Definitions.Preset(ctx, requestOf(ctx).actor, in.Preset))
}

func (s *Server) createPreset(ctx context.Context, in *createPresetInput) (*created[Preset], error) {
	p := &dam.Preset{}
	if err := in.Body.dam().Apply(p); err != nil {
		return nil, err
	}
	if err := s.app.Definitions.CreatePreset(ctx, requestOf(ctx).actor, p); err != nil {
		return nil, err
	}
	return made(ctx, "/presets/"+itoa(p.ID), toPreset(p)), nil
}

func (s *Server) presetAsShown(ctx context.Context, in *updatePresetInput) (any, error) {
	p, err := s.app.Definitions.Preset(ctx, requestOf(ctx).actor, in.Preset)
	if err != nil {
		return nil, err
	}
	return toPreset(p), nil
}

func (s *Server) updatePreset(ctx context.Context, in *updatePresetInput) (*oneOutput[Preset], error) {
	patch := &dam.PresetPatch{}
	if in.Body != nil {
		patch = in.Body.dam()
	}
	return answer(toPreset)(s.app.Definitions.UpdatePreset(ctx, requestOf(ctx).actor, in.Preset, patch))
}

func (s *Server) deletePreset(ctx context.Context, in *PresetInput) (*messageOutput, error) {
	return done("Preset deleted.", s.app.Definitions.DeletePreset(ctx, requestOf(ctx).actor, in.Preset))
}
