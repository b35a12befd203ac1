import type { Role } from '../../core/endpoint.ts';

export type RoleName = Role;
/** As in the contract, whose constant would bring zod along. A type error here means that the contract changed. */
export const ROLE_ORDER = [
  'viewer',
  'editor',
  'operator',
  'approver',
  'admin',
] as const satisfies readonly Role[];
