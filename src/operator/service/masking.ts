// Requests of events, and dead letters, without personal data.
import type { EventRequest } from '../../jobs/events/contract/intake.ts';
import { MAX_DEPTH } from '../../jobs/events/ingress/route/index.ts';
import { maskName, maskPhone, maskRecord } from '../../observe/masking.ts';

export const HIDDEN = '•••';

/**
 * A record's value: fields keep their names and show their type and length, because a wrong type is a common cause.
 * Other than JSON, only the size is shown.
 */
export function maskValue(value: Buffer): string {
  try {
    return JSON.stringify(hideAll(JSON.parse(value.toString('utf8'))), null, 2);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `(${value.byteLength} bytes that are no JSON)`;
  }
}

/** @param depth a value that is nested deeper than events may be is hidden completely */
function hideAll(value: unknown, depth = MAX_DEPTH): unknown {
  if (typeof value !== 'object' || value === null) return describeType(value);
  if (depth === 0) return HIDDEN;
  if (Array.isArray(value)) return value.map((item) => hideAll(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item], place) => [
      isPersonalName(key) ? `${HIDDEN} ${place + 1}` : key,
      hideAll(item, depth - 1),
    ]),
  );
}

/** Some senders name fields by what is in them. */
const isPersonalName = (key: string) => /@|\d(?:\D{0,2}\d){5}/.test(key);

/** @example describeType('5511987654321') // <text, 13 characters> */
function describeType(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return `<text, ${many([...value].length, 'character')}>`;
  if (typeof value === 'number') return `<number, ${many(String(value).replace(/\D/g, '').length, 'digit')}>`;
  return `<${typeof value}>`;
}

const many = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Headers about the format of a record, without personal data. */
const HARMLESS =
  /^(content-type|ce_(id|source|type|specversion|time|datacontenttype)|traceparent|sluice-.*)$/i;

export function maskHeader(name: string, value: string): string {
  return HARMLESS.test(name) ? value : HIDDEN;
}

/** A key is usually an id or a phone. */
export function maskKey(key: Buffer | null): string | null {
  return key === null ? null : maskPhone(key.toString('utf8'));
}

export function maskRequest(request: EventRequest): unknown {
  switch (request.type) {
    case 'lead':
      return maskRecord(request.record);
    case 'message': {
      const { to, text, template, media, connection, contactName, saveOnTicket } = request;
      return {
        to: 'conversation' in to ? to : { number: maskPhone(to.number) },
        ...(text !== undefined && { text: HIDDEN }),
        ...(template && { template: { ...template, parameters: template.parameters.map(() => HIDDEN) } }),
        ...(media && { media: media.urls.map(() => HIDDEN) }),
        ...(connection !== undefined && { connection }),
        ...(contactName !== undefined && { contactName: maskName(contactName) }),
        saveOnTicket,
      };
    }
    case 'flow': {
      const { flow, connection, variables, number } = request;
      const hidden = Object.fromEntries(Object.keys(variables).map((name) => [name, HIDDEN]));
      return { number: maskPhone(number), flow, connection, variables: hidden };
    }
    case 'stage': {
      const { of, pipeline, stage } = request;
      return { of: 'card' in of ? of : { number: maskPhone(of.number) }, pipeline, stage };
    }
    case 'tags': {
      const { number, add, remove } = request;
      return { number: maskPhone(number), add, remove };
    }
  }
}
