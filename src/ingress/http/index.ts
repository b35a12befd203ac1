// The HTTP way in.

export { describeRoutes } from './openapi.ts';
export { createHttpIngress, type HttpIngress } from './server.ts';
