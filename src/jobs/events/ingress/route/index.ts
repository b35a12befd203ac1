// Opens a route, which turns a delivery into events with their actions.

import type { RowProblem } from '../../../../core/record.ts';
import { readTraceContext } from '../../../../core/tracing.ts';
import type { RouteConfig } from '../../config.ts';
import type { EventDraft } from '../../contract/intake.ts';
import type { CompiledAction } from '../../rules/actions.ts';
import { type Delivery, type ReadDelivery, RefusedError, type Route } from '../intake.ts';
import { atIndex } from './cloudevents.ts';
import { decode } from './decode.ts';
import type { Envelope } from './envelope.ts';
import type { JsonObject } from './json.ts';
import { compileKey, eventId, KEY_FIELDS, KEY_HEADERS, noKey, randomEventId } from './key.ts';
import { compileOrder } from './order.ts';
import { compileSchema } from './schema.ts';

export { RouteConfigError } from './errors.ts';
export { MAX_DEPTH } from './json.ts';

export { compileSchema } from './schema.ts';

export interface RouteParts {
  /** Determines what an event asks for: the route's action and the mapping that it names. */
  readonly compile: CompiledAction;
  /** The JSON Schema itself, loaded from its file if it has one. */
  readonly schema?: JsonObject | undefined;
}

/**
 * Compiles the parts of a route that read events, so that every configuration error shows before the first event.
 * @throws RouteConfigError for an unsupported schema, or an unsafe path in `key` or `order`
 */
export function openRoute(name: string, config: RouteConfig, { compile, schema }: RouteParts): Route {
  const { account } = config;
  const check = schema === undefined ? undefined : compileSchema(name, schema);
  const readKey = compileKey(name, config.key);
  const readRank = compileOrder(name, config.order);

  const idOf = (delivery: Delivery, envelope: Envelope, view: JsonObject, batched: boolean): string => {
    const key = readKey(delivery, envelope, view, batched);
    if (key !== null) return eventId(account, name, key);
    // These actions set a state: done twice, they have the same result.
    if (['lead', 'stage', 'tags'].includes(config.action.type)) return randomEventId();
    const places = `header ${KEY_HEADERS[0]}, a field ${KEY_FIELDS.join(' or ')}, or what "key" of the route names`;
    throw noKey(
      `nothing identifies this event, and a ${config.action.type} must not run twice; send ${places}`,
    );
  };

  const draft = async (delivery: Delivery, envelope: Envelope, batched: boolean): Promise<EventDraft> => {
    check?.(envelope.root);
    // An event's own fields of that name cannot replace what Sluice sets.
    const view = { ...envelope.root, $event: { ...envelope.about, ...delivery.about } };
    const id = idOf(delivery, envelope, view, batched);
    const rank = readRank(view);
    const result = await compile.apply(view);
    if (!result.ok) throw new RefusedError('MAPPING', 422, describe(result.problems), result.problems);
    const { subject, request } = result;
    const warnings = result.warnings.map(({ value: _value, ...warning }) => warning);
    // CloudEvents extension "Distributed Tracing".
    const trace = envelope.event === undefined ? null : readTraceContext(envelope.about);
    return {
      account,
      route: name,
      id,
      subject,
      rank,
      request,
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(trace === null ? {} : { trace }),
    };
  };

  return {
    name,
    config,
    async read(delivery): Promise<ReadDelivery> {
      const format = delivery.via === 'kafka' ? config.kafka?.format : undefined;
      const decoded = decode(delivery, format ?? 'auto');
      if (decoded.type === 'skipped') return { drafts: [], skipped: decoded.why };
      if (decoded.type === 'one') return { drafts: [await draft(delivery, decoded.envelope, false)] };
      const drafts: EventDraft[] = [];
      for (const [index, envelope] of decoded.envelopes.entries()) {
        drafts.push(
          await draft(delivery, envelope, true).catch((error: unknown) => {
            throw atIndex(index, error);
          }),
        );
      }
      return { drafts };
    },
  };
}

/** Reasons contain no values. */
function describe(problems: readonly RowProblem[]): string {
  const shown = problems
    .slice(0, 3)
    .map(({ field, column, reason }) => `${field}${column === undefined ? '' : ` (${column})`}: ${reason}`);
  const more = problems.length - shown.length;
  return `the event cannot be mapped: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}
