// Errors as failures: what is tried again and when, how far a refusal reaches, and that none contains a secret.
import { inspect } from 'node:util';
import { CancelledFailure } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  backoffMs,
  blockOf,
  comeBack,
  rateLimitWaitMs,
  recordReason,
  toFailure,
} from '../../../../activities/shared/failures.ts';
import {
  acceptsToken,
  isRefusal,
  refusalCode,
  refusalScope,
  refusesToken,
} from '../../../../activities/shared/refusal-scope.ts';
import { LedgerError } from '../../../../src/core/sql/database.ts';
import type { RefusalDetails, RefusalScope } from '../../../../src/jobs/sync/contract/run.ts';
import { KNOWN_ERROR_CODES } from '../../../../src/service/api-client/error-codes.ts';
import {
  ApiError,
  InvalidArgumentError,
  TransportError,
  type TransportReason,
  UnexpectedShapeError,
} from '../../../../src/service/api-client/errors.ts';
import type { RateHeaders } from '../../../../src/service/api-client/rate-headers.ts';

const CALL = { method: 'POST', path: '/v1/contacts' };

function api(
  status: number,
  code: string | null,
  wait: { retryAfterMs?: number | null; rate?: RateHeaders | null } = {},
): ApiError {
  const none = { requestId: null, requiredScope: null, ticketId: null, param: null };
  return new ApiError(
    {
      ...CALL,
      ...none,
      retryAfterMs: null,
      rate: null,
      ...wait,
      status,
      code,
      kind: code ? 'coded' : 'internal',
    },
    'Canary Fairweather, 5511987654321, svc_live_canary',
  );
}
const transport = (reason: TransportReason, sent = true) =>
  new TransportError({ ...CALL, reason, sent, status: null, causeCode: null });
const shape = new UnexpectedShapeError({
  ...CALL,
  at: 'contact.id',
  expected: 'an integer',
  status: 200,
  requestId: null,
});
type Step = RefusalDetails['step'];
const asFailure = (error: unknown, step: Step = 'upsertContact', failures = 1) =>
  toFailure(error, step, failures) as ApplicationFailure;
const delayOf = (failure: ApplicationFailure) => failure.nextRetryDelay as number | undefined;

describe('an error as a failure', () => {
  it.each<[string, unknown, string]>([
    ['500 without a code', api(500, null), 'HTTP_500'],
    ['503', api(503, null), 'HTTP_503'],
    ['500 with a code', api(500, 'ERR_ODD'), 'ERR_ODD'],
    ['408', api(408, null), 'HTTP_408'],
    ['no connection', transport('connect', false), 'TRANSPORT_CONNECT'],
    ['reset', transport('reset'), 'TRANSPORT_RESET'],
    ['deadline', transport('timeout'), 'TRANSPORT_TIMEOUT'],
    ['a page instead of JSON', transport('invalid_body'), 'TRANSPORT_INVALID_BODY'],
    ['redirect', transport('redirect'), 'TRANSPORT_REDIRECT'],
    ['too large', transport('body_too_large'), 'TRANSPORT_BODY_TOO_LARGE'],
    ['the ledger is away', new LedgerError(new Error('no connection')), 'INTERNAL'],
    ['a bug', new TypeError('x is undefined'), 'INTERNAL'],
    ['no error at all', 'oops', 'INTERNAL'],
  ])('%s is tried again after the backoff', (_, error, type) => {
    const failure = asFailure(error, 'upsertContact', 3);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type, nonRetryable: false });
    expect(delayOf(failure)).toBeGreaterThanOrEqual(3600);
    expect(delayOf(failure)).toBeLessThanOrEqual(4400);
  });

  it.each<[string, unknown, string]>([
    ...KNOWN_ERROR_CODES.filter((code) => code !== 'ERR_RATE_LIMITED').map(
      (code): [string, unknown, string] => [code, api(400, code), code],
    ),
    ['a code that the API text does not list', api(422, 'ERR_NEW'), 'ERR_NEW'],
    ['403 without a code', api(403, null), 'FORBIDDEN'],
    ['404 without a code', api(404, null), 'HTTP_404'],
    ['an answer of another shape', shape, 'UNEXPECTED_SHAPE'],
  ])('%s is never tried again', (_, error, type) => {
    const failure = asFailure(error);
    expect(failure).toMatchObject({ type, nonRetryable: true });
    expect(failure.details).toHaveLength(1);
    expect(failure.details?.[0]).toMatchObject({ step: 'upsertContact' });
  });

  it('429 is not an error, only a retry time', () => {
    const failure = asFailure(api(429, 'ERR_RATE_LIMITED', { retryAfterMs: 7000 }));
    expect(failure).toMatchObject({ type: 'ComeBack', nonRetryable: false, nextRetryDelay: 7000 });
    expect(failure.category).toBe(ApplicationFailureCategory.BENIGN);
  });

  it('a deliberate failure and a cancellation pass unchanged', () => {
    for (const error of [comeBack(5, 'later'), new CancelledFailure('stop')])
      expect(toFailure(error, 'lookup', 1)).toBe(error);
  });

  it('comeBack asks for whole milliseconds', () => {
    expect(comeBack(0.2, 'x').nextRetryDelay).toBe(1);
    expect(comeBack(501.0001, 'x').nextRetryDelay).toBe(502);
  });
});

describe('how far a refusal reaches', () => {
  it.each<[string, Step, RefusalScope]>([
    ...(
      ['ERR_TOKEN_MISSING', 'ERR_TOKEN_INVALID', 'ERR_TOKEN_REVOKED', 'ERR_TOKEN_EXPIRED'] as const
    ).flatMap((code) =>
      (['lookup', 'setTags', 'createCard', 'catalog'] as const).map((step): [string, Step, RefusalScope] => [
        code,
        step,
        'run',
      ]),
    ),
    ['ERR_SCOPE_MISSING', 'createCard', 'step'],
    ['ERR_SCOPE_MISSING', 'setTags', 'step'],
    ['ERR_SCOPE_MISSING', 'lookup', 'run'],
    ['ERR_SCOPE_MISSING', 'readExtraInfo', 'run'],
    ['ERR_SCOPE_MISSING', 'upsertContact', 'run'],
    ['ERR_INVALID_TAGMODE', 'setTags', 'step'],
    ['ERR_PIPELINE_NOT_FOUND', 'createCard', 'step'],
    ['FORBIDDEN', 'moveStage', 'step'],
    ['FORBIDDEN', 'upsertContact', 'run'],
    ['ERR_WHATSAPP_NOT_FOUND', 'upsertContact', 'run'],
    ['ERR_NO_CONNECTION_AVAILABLE', 'upsertContact', 'run'],
    ['ERR_NO_CONNECTION_AVAILABLE', 'createCard', 'record'],
    ['ERR_NUMBER_NOT_ON_WHATSAPP', 'upsertContact', 'record'],
    ['ERR_CONTACT_NUMBER_IS_LID', 'upsertContact', 'record'],
    ['ERR_NO_CONTACT_FOUND', 'setTags', 'record'],
    ['ERR_SOURCE_NOT_FOUND', 'createCard', 'record'],
    ['ERR_NEW', 'upsertContact', 'record'],
    ['HTTP_404', 'createCard', 'run'],
    ['HTTP_404', 'setTags', 'run'],
    ['HTTP_404', 'upsertContact', 'run'],
    ['HTTP_401', 'upsertContact', 'run'],
    ['HTTP_405', 'createCard', 'run'],
    ['HTTP_422', 'createCard', 'record'],
  ])('%s in %s: %s', (code, step, scope) => {
    const error =
      code === 'FORBIDDEN'
        ? api(403, null)
        : code.startsWith('HTTP_')
          ? api(Number(code.slice(5)), null)
          : api(400, code);
    expect(refusalScope(error, step)).toBe(scope);
    expect(asFailure(error, step).details).toEqual([{ scope, step }]);
  });

  it.each<Step>(['createCard', 'setTags', 'triggerMember', 'moveCard', 'readMessages', 'sendMessage'])(
    'a 401 with a code that Sluice does not know refuses the token in %s',
    (step) => {
      for (const code of ['ERR_SESSION_EXPIRED', 'ERR_NO_TICKET_FOUND', null]) {
        const error = api(401, code);
        expect(refusalScope(error, step)).toBe('run');
        expect(refusesToken(error)).toBe(true);
      }
    },
  );

  it.each<[number, string | null, boolean]>([
    [400, 'ERR_MISSING_NUMBER', true],
    [401, 'ERR_TOKEN_EXPIRED', true],
    [403, null, true],
    [499, null, true],
    [408, null, false],
    [429, 'ERR_RATE_LIMITED', false],
    [500, null, false],
    [599, 'ERR_X', false],
  ])('an answer %i %s is a refusal for good: %s', (status, code, refused) => {
    expect(isRefusal(api(status, code))).toBe(refused);
  });

  it.each<[number, string | null, { accepts: boolean; refuses: boolean }]>([
    [400, 'ERR_ODD', { accepts: true, refuses: false }],
    [499, 'ERR_ODD', { accepts: true, refuses: false }],
    // Anything else at that address answers without a code.
    [404, null, { accepts: false, refuses: false }],
    [500, 'ERR_ODD', { accepts: false, refuses: false }],
    [403, 'ERR_ODD', { accepts: false, refuses: false }],
    [403, null, { accepts: false, refuses: false }],
    [401, 'ERR_ODD', { accepts: false, refuses: true }],
    [400, 'ERR_TOKEN_EXPIRED', { accepts: false, refuses: true }],
    [400, 'ERR_SCOPE_MISSING', { accepts: false, refuses: true }],
    [429, 'ERR_ODD', { accepts: false, refuses: true }],
  ])('an answer %i %s says of the token: %o', (status, code, expected) => {
    const error = api(status, code);
    expect({ accepts: acceptsToken(error), refuses: refusesToken(error) }).toEqual(expected);
  });

  it('no error of the transport is a refusal', () => {
    expect([transport('reset'), shape, new Error('x'), null].filter(isRefusal)).toEqual([]);
  });
});

describe('the backoff', () => {
  it('doubles from a second to a minute, spread by a tenth to either side', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), (failures) => {
        const middle = Math.min(60_000, 1000 * 2 ** (failures - 1));
        const ms = backoffMs(failures);
        expect(ms).toBeGreaterThanOrEqual(middle * 0.9);
        expect(ms).toBeLessThanOrEqual(middle * 1.1);
      }),
    );
  });
});

describe('the wait after a 429', () => {
  const NOW = Date.parse('2026-11-21T10:00:00Z');
  const reset = (ms: number): RateHeaders => ({ limit: 120, remaining: 0, resetAt: new Date(NOW + ms) });

  it.each<[string, number | null, RateHeaders | null, number]>([
    ['Retry-After', 7000, null, 7000],
    ['Retry-After wins over the window', 7000, reset(30_000), 7000],
    ['a date that is over, or zero', 0, reset(30_000), 1000],
    ['an hour', 3_600_000, null, 3_600_000],
    ['thirty years: the ledger would keep it', 999_999_999_000, null, 3_600_000],
    ['no Retry-After: the end of the window', null, reset(30_000), 30_000],
    ['a whole window', null, reset(60_000), 60_000],
    ['a window that is over', null, reset(-5), 60_000],
    ['a window that ends now', null, reset(0), 60_000],
    ['a window of another clock', null, reset(60_001), 60_000],
    ['a reset that is no time', null, reset(Number.NaN), 60_000],
    ['nothing at all', null, null, 60_000],
  ])('%s', (_, retryAfterMs, rate, expected) => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    try {
      expect(rateLimitWaitMs(api(429, 'ERR_RATE_LIMITED', { retryAfterMs, rate }))).toBe(expected);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a block has the code of the refusal before its reason', () => {
  it.each<[string, string | undefined, { code: string; reason: string }]>([
    ['with a type', 'ERR_PLAN', { code: 'ERR_PLAN', reason: 'ERR_PLAN: no plan' }],
    // Never "undefined: no plan".
    ['without a type', undefined, { code: 'REFUSED', reason: 'REFUSED: no plan' }],
  ])('%s', (_, type, block) => {
    expect(blockOf(ApplicationFailure.create({ message: 'no plan', type }))).toEqual(block);
  });
});

describe('no failure contains a secret', () => {
  const secret = /Canary|Fairweather|5511987654321|svc_live|canary@/;
  it.each<[string, unknown]>([
    ['a refusal', api(422, 'ERR_NUMBER_NOT_ON_WHATSAPP')],
    ['an internal error', api(500, null)],
    ['a limit', api(429, 'ERR_RATE_LIMITED')],
    ['a transport error', transport('reset')],
    ['a shape', shape],
    ['an argument', new InvalidArgumentError('number', '5511987654321', 'send digits')],
    ['a bug that quotes a row', new Error('cannot read Canary Fairweather 5511987654321 svc_live_canary')],
    ['an error with a cause', new Error('x', { cause: new Error('canary@example.com') })],
    [
      'an error of the database',
      new LedgerError(Object.assign(new Error('"Canary"'), { code: '22P02', detail: '5511987654321' })),
    ],
  ])('%s', (_, error) => {
    expect(inspect(toFailure(error, 'createCard', 2), { depth: 9, showHidden: true })).not.toMatch(secret);
  });

  it('nor does the reason of a failed record', () => {
    expect(recordReason('acme', api(422, 'ERR_NUMBER_NOT_ON_WHATSAPP'))).toBe(
      'the service refused with ERR_NUMBER_NOT_ON_WHATSAPP (HTTP 422)',
    );
    expect(recordReason('acme', shape)).toBe(shape.message);
    expect(refusalCode(api(418, null))).toBe('HTTP_418');
  });
});
