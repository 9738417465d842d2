export { Accept as default } from '~/features/session/Accept'
