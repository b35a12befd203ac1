// A signature is for one purpose: that of a file is none for an event, and the other way round.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { openEnvironment } from './environment.ts';

const NOW = 1_700_000_000_000;
const FILE = { 'content-type': 'application/json' };
const EVENT = '/hooks/lead';
const FILES = '/hooks/lead/files';
const BODY = '{"phone":"+5511987654321"}';
const PREFIXED = `sluice-file\n${BODY}`;

const KEY = 'a-key-of-at-least-16-bytes';
const hmac = (signed: string) => ({
  ...FILE,
  'x-signature': createHmac('sha256', KEY).update(signed).digest('hex'),
});
const WEBHOOK = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const webhook = (id: string) => ({
  ...FILE,
  'webhook-id': id,
  'webhook-timestamp': String(NOW / 1000),
  'webhook-signature': new Webhook(WEBHOOK).sign(id, new Date(NOW), BODY),
});

it.each<[string, object, string, Record<string, string>, string, string, number]>([
  ['an event by hmac', { type: 'hmac', secrets: ['env:A'] }, KEY, hmac(BODY), EVENT, BODY, 202],
  ['a file by hmac', { type: 'hmac', secrets: ['env:A'] }, KEY, hmac(PREFIXED), FILES, BODY, 201],
  ['a file as an event', { type: 'hmac', secrets: ['env:A'] }, KEY, hmac(PREFIXED), EVENT, BODY, 401],
  [
    'what was signed of a file, as an event',
    { type: 'hmac', secrets: ['env:A'] },
    KEY,
    hmac(PREFIXED),
    EVENT,
    PREFIXED,
    401,
  ],
  ['an event as a file', { type: 'hmac', secrets: ['env:A'] }, KEY, hmac(BODY), FILES, BODY, 401],
  [
    'an event by webhook',
    { type: 'standard-webhooks', secrets: ['env:A'] },
    WEBHOOK,
    webhook('msg_1'),
    EVENT,
    BODY,
    202,
  ],
  [
    'a file by webhook',
    { type: 'standard-webhooks', secrets: ['env:A'] },
    WEBHOOK,
    webhook('file_1'),
    FILES,
    BODY,
    201,
  ],
  [
    'a file by webhook as an event',
    { type: 'standard-webhooks', secrets: ['env:A'] },
    WEBHOOK,
    webhook('file_1'),
    EVENT,
    BODY,
    401,
  ],
  [
    'an event by webhook as a file',
    { type: 'standard-webhooks', secrets: ['env:A'] },
    WEBHOOK,
    webhook('msg_1'),
    FILES,
    BODY,
    401,
  ],
])('%s', async (_what, auth, secret, headers, path, body, status) => {
  const environment = await openEnvironment({ files: {}, auth, secrets: [secret], now: () => NOW });
  expect((await environment.post(body, headers, path)).status).toBe(status);
});
