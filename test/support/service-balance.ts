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

/**
 * Compares the calls that the service answered with the call log of the ledger, once every process has ended. An answer that
 * was on its way when a shutdown ended its call has no status in the log.
 * @returns what differs, by method, path and status: `POST /v1/cards 201: 12 answered, 11 logged`
 */
export async function unloggedCalls(db: Queryable, requests: readonly PanelRequest[]): Promise<string[]> {
  const service = counted(
    requests
      .filter(({ fault }) => fault === undefined)
      .map(({ method, path, status }) => `${method} ${path.replaceAll(/\/\d+(?=\/|$)/g, '/*')} ${status}`),
  );
  const calls = await db.query<{ method: string; route: string; status: number | null }>(
    'select method, route, status from calls',
  );
  const nameOf = ({ method, route }: (typeof calls)[number]) =>
    `${method} ${route.replaceAll(/\{\w+\}/g, '*')}`;
  const logged = counted(
    calls.flatMap((call) => (call.status === null ? [] : `${nameOf(call)} ${call.status}`)),
  );
  const aborted = counted(calls.filter(({ status }) => status === null).map(nameOf));
  return [...new Set([...service.keys(), ...logged.keys()])].flatMap((kind) => {
    const [made = 0, known = 0] = [service.get(kind), logged.get(kind)];
    const spare = aborted.get(kind.replace(/ \d+$/, '')) ?? 0;
    return made >= known && made - known <= spare ? [] : `${kind}: ${made} answered, ${known} logged`;
  });
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
