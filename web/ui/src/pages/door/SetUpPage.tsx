export { SetUp as default } from '~/features/session/SetUp'
