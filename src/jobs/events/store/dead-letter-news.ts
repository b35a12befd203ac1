// Events of refused requests and records: where each is and what was wrong, never what it contains.
import type { Announced } from '../../outbox/store/outbox.ts';
import type { DeadLetterEvent } from '../contract/dead-letter-events.ts';

interface About {
  readonly account: string;
  readonly route: string;
  readonly code: string;
  readonly reason: string;
  readonly at: Date;
}

export type RequestNews = About & { readonly id: string };
export type RecordNews = About & {
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: string };
};
export type Resolved = NonNullable<DeadLetterEvent['data']['resolution']>;

/** @param resolution null: it was refused just now */
export function requestNews(request: RequestNews, resolution: Resolved | null): Announced {
  const { id } = request;
  // The same request may be refused again after it was deleted.
  const what = `${id}/${request.at.toISOString()}`;
  return newsOf(request, { subject: id, what, place: { request: id, record: null }, resolution });
}

/** @param resolution null: it was refused just now */
export function recordNews(record: RecordNews, resolution: Resolved | null): Announced {
  const { topic, partition, offset } = record.origin;
  const subject = `${topic}/${partition}/${offset}`;
  // A record that is read again after a crash is refused again: that is no other refusal.
  const what = resolution === null ? subject : `${subject}/${record.at.toISOString()}`;
  const place = { request: null, record: { topic, partition, offset } };
  return newsOf(record, { subject, what, place, resolution });
}

interface Letter {
  readonly subject: string;
  readonly what: string;
  readonly place: Pick<DeadLetterEvent['data'], 'request' | 'record'>;
  readonly resolution: Resolved | null;
}

function newsOf(
  { account, route, code, reason, at }: About,
  { subject, what, place, resolution }: Letter,
): Announced {
  const type = resolution === null ? 'sluice.deadletter.added' : 'sluice.deadletter.resolved';
  const event: DeadLetterEvent = {
    specversion: '1.0',
    id: `${type}/${what}`,
    source: `/sluice/accounts/${account}/routes/${route}`,
    type,
    subject,
    time: at.toISOString(),
    datacontenttype: 'application/json',
    partitionkey: `${account}/dead-letters/${subject}`,
    data: { account, route, ...place, code, reason, resolution },
  };
  return { event, connection: null };
}
