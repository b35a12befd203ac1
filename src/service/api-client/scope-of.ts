// The permission that each call needs (API text, Authentication and Endpoints).
import type { Scope } from '../../core/scopes.ts';

const SCOPE_OF: Readonly<Record<string, Scope>> = {
  'GET /v1/conversations': 'conversations:read',
  'GET /v1/conversations/{ticketId}/messages': 'messages:read',
  'POST /v1/conversations/{ticketId}/messages': 'messages:send',
  'POST /v1/messages/send': 'messages:send',
  'GET /v1/messages/{messageId}/status': 'messages:read',
  'GET /v1/contacts': 'contacts:read',
  'POST /v1/contacts': 'contacts:write',
  'GET /v1/contacts/{contactId}': 'contacts:read',
  'PUT /v1/contacts/{contactId}': 'contacts:write',
  'PUT /v1/contacts/{contactId}/tags': 'contacts:write',
  'GET /v1/cards': 'cards:read',
  'POST /v1/cards': 'cards:write',
  'GET /v1/cards/{cardId}': 'cards:read',
  'PATCH /v1/cards/{cardId}/stage': 'cards:write',
  'GET /v1/tags': 'contacts:read',
  'GET /v1/pipelines': 'cards:read',
  'GET /v1/lost-reasons': 'cards:read',
  'GET /v1/connections': 'connections:read',
  'POST /v1/flows/trigger': 'flows:trigger',
};

/** @param path template, such as `/v1/cards/{cardId}` */
export function scopeOf(method: string, path: string): Scope {
  const scope = SCOPE_OF[`${method} ${path}`];
  if (scope === undefined) throw new Error(`no scope is known for ${method} ${path}`);
  return scope;
}
