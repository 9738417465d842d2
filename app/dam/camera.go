package dam

import (
	"strconv"
	"strings"
)

// Orientation is the orientation of an asset's picture.
type Orientation string

// The orientations.
const (
	Landscape Orientation = "landscape"
	Portrait  Orientation = "portrait"
	Square    Orientation = "square"
)

// Values lists the orientations.
func (Orientation) Values() []Orientation { return []Orientation{Landscape, Portrait, Square} }

// OrientationOf returns the orientation of a size, "" if a side is unknown.
func OrientationOf(width, height int64) Orientation {
	switch {
	case width <= 0 || height <= 0:
		return ""
	case width > height:
		return Landscape
	case width < height:
		return Portrait
	}
	return Square
}

// CameraPaths returns the JSON paths of a filterable camera field in the technical metadata
// of an asset, or nil for another field. CameraValue converts the values at these paths.
func CameraPaths(field string) []string {
	switch field {
	case "camera":
		return []string{"$.exif.Make", "$.exif.Model", "$.video.make", "$.video.model"}
	case "lens":
		return []string{"$.exif.LensModel"}
	case "iso":
		return []string{"$.exif.ISO"}
	case "focal_length":
		return []string{"$.exif.FocalLength"}
	}
	return nil
}

// CameraValue returns the value of a field, a string or a float64, from the values at its
// CameraPaths; nil for none.
func CameraValue(field string, found []any) any {
	text := func(i int) string {
		s, _ := found[i].(string)
		return cut(strings.Join(strings.Fields(s), " "), MaxLine)
	}
	switch field {
	case "camera":
		maker, model := text(0), text(1)
		if maker+model == "" {
			maker, model = text(2), text(3)
		}
		return textOrNil(cameraName(maker, model))
	case "lens":
		return textOrNil(text(0))
	}
	if n, ok := found[0].(float64); ok && n > 0 {
		return n
	}
	over, under, isRatio := strings.Cut(text(0), "/")
	n, err := strconv.ParseFloat(over, 64)
	if isRatio && err == nil {
		var d float64
		d, err = strconv.ParseFloat(under, 64)
		n /= d // the result of a division by zero is rejected below
	}
	if err != nil || !(n > 0) || n > 1e9 {
		return nil
	}
	return n
}

// cameraName joins the maker and the model, unless the model already starts with the
// maker's first word.
func cameraName(maker, model string) string {
	first, _, _ := strings.Cut(maker, " ")
	if model == "" || maker == "" || strings.HasPrefix(strings.ToLower(model), strings.ToLower(first)) {
		if model == "" {
			return maker
		}
		return model
	}
	return maker + " " + model
}

func textOrNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
