// Change events of Debezium, as its JSON converter writes them: with or without the envelope of schema and payload.
import { RefusedError } from '../intake.ts';
import type { Decoded } from './envelope.ts';
import { decodeText, isObject, type JsonObject, kindOf, parseJson } from './json.ts';

/** Operations that leave a row behind: insert, update, and the read of a snapshot. */
const ROWS = new Set(['c', 'u', 'r']);
/** Those that leave none. */
const NO_ROWS = new Map([
  ['d', 'a deletion'],
  ['t', 'a table was emptied'],
  ['m', 'a message of the database log, no row'],
]);

/**
 * The row after the change is the event. Rows that vanish make nothing happen: the service has no deletion.
 * @throws RefusedError `BAD_EVENT`
 */
export function decodeDebezium(body: Uint8Array): Decoded {
  if (body.length === 0) return { type: 'skipped', why: 'the tombstone behind a deletion' };
  const value = parseJson(decodeText(body));
  const change = isObject(value) && isEnvelope(value) ? value.payload : value;
  if (change === null) return { type: 'skipped', why: 'the tombstone behind a deletion' };
  if (!isObject(change)) throw refuse(`the value is ${kindOf(change)}; a change event is an object`);

  const { op, before, after, source, ts_ms } = change;
  if (typeof op !== 'string') throw refuse(hintAtForm(change));
  const vanished = NO_ROWS.get(op);
  if (vanished !== undefined) return { type: 'skipped', why: vanished };
  if (!ROWS.has(op)) throw refuse('"op" is none of c, u, r, d, t and m');
  if (typeof after === 'string') {
    throw refuse('"after" is a text, as the connector of MongoDB writes it; only rows of tables can be read');
  }
  if (!isObject(after))
    throw refuse(`"after" is ${after === undefined ? 'missing' : kindOf(after)}; a row is needed`);
  const about = { op, ts_ms, source: source ?? null, before: before ?? null };
  return { type: 'one', envelope: { root: after, about, keyed: false } };
}

/** `payload` alone could be a column. */
function isEnvelope(value: JsonObject): boolean {
  return Object.hasOwn(value, 'payload') && Object.hasOwn(value, 'schema') && !Object.hasOwn(value, 'op');
}

function hintAtForm(change: JsonObject): string {
  if (Object.hasOwn(change, 'after') || Object.hasOwn(change, 'source')) return '"op" is missing, or no text';
  return (
    'there is no "op": a row flattened by ExtractNewRecordState, a heartbeat, or no change event at all; ' +
    'take that transformation out of the connector, or write format: json if the topic has rows only'
  );
}

function refuse(problem: string): RefusedError {
  return new RefusedError('BAD_EVENT', 400, `Debezium: ${problem}`);
}
