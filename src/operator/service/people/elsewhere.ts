// The places that may have something of a person and that Sluice cannot reach, so that whoever erases a person knows
// what is left to do.
import { join } from 'node:path';
import type { Config } from '../../../config/schema/config.ts';
import type { Database } from '../../../core/sql/database.ts';
import type { Erasure } from '../../../protect/person/erase-person.ts';
import type { Elsewhere } from '../../contract/people.ts';

const SERVICE_NOTES = {
  contacts: 'its API cannot delete contacts; a campaign may read them again',
  conversations: 'its API cannot delete conversations; a poller reads them again when the person writes',
  cards: 'its API cannot delete cards',
} as const;

/** The steps after the ledger. */
export const STEPS = {
  callLog: 'the call log',
  ledgerFiles: 'the files of the ledger',
  exports: 'uploaded exports and results of dry runs',
  sinkFiles: 'the files of sinks',
  histories: 'Temporal',
} as const;
export type Step = keyof typeof STEPS;

interface Facts {
  readonly account: string;
  readonly known: Erasure['known'];
  /** What failed after the ledger was done. */
  readonly failures: readonly Step[];
  readonly database: Database['kind'];
  /** JSONL sinks whose file is not on this machine. */
  readonly missingFiles: readonly string[];
}

const SINKS = {
  kafka: ['kafkaSink', 'the topic has the events of the person; Kafka cannot change records'],
  http: ['httpSink', 'its receiver has the events of the person'],
  postgres: ['postgresSink', 'its table has the events of the person; delete the rows by partitionkey'],
} as const;

export function elsewhere(config: Config, facts: Facts): Elsewhere[] {
  const { failures, database } = facts;
  return [
    ...failures.map((step) =>
      place(step, null, `erasing from ${STEPS[step]} failed; the log has the reason`),
    ),
    ...inService(facts),
    ...inSources(config, facts),
    ...inSinks(config, facts),
    ...inTopics(config, facts),
    ...(database === 'postgres'
      ? [
          place(
            'vacuum',
            null,
            'PostgreSQL removes the old rows from its files with the next vacuum, and from its log when it recycles it',
          ),
        ]
      : []),
    place('backup', null, 'backups that you made of the ledger and of files have the person'),
  ];
}

function inService({ account, known }: Facts): Elsewhere[] {
  const kinds = ['contacts', 'conversations', 'cards'] as const;
  return kinds.flatMap((kind) => {
    const ids = [...known[kind]];
    if (ids.length === 0) return [];
    return [{ place: kind, name: account, ids, note: SERVICE_NOTES[kind] }];
  });
}

function inSources({ syncs, sources }: Config, { account }: Facts): Elsewhere[] {
  const names = new Set(
    Object.values(syncs)
      .filter((sync) => sync.account === account)
      .map(({ source }) => source),
  );
  return [...names].map((name) => {
    const source = sources[name];
    const isKept = source?.type === 'csv' && source.path.endsWith(join('data', `${name}.csv`));
    const earlier = isKept ? '; the earlier files beside it, which uploads replaced, may have them too' : '';
    return place('source', name, `if the source has the person, the next sync adds them again${earlier}`);
  });
}

function inSinks({ accounts, sinks }: Config, { account, known, missingFiles }: Facts): Elsewhere[] {
  if (known.conversations.length === 0) return [];
  const names = new Set(accounts[account]?.announce.map(({ sink }) => sink));
  return [...names].flatMap((name) => {
    const type = sinks[name]?.type;
    if (type === undefined) return [];
    if (type !== 'jsonl') return [place(SINKS[type][0], name, SINKS[type][1])];
    if (missingFiles.includes(name))
      return [place('missingFile', name, 'its file is not on this machine; erase the person there')];
    return [
      place(
        'sinkFile',
        name,
        'copies of the file, and files that were moved away, have the events of the person',
      ),
    ];
  });
}

function inTopics({ routes, ingress }: Config, { account }: Facts): Elsewhere[] {
  const read = Object.values(routes).flatMap((route) =>
    route.account === account && route.kafka !== undefined ? [route.kafka] : [],
  );
  const topics = new Set(read.flatMap((kafka) => kafka.topics));
  const dead = new Set(read.flatMap(({ cluster }) => ingress.kafka[cluster]?.deadLetters ?? []));
  return [
    ...[...topics].map((name) =>
      place('topic', name, 'Kafka cannot change records; they end with its retention'),
    ),
    ...[...dead].map((name) =>
      place(
        'deadLetters',
        name,
        'a dead letter is a record of Kafka; it ends with the retention of the topic',
      ),
    ),
  ];
}

function place(kind: Elsewhere['place'], name: string | null, note: string): Elsewhere {
  return { place: kind, name, ids: [], note };
}
