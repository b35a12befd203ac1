// Scopes of a token (API text, Authentication).

/** A write scope includes the matching read scope. */
export const SCOPES = [
  'conversations:read',
  'messages:read',
  'messages:send',
  'connections:read',
  'contacts:read',
  'contacts:write',
  'cards:read',
  'cards:write',
  'flows:trigger',
] as const;
export type Scope = (typeof SCOPES)[number];
