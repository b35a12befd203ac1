// Measures what faults cost: 1,000 people with a card each while 2 % of the calls fail, and while a worker is killed
// half way. The sandbox counts, and its accounts show duplicates and missing cards.
import type { BenchResult } from './bench.ts';
import { type Environment, openEnvironment, type Started } from './support/environment.ts';
import { readChain } from './support/histories.ts';
import { type LoggedCall, longestGap, round, timeOf, wasTaken } from './support/log.ts';
import { account, CONTACT_AND_CARD, people, peopleCsv } from './support/people.ts';

const PEOPLE = 1000;
const LIMIT = 1200;
/** One half has no effect, the other half no answer. */
const FAULTS = 0.02;
const SEED = 16;
/**
 * The last calls do not count towards a share. A card whose call failed is searched for until it would be visible, a
 * minute by default. If nothing else is left to do, that minute has no calls.
 */
const COUNTED = 0.95;
const MINUTES = 10;
const ASK_MS = 250;

interface Case {
  readonly name: string;
  readonly faults?: true;
  /** `readBack.settleSeconds` of the account. @default the service's */
  readonly settleSeconds?: number;
  readonly workers: number;
  /** Half way. A single worker is restarted. */
  readonly kill?: true;
}

const QUIET = 'without faults';
const FAULTY = '2 % of calls fail';

/** Cases of one group run side by side, each with servers and workers of its own. */
const GROUPS: readonly (readonly Case[])[] = [
  [
    { name: QUIET, workers: 1 },
    { name: FAULTY, workers: 1, faults: true },
  ],
  [
    { name: `${FAULTY}, settled after 2 s`, workers: 1, faults: true, settleSeconds: 2 },
    { name: 'worker killed and restarted', workers: 1, kill: true },
  ],
  [{ name: 'one of two workers killed', workers: 2, kill: true }],
];

interface Found {
  /** Share of the limit, until {@link COUNTED} of the calls. */
  readonly share: number;
  /** Share of the limit, from the first call to the last. */
  readonly whole: number;
  readonly figures: Record<string, number | string>;
}

export async function faults(say: (line: string) => void): Promise<BenchResult> {
  const all = new Map<Case, Found>();
  for (const group of GROUPS) {
    say(`side by side: ${group.map(({ name }) => name).join('; ')}`);
    // Waits for all, even if one fails, because each has processes to end.
    const settled = await Promise.allSettled(group.map((each) => runCase(each, say)));
    for (const [i, each] of settled.entries()) {
      if (each.status === 'rejected') throw each.reason;
      all.set(group[i] as Case, each.value);
    }
  }
  const quiet = [...all].find(([{ name }]) => name === QUIET)?.[1];
  const figures: Record<string, number | string> = {
    people: PEOPLE,
    'limit, calls/minute': LIMIT,
    'seed of the faults': SEED,
  };
  const goals: Record<string, { min?: number; max?: number }> = {};
  for (const [what, found] of all) {
    const named = (figure: string) => `${what.name}: ${figure}`;
    for (const [figure, value] of Object.entries(found.figures)) figures[named(figure)] = value;
    for (const figure of ['people missing', 'people twice', 'without a card', 'cards twice', 'unknown'])
      goals[named(figure)] = { max: 0 };
    if (what.kill) goals[named('longest time without a call, s')] = { max: 10 };
    if (what.faults !== true || quiet === undefined) continue;
    figures[named('used/used without faults')] = round(found.share / quiet.share);
    figures[named('used/used without faults, to the last call')] = round(found.whole / quiet.whole);
    goals[named('used/used without faults')] = { min: 0.97 };
  }
  return { figures, goals };
}

async function runCase(what: Case, say: (line: string) => void): Promise<Found> {
  const { settleSeconds } = what;
  const environment = await openEnvironment({
    accounts: [
      {
        id: 'acme',
        fixture: account('acme'),
        config: {
          callsPerMinute: LIMIT,
          ...(settleSeconds && { assumptions: { 'readBack.settleSeconds': settleSeconds } }),
        },
      },
    ],
    rate: LIMIT,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_AND_CARD },
      syncs: { people: { account: 'acme', source: 'people', mapping: 'people' } },
    },
    files: { 'people.csv': peopleCsv(people(PEOPLE)) },
    minutes: MINUTES,
    say: (line) => say(`${what.name}: ${line}`),
  });
  try {
    if (what.faults) {
      // The second fault applies to the calls that the first lets pass.
      const probability = FAULTS / 2;
      await environment.panel('/faults', { kind: 'status', status: 500, probability, seed: SEED });
      await environment.panel('/faults', { kind: 'reset-after', probability, seed: SEED + 1 });
    }
    const workers = await Promise.all(Array.from({ length: what.workers }, () => environment.worker()));
    const run = await environment.start('acme', 'people');
    if (what.kill) {
      await environment.until(
        async () => ((await environment.requests(0)).length >= PEOPLE ? true : null),
        ASK_MS,
      );
      const busy = await busyWorker(environment, run);
      const victim = workers.find(({ pid }) => busy.startsWith(`${pid}@`));
      if (victim === undefined) throw new Error(`${busy} is none of the worker processes`);
      await victim.kill('SIGKILL');
      say(`${what.name}: half way, the worker is killed`);
      if (what.workers === 1) await environment.worker();
    }
    const { unknown } = await environment.result(run.handle);
    const calls = await environment.requests(0);
    const found = { ...evaluate(calls), state: await stateOf(environment) };
    const figures = { ...found.figures, ...found.state, unknown };
    say(`${what.name}: ${JSON.stringify(figures)}`);
    return { share: found.share, whole: found.whole, figures };
  } finally {
    await environment.close();
  }
}

/** The process that runs an activity, else the one that has the workflow in memory: `PID@HOST`. */
async function busyWorker({ client }: Environment, { handle, firstRunId }: Started): Promise<string> {
  const { pendingActivities } = (await handle.describe()).raw;
  const at = pendingActivities?.find(({ lastStartedTime }) => lastStartedTime)?.lastWorkerIdentity;
  return at || (await readChain(client, handle.workflowId, firstRunId)).carrier;
}

function evaluate(calls: readonly LoggedCall[]): Found {
  const times = calls
    .filter(wasTaken)
    .map(timeOf)
    .sort((a, b) => a - b);
  const share = (count: number) => {
    const seconds = ((times[count - 1] as number) - (times[0] as number)) / 1000;
    return count / ((LIMIT / 60) * seconds);
  };
  const counted = Math.floor(times.length * COUNTED);
  const seconds = ((times.at(-1) as number) - (times[0] as number)) / 1000;
  return {
    share: share(counted),
    whole: share(times.length),
    figures: {
      calls: times.length,
      'failed calls': calls.filter(({ status }) => status >= 500).length,
      429: calls.length - times.length,
      'seconds from the first call to the last': round(seconds, 1),
      'used/allowed': round(share(counted)),
      'used/allowed, to the last call': round(share(times.length)),
      'longest time without a call, s': round(longestGap(times.slice(0, counted)), 1),
    },
  };
}

async function stateOf(environment: Environment): Promise<Record<string, number>> {
  const { contacts, cards } = (await environment.account('acme')) as {
    contacts: { id: number; number: string }[];
    cards: { contactId: number }[];
  };
  const numbers = new Set(contacts.map(({ number }) => number));
  const carded = new Set(cards.map(({ contactId }) => contactId));
  return {
    'people missing': PEOPLE - numbers.size,
    'people twice': contacts.length - numbers.size,
    'without a card': contacts.filter(({ id }) => !carded.has(id)).length,
    'cards twice': cards.length - carded.size,
  };
}
