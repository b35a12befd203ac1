import { describe, expect, it } from 'vitest';
import { idOf, kafka, refusal, scripted, viewOf } from './support.ts';

const SOURCE = {
  version: '3.3.1.Final',
  connector: 'postgresql',
  name: 'crm',
  ts_ms: 1_732_190_400_000,
  snapshot: 'false',
  db: 'crm',
  sequence: '[null,"24023128"]',
  schema: 'public',
  table: 'leads',
  txId: 555,
  lsn: 24_023_128,
};
const ROW = { id: 7, phone: '5511987654321', event_id: 'a column', op: 'too', payload: null };
const change = (op: string, over: object = {}) => ({
  before: null,
  after: ROW,
  source: SOURCE,
  transaction: null,
  op,
  ts_ms: 1_732_190_400_142,
  ts_us: 1_732_190_400_142_000,
  ...over,
});
const enveloped = (payload: unknown) => ({
  schema: { type: 'struct', name: 'crm.public.leads.Envelope' },
  payload,
});
const options = { format: 'debezium' } as const;
const { route } = scripted(options);

describe('rows', () => {
  it.each(['c', 'u', 'r'])(
    'the row after "%s" is the event, with the envelope of the converter or without',
    async (op) => {
      const before = { id: 7, phone: '5511000000000' };
      for (const body of [change(op, { before }), enveloped(change(op, { before }))]) {
        const { $event, ...row } = await viewOf(options, kafka(body));
        expect(row).toEqual(ROW);
        expect($event).toEqual({
          op,
          ts_ms: 1_732_190_400_142,
          source: SOURCE,
          before,
          topic: 'leads',
          offset: 7,
        });
      }
    },
  );

  it('events are ordered by what the database says of the change', async () => {
    for (const [order, rank] of [
      ['$event.ts_ms', 1_732_190_400_142],
      ['$event.source.lsn', 24_023_128],
    ] as const) {
      const { drafts } = await scripted({ ...options, order }).route.read(kafka(change('u')));
      expect(drafts[0]?.rank).toBe(rank);
    }
  });

  it('two changes of a row are two events, whatever its columns are called', async () => {
    const first = await idOf(route, kafka(change('u'), {}, 1));
    expect(await idOf(route, kafka(change('u'), {}, 2))).not.toBe(first);
    expect(await idOf(route, kafka(change('u'), {}, 1))).toBe(first);
    const keyed = scripted({ ...options, key: '$event.source.lsn' }).route;
    expect(await idOf(keyed, kafka(change('u'), {}, 1))).toBe(await idOf(keyed, kafka(change('u'), {}, 2)));
  });

  it('the schema of a route is that of the row', async () => {
    const strict = scripted({
      ...options,
      schema: { required: ['phone'], properties: { phone: { type: 'integer' } } },
    });
    expect(await refusal(strict.route, kafka(change('c')))).toMatchObject({
      code: 'SCHEMA',
      problems: [{ field: 'phone' }],
    });
  });
});

describe('nothing to do', () => {
  it.each([
    ['d', 'deletion'],
    ['t', 'truncated'],
    ['m', 'without a row'],
  ])('"%s" makes nothing happen, and is no error', async (op, why) => {
    for (const body of [change(op, { after: null }), enveloped(change(op, { after: null }))]) {
      const read = await route.read(kafka(body));
      expect(read.drafts).toEqual([]);
      expect(read.skipped).toContain(why);
    }
  });

  it.each(['', 'null', JSON.stringify(enveloped(null))])(
    'the tombstone %j makes nothing happen',
    async (body) => {
      expect(await route.read(kafka(body))).toMatchObject({
        drafts: [],
        skipped: expect.stringContaining('tombstone'),
      });
    },
  );

  it.each(['auto', 'json', 'cloudevents'] as const)(
    'FAULTS 37: with format %s a tombstone is refused',
    async (format) => {
      const refused = await refusal(scripted({ format }).route, kafka(''));
      expect(refused).toMatchObject({ code: 'TOMBSTONE', status: 400 });
    },
  );
});

describe('FAULTS 37: what is no change event is refused, with what to do about it', () => {
  it.each<[string, unknown, string]>([
    [
      'a row that was flattened',
      { id: 7, phone: '5511987654321', __op: 'u', __deleted: 'false' },
      'ExtractNewRecordState',
    ],
    ['a flattened row in the envelope', enveloped({ id: 7 }), 'ExtractNewRecordState'],
    ['a heartbeat', { ts_ms: 1 }, 'heartbeat'],
    ['an unknown operation', change('x'), '"op"'],
    ['an operation that is no text', change('c', { op: 1 }), '"op"'],
    ['a row that is missing', change('c', { after: undefined }), '"after" is missing'],
    ['a row that is null', change('u', { after: null }), '"after" is null'],
    ['a document of MongoDB', change('u', { after: '{"_id":7}' }), 'MongoDB'],
    ['a list', [change('c')], 'a list'],
    ['a text', '5511987654321', 'a text'],
  ])('%s', async (_, body, hint) => {
    const refused = await refusal(route, kafka(JSON.stringify(body)));
    expect(refused).toMatchObject({ code: 'BAD_EVENT', status: 400 });
    expect(refused.message).toContain(hint);
    expect(refused.message).not.toContain('5511987654321');
  });

  it('bytes of Avro are no JSON', async () => {
    const avro = Buffer.from([0, 0, 0, 0, 1, 2, 14, 0x7b]);
    expect(await refusal(route, kafka(avro))).toMatchObject({ code: 'BAD_JSON' });
  });
});
