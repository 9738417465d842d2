package web

import "github.com/digital-asset-library/dal/app/dam"

// Location is a geographic location.
type Location struct {
	Latitude  *float64 `json:"latitude" minimum:"-90" maximum:"90" doc:"Latitude in degrees (WGS 84); north is positive." example:"53.5436"`
	Longitude *float64 `json:"longitude" minimum:"-180" maximum:"180" doc:"Longitude in degrees (WGS 84); east is positive." example:"9.9669"`
	Place     *string  `json:"place" doc:"Name of the place." example:"Hamburg, Germany"`
}

func toLocation(l *dam.Location) Location { return Location{l.Latitude, l.Longitude, text(l.Place)} }

// LocationChanges are the members of a location that a client can change.
type LocationChanges struct {
	Latitude  Opt[float64] `json:"latitude,omitempty" minimum:"-90" maximum:"90" doc:"Latitude; requires longitude." example:"53.5436"`
	Longitude Opt[float64] `json:"longitude,omitempty" minimum:"-180" maximum:"180" doc:"Longitude; requires latitude." example:"9.9669"`
	Place     Opt[string]  `json:"place,omitempty" doc:"Up to 1000 characters." example:"Hamburg, Germany"`
}

func (c LocationChanges) dam() dam.LocationPatch {
	return dam.LocationPatch{Latitude: c.Latitude.Opt, Longitude: c.Longitude.Opt, Place: c.Place.Opt}
}

// FocalPoint is the point of a picture that every crop should include.
type FocalPoint struct {
	X float64 `json:"x" minimum:"0" maximum:"1" doc:"Distance from the left, as a fraction of the width." example:"0.5"`
	Y float64 `json:"y" minimum:"0" maximum:"1" doc:"Distance from the top, as a fraction of the height." example:"0.33"`
}

func toFocalPoint(p *dam.FocalPoint) FocalPoint { return FocalPoint(*p) }

func (p FocalPoint) dam() dam.FocalPoint { return dam.FocalPoint(p) }
