// What a corrected request may change, and how its faults are named.
import { describe, expect, it } from 'vitest';
import type { EventRequest } from '../../../../src/jobs/events/contract/intake.ts';
import { correct } from '../../../../src/jobs/events/operator/correct-request.ts';

const NUMBER = '5511987654321';
const rules = { hosts: ['files.example'], maxBytes: 1000, allowPrivate: false, timeoutMs: 1000 };
const media = { urls: ['https://files.example/a.pdf'], ...rules };
const message: EventRequest = {
  type: 'message',
  to: { number: NUMBER, key: NUMBER },
  text: 'hi',
  media,
  saveOnTicket: true,
};
const tags: EventRequest = { type: 'tags', number: NUMBER, key: NUMBER, add: ['vip'], remove: [] };
const lead: EventRequest = {
  type: 'lead',
  record: { key: NUMBER, contact: { number: NUMBER }, extraInfo: [], tags: [] },
};

describe('a corrected request', () => {
  it.each<[string, EventRequest, object, object]>([
    ['a message', message, { to: { number: '551187654321', key: NUMBER } }, { to: { key: '5511987654321' } }],
    ['tags', tags, { number: '4930123456' }, { key: '4930123456' }],
    [
      'a lead',
      lead,
      { record: { contact: { number: '4930123456' }, tags: [] } },
      { record: { key: '4930123456', extraInfo: [] } },
    ],
    ['a message to a conversation', message, { to: { conversation: 7 } }, { to: { conversation: 7 } }],
    ['another file', message, { media: { ...media, urls: ['https://files.example/b.pdf'] } }, {}],
  ])('has the key of its number: %s', (_, stored, change, expected) => {
    expect(correct(stored, { ...stored, ...change })).toMatchObject({ ok: true, request: expected });
  });

  it.each<[string, EventRequest, unknown, string]>([
    ['a number with plus', tags, { ...tags, number: '+55 11 98765-4321' }, 'number: write 7 to 15 digits'],
    ['a person without number', message, { ...message, to: {} }, 'to: needs a number'],
    ['a wrong type', tags, { ...tags, add: 'vip' }, 'add: Invalid input: expected array'],
    ['a wrong name', tags, { ...tags, ad: ['x'] }, 'ad: a tags has no such field'],
    ['a wrong name inside', lead, { ...lead, record: { ...lead.record, tgas: [] } }, 'record.tgas: '],
    ['two kinds of receiver', message, { ...message, to: { number: NUMBER, conversation: 7 } }, 'to.'],
    ['another action', message, tags, 'type: the event is a message'],
    ['an unknown action', message, { type: 'call' }, 'type: '],
    ['another host', message, { ...message, media: { ...media, hosts: ['*'] } }, 'media: only its urls'],
    ['a private host', message, { ...message, media: { ...media, allowPrivate: true } }, 'media: only its'],
    ['a number deep in a list', lead, { type: 'lead', record: [NUMBER] }, 'record: '],
  ])('is refused with the place of the fault and without its value: %s', (_, stored, given, expected) => {
    const result = correct(stored, given);
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining(expected) });
    expect(JSON.stringify(result)).not.toMatch(/98765|551198/);
  });
});
