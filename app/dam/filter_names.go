package dam

import "slices"

// FilterFields returns the names of all fields that rules can be about, beside
// metadata.{key}, sorted.
func FilterFields() []string {
	names := make([]string, 0, len(filterFields))
	for name := range filterFields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// FilterOperators returns all operators of rules, in the order of the contract.
func FilterOperators() []FilterOperator { return allOperators() }
