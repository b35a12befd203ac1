// What `sluice person erase` prints.
import { describe, expect, it } from 'vitest';
import { describeErasure } from '../../../../src/cli/person/describe-erasure.ts';

const NOTHING = {
  deleted: {},
  anonymized: {},
  optOutKept: false,
  sinkFiles: [],
  histories: { deleted: 0, left: 0 },
  elsewhere: [],
};

describe('an erasure', () => {
  it('says what went, what stayed, and where Sluice cannot reach', () => {
    const lines = describeErasure({
      deleted: { people: 1, outbox: 1200 },
      anonymized: { events: 2 },
      optOutKept: true,
      sinkFiles: [
        { sink: 'archive', events: 3 },
        { sink: 'empty', events: 0 },
      ],
      histories: { deleted: 2, left: 1 },
      elsewhere: [
        { place: 'contacts', name: 'acme', ids: [7, 8], note: 'they stay' },
        { place: 'source', name: 'crm', ids: [], note: 'the next sync adds them again' },
        { place: 'backup', name: null, ids: [], note: 'backups have the person' },
      ],
    });
    expect(lines).toEqual([
      'deleted: 1 people, 1,200 outbox',
      'made anonymous: 2 events',
      'overwritten in the file of sink archive: 3 events',
      "histories in Temporal: 2 deleted, 1 left to Temporal's retention; they have hashes only",
      'opt-out: kept under a keyed hash, so no campaign messages the person again',
      '',
      'Sluice cannot erase the person from:',
      '- contacts in the service, account acme (7, 8): they stay',
      '- source crm: the next sync adds them again',
      '- backups: backups have the person',
    ]);
  });

  it('of nothing says so', () => {
    expect(describeErasure(NOTHING).slice(0, 2)).toEqual(['deleted: nothing', 'made anonymous: nothing']);
  });
});
