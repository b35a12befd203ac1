// Who may approve whose plans: users who may approve a plan now, and users who have to wait.
import { ROLES, type Role } from '../../../core/endpoint.ts';
import type { Database, Queryable } from '../../../core/sql/database.ts';
import { type PlanToApprove, ruleOfTwo } from './second-person.ts';
import { overlapOf, readTakeovers, USER } from './takeovers.ts';
import type { UserRow } from './users.ts';

const rolesFrom = (least: Role) => ROLES.slice(ROLES.indexOf(least));
const APPROVE = rolesFrom('approver');
const PLAN = rolesFrom('operator');
/** Users that are asked about. */
const MOST = 1000;

/** From when a user may approve plans of these users. */
export interface ApprovalWait {
  readonly from: string;
  /** Names of users. */
  readonly plansOf: string[];
}

/** @returns what a user has to wait for, the soonest first; nothing for users who approve no plans at all */
export async function readApprovalWaits(
  tx: Queryable,
  kind: Database['kind'],
): Promise<(user: Pick<UserRow, 'name' | 'role' | 'disabledAt'>) => ApprovalWait[]> {
  const takeovers = await readTakeovers(tx, kind);
  const authors = takeovers.length === 0 ? [] : await activeUsers(tx, PLAN);
  return ({ name, role, disabledAt }) => {
    if (!APPROVE.includes(role) || disabledAt !== null) return [];
    const waits = new Map<string, string[]>();
    for (const author of authors) {
      if (author === name) continue;
      const overlap = overlapOf(USER + name, [USER + author], takeovers);
      if (overlap !== null) waits.set(overlap.until, [...(waits.get(overlap.until) ?? []), author]);
    }
    return [...waits]
      .map(([from, plansOf]) => ({ from, plansOf }))
      .sort((a, b) => a.from.localeCompare(b.from));
  };
}

export interface Approvers {
  /** Names of users who may approve the plan now. */
  readonly approvers: readonly string[];
  /** When the next user may. Null: nobody has to wait only. */
  readonly from: string | null;
}

/** Users who may approve a plan by their role and by the rule of two. */
export async function readApprovers(
  tx: Queryable,
  kind: Database['kind'],
  plan: PlanToApprove,
): Promise<Approvers> {
  const doubtOf = await ruleOfTwo(tx, kind, plan);
  const approvers: string[] = [];
  const waiting: string[] = [];
  for (const name of await activeUsers(tx, APPROVE)) {
    const doubt = doubtOf(USER + name);
    if (doubt === null) approvers.push(name);
    else if (doubt.from !== null) waiting.push(doubt.from);
  }
  return { approvers, from: waiting.sort()[0] ?? null };
}

async function activeUsers(tx: Queryable, roles: readonly Role[]): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    'select name from users where disabled_at is null and role = any($1) order by name limit $2',
    [roles, MOST],
  );
  return rows.map(({ name }) => name);
}
