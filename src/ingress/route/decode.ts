// Finds out in which form a delivery is, and takes it apart.
import type { RouteKafka } from '../../contracts/config/config.ts';
import { type Delivery, RefusedError } from '../intake.ts';
import {
  claimedMode,
  cloudEventMode,
  decodeCloudEvents,
  decodeStructured,
  isCloudEvent,
} from './cloudevents.ts';
import { decodeDebezium } from './debezium.ts';
import type { Decoded } from './envelope.ts';
import { decodeText, isObject, kindOf, parseJson } from './json.ts';

/**
 * @param format of the route's topics; `auto` for what came over HTTP
 * @throws RefusedError `BAD_ENCODING`, `BAD_JSON`, `TOO_DEEP`, `BAD_EVENT`, `TOMBSTONE`
 */
export function decode(delivery: Delivery, format: RouteKafka['format']): Decoded {
  if (format === 'debezium') return decodeDebezium(delivery.body);
  if (delivery.via === 'kafka' && delivery.body.length === 0) {
    const reason =
      'the record has no value: a deletion (tombstone); the formats json and cloudevents have no meaning for it';
    throw new RefusedError('TOMBSTONE', 400, reason);
  }
  if (delivery.signature?.trustHeaders === false) return decodeSigned(delivery);
  const mode = format === 'json' ? null : cloudEventMode(delivery);
  if (mode !== null || format === 'cloudevents') return decodeCloudEvents(delivery, mode);
  return plain(parseJson(decodeText(delivery.body)));
}

/** A signed body says itself what it is: a CloudEvent stays one under any content type that reads JSON. */
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
