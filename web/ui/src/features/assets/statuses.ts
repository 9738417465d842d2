import type { Schemas } from '~/api/client'
import type { Language } from '~/text/catalogue'

type Status = Schemas['WorkflowStatus']

/** The names of the workflow states, in order. */
export const statusNames = {
  en: {
    draft: 'Draft',
    in_review: 'In review',
    approved: 'Approved',
    rejected: 'Rejected',
    archived: 'Archived',
  },
  de: {
    draft: 'Entwurf',
    in_review: 'In Prüfung',
    approved: 'Freigegeben',
    rejected: 'Abgelehnt',
    archived: 'Archiviert',
  },
} satisfies Record<Language, Record<Status, string>>

/** The workflow states, in order. */
export const statuses = Object.keys(statusNames.en) as Status[]
