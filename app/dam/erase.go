package dam

import "time"

// ErasedName is what stands in place of the name of somebody who was erased. The records
// check it.
const ErasedName = "Erased person"

// ErasedKind names what a person is taken out of.
type ErasedKind string

// What a person is taken out of.
const (
	ErasedConsents   ErasedKind = "consents"
	ErasedAccessLogs ErasedKind = "share_access_logs"
	ErasedVisits     ErasedKind = "share_visits"
	ErasedShareLists ErasedKind = "share_email_lists"
	ErasedFeedback   ErasedKind = "share_feedback"
	ErasedSearches   ErasedKind = "searches"
	ErasedAudit      ErasedKind = "audit_log"
	ErasedEvents     ErasedKind = "events"
	ErasedDeliveries ErasedKind = "webhook_deliveries"
	ErasedLabels     ErasedKind = "labels" // names and descriptions of what people have made for themselves
	ErasedWork       ErasedKind = "operations_and_jobs"
)

// Values lists what a person is taken out of.
func (ErasedKind) Values() []ErasedKind {
	return []ErasedKind{ErasedConsents, ErasedAccessLogs, ErasedVisits, ErasedShareLists, ErasedFeedback, ErasedSearches, ErasedAudit,
		ErasedEvents, ErasedDeliveries, ErasedLabels, ErasedWork}
}

// Erased is how many records of a kind a person is taken out of.
type Erased struct {
	Kind ErasedKind
	Rows int
}

// Named is where a person is still named, which is left as it is.
type Named struct {
	Column string // such as assets.creator
	Rows   int
}

// Erasure is what becomes, or has become, of what is kept about a person.
type Erasure struct {
	Email   string
	Account *User // with this address; nil for none
	Erased  []Erased
	Left    []Named
	At      *time.Time // when it was done; nil for a plan
}

// Rows returns how many records the person is taken out of.
func (e *Erasure) Rows() (n int) {
	for _, k := range e.Erased {
		n += k.Rows
	}
	return n
}
