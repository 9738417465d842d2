import {
  Activity,
  BookA,
  Crop,
  Handshake,
  Image,
  ListChecks,
  ScrollText,
  Shapes,
  Users,
  Webhook,
} from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'

interface Place {
  /** The page's path below /admin, and its key in the texts. */
  name:
    | 'users'
    | 'fields'
    | 'vocabularies'
    | 'classes'
    | 'presets'
    | 'site'
    | 'webhooks'
    | 'consents'
    | 'audit'
    | 'status'
  icon: ReactNode
  load: () => Promise<{ default: ComponentType }>
}

/** The administration pages, in order. */
export const places: readonly Place[] = [
  { name: 'users', icon: <Users />, load: () => import('./UsersPage') },
  { name: 'fields', icon: <ListChecks />, load: () => import('./FieldsPage') },
  { name: 'vocabularies', icon: <BookA />, load: () => import('./VocabulariesPage') },
  { name: 'classes', icon: <Shapes />, load: () => import('./ClassesPage') },
  { name: 'presets', icon: <Crop />, load: () => import('./PresetsPage') },
  { name: 'site', icon: <Image />, load: () => import('./SitePage') },
  { name: 'webhooks', icon: <Webhook />, load: () => import('./WebhooksPage') },
  { name: 'consents', icon: <Handshake />, load: () => import('./ConsentsPage') },
  { name: 'audit', icon: <ScrollText />, load: () => import('./AuditPage') },
  { name: 'status', icon: <Activity />, load: () => import('./StatusPage') },
]
