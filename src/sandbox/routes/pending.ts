// Endpoints of the API text that the sandbox does not serve yet: they check token and scope, then answer 501.
import type { Route } from '../route.ts';

export const pendingRoutes: readonly Route[] = [
  { method: 'get', path: '/v1/conversations', scope: 'conversations:read', handle: null },
  { method: 'get', path: '/v1/conversations/:ticketId/messages', scope: 'messages:read', handle: null },
  { method: 'post', path: '/v1/conversations/:ticketId/messages', scope: 'messages:send', handle: null },
  { method: 'get', path: '/v1/messages/:messageId/status', scope: 'messages:read', handle: null },
  { method: 'post', path: '/v1/messages/send', scope: 'messages:send', handle: null },
  { method: 'post', path: '/v1/flows/trigger', scope: 'flows:trigger', handle: null },
];
