// The HTTP way in.

export type { HttpRoute } from './app.ts';
export { describeRoutes } from './openapi.ts';
export type { IngressReadiness } from './readiness.ts';
export { createHttpIngress, type HttpIngress } from './server.ts';
