package dam

// Outline is the shape of a whole result, in its order.
type Outline struct {
	Total int
	// Ratios are 100 times the width by the height of each asset; nil for a
	// result of very many assets.
	Ratios []int
	// Months are where the months begin, for a result that is sorted by a date;
	// else nil.
	Months []Month
	// At is the place of the asset that was asked for, from 0; -1 if the result
	// does not have it.
	At int
}

// Month is a part of a result.
type Month struct {
	Month string // "2026-03", in UTC; "" without a date
	Index int    // of its first asset
	Count int
}
