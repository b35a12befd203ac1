// Rules of effects that need no service: how far a refusal reaches, and which message in a history is the one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstEffectStep } from '../../../../../activities/events/effects/first-step.ts';
import { claimMessage, findMessage, type Wanted } from '../../../../../activities/shared/message-match.ts';
import { refusalScope } from '../../../../../activities/shared/refusal-scope.ts';
import type { LookAlike } from '../../../../../src/core/store/intents.ts';
import type { EffectStep } from '../../../../../src/jobs/events/contract/intake.ts';
import { ApiError } from '../../../../../src/service/api-client/errors.ts';
import type { HistoryMessage } from '../../../../../src/service/api-client/schemas/message.ts';

function answered(name: string): ApiError {
  const status = name === 'FORBIDDEN' ? 403 : name.startsWith('HTTP_') ? Number(name.slice(5)) : 400;
  const fields = { method: 'POST', path: '/v1/cards', requestId: null, retryAfterMs: null, rate: null };
  const none = { requiredScope: null, ticketId: null, param: null };
  const code = status === 400 ? name : null;
  return new ApiError(
    { ...fields, ...none, status, code, kind: code === null ? 'forbidden' : 'coded' },
    null,
  );
}

describe('a refusal', () => {
  it.each<[string, EffectStep, string]>([
    ['ERR_TOKEN_REVOKED', 'sendMessage', 'run'],
    ['HTTP_404', 'triggerFlow', 'run'],
    ['ERR_SCOPE_MISSING', 'findContact', 'step'],
    ['FORBIDDEN', 'sendMessage', 'step'],
    ['ERR_STORAGE_LIMIT_REACHED', 'sendMessage', 'step'],
    ['ERR_FEATURE_NOT_AVAILABLE', 'triggerFlow', 'step'],
    ['ERR_NO_CONNECTION_AVAILABLE', 'sendMessage', 'step'],
    ['ERR_INVALID_TAGMODE', 'putTags', 'step'],
    ['ERR_CONTACT_IDENTIFIER_REQUIRED', 'triggerFlow', 'step'],
    ['ERR_NUMBER_REQUIRED', 'sendMessage', 'step'],
    ['ERR_MISSING_NUMBER', 'sendMessage', 'step'],
    ['ERR_CONNECTION_NOT_FOUND', 'sendMessage', 'record'],
    ['ERR_UNSUPPORTED_CHANNEL', 'triggerFlow', 'record'],
    ['ERR_FLOW_NOT_EXECUTABLE', 'triggerFlow', 'record'],
    ['ERR_TICKET_IN_HUMAN_SERVICE', 'triggerFlow', 'record'],
    ['ERR_PIPELINE_NOT_FOUND', 'findOpenCard', 'record'],
    ['ERR_SOMETHING_NEW', 'moveCard', 'record'],
  ])('%s of %s reaches %s', (code, step, scope) => {
    expect(refusalScope(answered(code), step)).toBe(scope);
  });
});

it('a person in the ledger is not searched for before the card', () => {
  const request = { type: 'stage', of: { number: '5511987654321', key: '5511987654321' }, stage: 1 } as const;
  expect(firstEffectStep(request, { remote_id: 7 }).step).toBe('findOpenCard');
  expect(firstEffectStep(request, { remote_id: null }).step).toBe('findContact');
  expect(firstEffectStep({ ...request, of: { card: 3 } }, null).step).toBe('moveCard');
});

const SINCE = new Date('2026-11-20T10:00:00.000Z');
const at = (minutes: number) => new Date(SINCE.getTime() + minutes * 60_000).toISOString();
let ids = 0;
const item = (over: Partial<HistoryMessage> = {}): HistoryMessage => ({
  key: `id:${++ids}`,
  hashKey: 'hash:',
  id: String(ids),
  body: 'other',
  fromMe: true,
  createdAt: at(1),
  template: null,
  status: null,
  ack: null,
  raw: {},
  ...over,
});
const TEXT: Wanted = { text: 'hello' };
const TEMPLATE: Wanted = { template: { name: 'promo', language: 'pt_BR', parameters: ['1'] } };
const shown = { templateName: 'promo', templateLanguage: 'pt_BR', templateParameters: ['1'] };

describe('a history', () => {
  it.each<[string, Partial<HistoryMessage>[], Wanted, string]>([
    ['without messages', [], TEXT, 'none'],
    ['with others only', [{}], TEXT, 'none'],
    ['with the text', [{}, { body: 'hello' }], TEXT, 'like'],
    ['with the text trimmed and with other line ends', [{ body: 'a\nb' }], { text: ' a\r\nb ' }, 'like'],
    ['with the text behind a name', [{ body: '*Ana:* hello' }], TEXT, 'unclear'],
    ['with the text of the customer', [{ body: 'hello', fromMe: false }], TEXT, 'none'],
    ['with the text from before', [{ body: 'hello', createdAt: at(-1) }], TEXT, 'none'],
    ['with an item without text', [{ body: null }], TEXT, 'unclear'],
    ['with an old item without text', [{ body: null, createdAt: at(-1) }], TEXT, 'none'],
    ['with an item without a time', [{ body: 'hello', createdAt: null }], TEXT, 'unclear'],
    ['with the template', [{ body: '', template: shown }], TEMPLATE, 'like'],
    ['with its name only', [{ template: { templateName: 'promo' } }], TEMPLATE, 'like'],
    ['with other parameters', [{ template: { ...shown, templateParameters: ['2'] } }], TEMPLATE, 'none'],
    ['with another template', [{ template: { ...shown, templateName: 'x' } }], TEMPLATE, 'none'],
    ['that shows no templates', [{ template: undefined }], TEMPLATE, 'unclear'],
    ['whose templates have no name', [{ template: { id: 7 } }], TEMPLATE, 'unclear'],
  ])('%s: %#', (_, items, wanted, kind) => {
    expect(findMessage({ items: items.map(item), hasMore: false }, wanted, SINCE).kind).toBe(kind);
  });

  it('whose page does not reach back far enough proves nothing', () => {
    expect(findMessage({ items: [item()], hasMore: true }, TEXT, SINCE).kind).toBe('unclear');
    const old = item({ createdAt: at(-1) });
    expect(findMessage({ items: [old, item()], hasMore: true }, TEXT, SINCE).kind).toBe('none');
  });
});

describe('of identical messages', () => {
  const like = (n: number) => Array.from({ length: n }, () => item({ body: 'hello' }));
  const lookAlike = (id: number, state: LookAlike['state'], messages?: string[], age = 100): LookAlike => ({
    id,
    state,
    age,
    trace: { to: 'x', ...(messages === undefined ? {} : { messages }) },
  });
  const claim = (messages: readonly HistoryMessage[], lookAlikes: LookAlike[]) =>
    claimMessage(messages, lookAlikes, {
      id: 5,
      settleSeconds: 60,
      keys: new Set(messages.map(({ key }) => key)),
    });

  it('a message with a known owner is left out', () => {
    const messages = like(2);
    const [first, second] = messages.map(({ key }) => key) as [string, string];
    expect(claim(messages, [lookAlike(1, 'done', [first])])).toMatchObject({
      kind: 'own',
      message: { key: second },
    });
    expect(claim(messages, [lookAlike(1, 'done', [first]), lookAlike(2, 'done', [second])])).toEqual({
      kind: 'none',
    });
  });

  it.each<[string, number, LookAlike[], string]>([
    ['a call in progress', 1, [lookAlike(9, 'sent', undefined, 10)], 'wait'],
    ['a lost call of an earlier one', 1, [lookAlike(1, 'sent')], 'wait'],
    ['a lost call of a later one', 1, [lookAlike(9, 'sent')], 'own'],
    ['one given up', 1, [lookAlike(1, 'unknown')], 'unclear'],
    [
      'one done under an id that the history does not show',
      1,
      [lookAlike(1, 'done', ['id:uuid'])],
      'unclear',
    ],
    ['one done without any id', 1, [lookAlike(1, 'done', [])], 'unclear'],
    [
      'all of these, and enough for each',
      4,
      [lookAlike(1, 'unknown'), lookAlike(2, 'done', []), lookAlike(9, 'sent', undefined, 1)],
      'own',
    ],
  ])('beside %s: %#', (_, n, lookAlikes, kind) => {
    expect(claim(like(n), lookAlikes).kind).toBe(kind);
  });

  it('no two take the same message, in whatever order they search', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4 }),
        fc.shuffledSubarray([1, 2, 3, 4], { minLength: 4 }),
        (n, order) => {
          const messages = like(n);
          const taken = new Map<number, string>();
          const gone = new Set<number>();
          for (let round = 0; round < 8; round++) {
            for (const id of order) {
              if (taken.has(id) || gone.has(id)) continue;
              const lookAlikes = [1, 2, 3, 4]
                .filter((each) => each !== id && !gone.has(each))
                .map((each) =>
                  lookAlike(
                    each,
                    taken.has(each) ? 'done' : 'sent',
                    taken.has(each) ? [taken.get(each) as string] : undefined,
                  ),
                );
              const found = claimMessage(messages, lookAlikes, {
                id,
                settleSeconds: 60,
                keys: new Set(messages.map(({ key }) => key)),
              });
              if (found.kind === 'own') taken.set(id, found.message.key);
              if (found.kind === 'none') gone.add(id);
            }
          }
          expect(new Set(taken.values()).size).toBe(taken.size);
          expect([taken.size, taken.size + gone.size]).toEqual([n, 4]);
        },
      ),
    );
  });
});
