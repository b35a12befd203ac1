// The HTTP way in.
export type { HttpRoute } from './app.ts';
export { SecretError } from './auth/claim.ts';
export type { HttpLog } from './log.ts';
export { describeRoutes } from './openapi.ts';
export { createHttpIngress, type HttpIngress, type HttpIngressOptions } from './server.ts';
