// Detects the form of a delivery and decodes it.
import type { RouteKafka } from '../../config.ts';
import { type Delivery, RefusedError } from '../intake.ts';
import {
  claimedMode,
  cloudEventMode,
  decodeCloudEvents,
  decodeStructured,
  isCloudEvent,
  isWholeCloudEvent,
} from './cloudevents.ts';
import { decodeDebezium } from './debezium.ts';
import type { Decoded } from './envelope.ts';
import { decodeText, isObject, kindOf, parseJson } from './json.ts';

/**
 * @param format of the route's topics; `auto` for HTTP
 * @throws RefusedError `BAD_ENCODING`, `BAD_JSON`, `TOO_DEEP`, `BAD_EVENT`, `TOMBSTONE`
 */
export function decode(delivery: Delivery, format: RouteKafka['format']): Decoded {
  if (format === 'debezium') return decodeDebezium(delivery.body);
  if (delivery.via === 'kafka' && delivery.body.length === 0) {
    const reason =
      'the record has no value (a tombstone, which marks a deletion); the formats json and cloudevents do not support it';
    throw new RefusedError('TOMBSTONE', 400, reason);
  }
  if (delivery.signature?.trustHeaders === false) return decodeSigned(delivery);
  const mode = format === 'json' ? null : cloudEventMode(delivery);
  if (mode !== null || format === 'cloudevents') return decodeCloudEvents(delivery, mode);
  const body = parseJson(decodeText(delivery.body));
  if (format === 'auto' && isWholeCloudEvent(body)) return { type: 'one', envelope: decodeStructured(body) };
  return plain(body);
}

/** A signed body decides its own form: a CloudEvent stays one under any content type that Sluice reads as JSON. */
function decodeSigned(delivery: Delivery): Decoded {
  const claimed = claimedMode(delivery);
  if (claimed !== null) return decodeCloudEvents(delivery, claimed);
  const body = parseJson(decodeText(delivery.body));
  return isCloudEvent(body) ? { type: 'one', envelope: decodeStructured(body) } : plain(body);
}

function plain(root: unknown): Decoded {
  if (!isObject(root)) {
    throw new RefusedError('BAD_JSON', 400, `the event is ${kindOf(root)}; send one JSON object`);
  }
  return { type: 'one', envelope: { root, about: {}, keyed: true } };
}
