// What an erasure did, in lines.

import type { Output } from '../../operator/contract/index.ts';
import type { Elsewhere } from '../../operator/contract/people.ts';
import { formatCount, formatMany } from '../lib/terminal/format.ts';

const PLACES: Readonly<Record<Elsewhere['place'], string>> = {
  contacts: 'contacts in the service, account',
  conversations: 'conversations in the service, account',
  cards: 'cards in the service, account',
  source: 'source',
  kafkaSink: 'sink',
  httpSink: 'sink',
  postgresSink: 'sink',
  sinkFile: 'file of sink',
  missingFile: 'file of sink',
  topic: 'Kafka topic',
  deadLetters: 'dead letters in',
  vacuum: 'files of PostgreSQL',
  backup: 'backups',
  callLog: 'call log',
  ledgerFiles: 'files of the ledger',
  exports: 'uploaded exports',
  sinkFiles: 'files of sinks',
  histories: 'histories',
};

export function describeErasure(erased: Output<'POST /people/{account}/{person}/erase'>): string[] {
  const { deleted, anonymized, optOutKept, sinkFiles, histories, elsewhere } = erased;
  const overwritten = sinkFiles.filter(({ events }) => events > 0);
  const kept =
    histories.left === 0
      ? ''
      : `, ${formatCount(histories.left)} left to Temporal's retention; they have hashes only`;
  return [
    `deleted: ${rowsOf(deleted)}`,
    `made anonymous: ${rowsOf(anonymized)}`,
    ...overwritten.map(
      ({ sink, events }) => `overwritten in the file of sink ${sink}: ${formatMany(events, 'event')}`,
    ),
    `histories in Temporal: ${formatCount(histories.deleted)} deleted${kept}`,
    optOutKept
      ? 'opt-out: kept under a keyed hash, so no campaign messages the person again'
      : 'opt-out: the person had none',
    '',
    'Sluice cannot erase the person from:',
    ...elsewhere.map(
      ({ place, name, ids, note }) =>
        `- ${PLACES[place]}${name === null ? '' : ` ${name}`}${ids.length === 0 ? '' : ` (${ids.join(', ')})`}: ${note}`,
    ),
  ];
}

function rowsOf(tables: Readonly<Record<string, number>>): string {
  const parts = Object.entries(tables).map(([table, rows]) => `${formatCount(rows)} ${table}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
