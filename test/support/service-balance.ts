// Compares what the service logged and has with the ledger: what was lost, and what was made twice.
import type { Queryable } from '../../src/core/sql/database.ts';
import type { PanelCard, PanelContact, PanelRequest } from './panel.ts';

/** How often each text occurs. */
export function counted(all: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

export const twiceIn = (counts: ReadonlyMap<string, number>) =>
  [...counts].filter(([, count]) => count > 1).map(([each]) => each);

/** Number of answered calls by method, path and status, as the service logged them: `POST /v1/cards 201`. */
export function callsOfService(requests: readonly PanelRequest[]): Record<string, number> {
  const kinds = requests
    .filter(({ fault }) => fault === undefined)
    .map(({ method, path, status }) => `${method} ${path.replaceAll(/\/\d+(?=\/|$)/g, '/*')} ${status}`);
  return Object.fromEntries(counted(kinds));
}

/** The same by the call log of the ledger, once every process has ended. */
export async function callsOfLedger(db: Queryable): Promise<Record<string, number>> {
  const calls = await db.query<{ method: string; route: string; status: number }>(
    'select method, route, status from calls where status is not null',
  );
  const kinds = calls.map(
    ({ method, route, status }) => `${method} ${route.replaceAll(/\{\w+\}/g, '*')} ${status}`,
  );
  return Object.fromEntries(counted(kinds));
}

/** Calls that a shutdown ended before their answer, some of them before they reached the service. */
export async function abortedIn(db: Queryable): Promise<number> {
  return (await db.query('select 1 from calls where status is null')).length;
}

/** Work whose outcome nobody knows. */
export async function unknownIn(db: Queryable): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select ((select count(*) from run_records where status = 'unknown') +
             (select count(*) from events where outcome = 'unknown') +
             (select count(*) from intents where state <> 'done'))::int as n`,
  );
  return row?.n ?? Number.NaN;
}

export interface State {
  readonly contacts: readonly PanelContact[];
  readonly cards: readonly PanelCard[];
}

/**
 * People who have no card in the service, and people or cards that it has twice.
 * @param numbers of the people, as the service has them
 */
export function balanceOf({ contacts, cards }: State, numbers: readonly string[]) {
  const numberOf = new Map(contacts.map(({ id, number }) => [id, number]));
  const withCard = counted(cards.map(({ contactId }) => numberOf.get(contactId) ?? `contact ${contactId}`));
  const people = counted(contacts.map(({ number }) => number));
  return {
    lost: numbers.filter((number) => !withCard.has(number)),
    doubled: [...twiceIn(withCard), ...twiceIn(people)],
  };
}
