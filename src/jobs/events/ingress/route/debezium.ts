// Reads change events that Debezium's JSON converter writes, with or without the envelope of schema and payload.
import { RefusedError } from '../intake.ts';
import type { Decoded } from './envelope.ts';
import { decodeText, isObject, type JsonObject, kindOf, parseJson } from './json.ts';

/** Operations that leave a row: insert, update, and the read of a snapshot. */
const ROWS = new Set(['c', 'u', 'r']);
/** Operations that leave no row. */
const NO_ROWS = new Map([
  ['d', 'a deletion'],
  ['t', 'a table was truncated'],
  ['m', 'a message in the database log without a row'],
]);

/**
 * The event is the row after the change. A deleted row causes nothing, because the service cannot delete.
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
  if (!ROWS.has(op)) throw refuse('"op" is not one of c, u, r, d, t and m');
  if (typeof after === 'string') {
    throw refuse('"after" is text, as the MongoDB connector writes it; Sluice reads only rows of tables');
  }
  if (!isObject(after))
    throw refuse(`"after" is ${after === undefined ? 'missing' : kindOf(after)}; a row is needed`);
  const about = { op, ts_ms, source: source ?? null, before: before ?? null };
  return { type: 'one', envelope: { root: after, about, keyed: false } };
}

/** A column could be named `payload`, so that key alone proves nothing. */
function isEnvelope(value: JsonObject): boolean {
  return Object.hasOwn(value, 'payload') && Object.hasOwn(value, 'schema') && !Object.hasOwn(value, 'op');
}

function hintAtForm(change: JsonObject): string {
  if (Object.hasOwn(change, 'after') || Object.hasOwn(change, 'source')) return '"op" is missing or not text';
  return (
    '"op" is missing: the value is a row flattened by ExtractNewRecordState, a heartbeat, or not a change event; ' +
    'remove that transformation from the connector, or set format: json if the topic has rows only'
  );
}

function refuse(problem: string): RefusedError {
  return new RefusedError('BAD_EVENT', 400, `Debezium: ${problem}`);
}
