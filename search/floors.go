package search

import (
	"context"
	"math"
)

// floors are the cosines from which a meaning counts; see helpDeviations.
type floors struct{ enough, help float32 }

func newFloors(q []float32, unrelated [][]float32) floors {
	var sum, squares float64
	for _, b := range unrelated {
		c := float64(dot(q, b))
		sum += c
		squares += c * c
	}
	n := float64(len(unrelated))
	mean := sum / n
	deviation := math.Sqrt(max(0, squares/n-mean*mean))
	return floors{float32(mean + enoughDeviations*deviation), float32(mean + helpDeviations*deviation)}
}

// unrelated returns the vectors of unrelatedTexts.
func (v *vectors) unrelated(ctx context.Context) ([][]float32, error) {
	v.mu.RLock()
	list := v.background
	v.mu.RUnlock()
	if list != nil {
		return list, nil
	}
	list, err := v.embedder.Embed(ctx, unrelatedTexts())
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.background = list
	return list, nil
}

// unrelatedTexts are short texts about many different things.
func unrelatedTexts() []string {
	return []string{
		"a red bicycle leaning on a wall", "quarterly sales report", "two dogs playing in the snow", "portrait of an old man",
		"city skyline at night", "a bowl of fruit on a kitchen table", "wedding couple in a garden", "company logo on white",
		"mountain lake in autumn", "children in a classroom", "invoice for office furniture", "football players on a field",
		"a cat asleep on a sofa", "construction site with cranes", "concert crowd and stage lights", "map of the underground",
		"doctor with a patient", "beach with palm trees", "old wooden boat in the harbour", "screenshot of a web page",
		"airplane taking off", "close-up of a circuit board", "horse jumping a fence", "snow on a forest path",
		"woman speaking at a conference", "product photo of running shoes", "birthday cake with candles",
		"train arriving at the station", "abstract pattern of blue lines", "castle on a hill",
		"user manual for a washing machine", "people waiting for a bus", "fields of yellow flowers",
		"satellite picture of a storm", "chef cutting vegetables", "interview recorded in a studio",
		"bridge over a river in fog", "baby holding a toy", "meeting minutes of the board", "fireworks above the sea",
		"empty street in the rain", "ancient statue in a museum", "bird feeding its young", "glass of wine at sunset",
		"motorcycle race", "terms and conditions", "library full of books", "sheep on a green meadow",
	}
}
