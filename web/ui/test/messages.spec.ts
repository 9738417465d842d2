import { expect, test } from '@playwright/test'
import { besideField } from '../src/api/client'

for (const [message, text] of [
  ['The max views field must be at least 1.', 'Must be at least 1.'],
  ['The name field is required.', 'Required.'],
  ['access.max_views must be at least 1.', 'Must be at least 1.'],
  ['expires_at must be in the future.', 'Must be in the future.'],
  ['The password must be 10 to 200 characters long.', 'The password must be 10 to 200 characters long.'],
  ['There is no field x.', 'There is no field x.'],
] as const)
  test(`beside its field: ${message}`, () => expect(besideField(message)).toBe(text))
