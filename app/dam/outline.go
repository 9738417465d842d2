package dam

// Outline is the layout of a whole result in its order.
type Outline struct {
	Total int
	// Ratios are the aspect ratios of all assets, as width/height times 100; nil for very
	// large results.
	Ratios []int
	// Months are the months of a result sorted by a date; nil for other sorts.
	Months []Month
	// At is the zero-based index of the requested asset; -1 if it is not in the result.
	At int
}

// Month is the range of a result in one month.
type Month struct {
	Month string // "2026-03", in UTC; "" without a date
	Index int    // index of its first asset
	Count int
}
