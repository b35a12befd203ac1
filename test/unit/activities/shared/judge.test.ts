// One judgment of an error for every job: what the table says of each kind of error in each kind of step.
import { CancelledFailure } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { comeBack } from '../../../../activities/shared/failures.ts';
import { type Judgment, judge } from '../../../../activities/shared/judge.ts';
import { MediaError } from '../../../../src/connectors/media/media-error.ts';
import { LedgerError } from '../../../../src/core/sql/database.ts';
import type { RefusalDetails } from '../../../../src/jobs/sync/contract/run.ts';
import {
  ApiError,
  InvalidArgumentError,
  TransportError,
  UnexpectedShapeError,
} from '../../../../src/service/api-client/errors.ts';

type Step = RefusalDetails['step'];

const CALL = { method: 'POST', path: '/v1/contacts' };
function api(status: number, code: string | null): ApiError {
  const none = { requestId: null, requiredScope: null, ticketId: null, param: null, rate: null };
  const kind = code === null ? 'internal' : 'coded';
  return new ApiError({ ...CALL, ...none, retryAfterMs: null, status, code, kind }, 'Canary 5511987654321');
}
function shape(assumption: 'flows.contactField' | null = null): UnexpectedShapeError {
  const answer = { at: 'contact.id', expected: 'an integer', status: 200, requestId: null, assumption };
  return new UnexpectedShapeError({ ...CALL, ...answer });
}
const reset = new TransportError({ ...CALL, reason: 'reset', sent: true, status: null, causeCode: null });

/** `refused run ERR_X`, `transient HTTP_500 internal`, `passed`. */
function said(judged: Judgment): string {
  if (judged.kind === 'passed') return judged.kind;
  if (judged.kind === 'refused') return `refused ${judged.reach} ${judged.code}`;
  const { kind, code, isInternal, isOwn } = judged;
  return [kind, code, isInternal && 'internal', isOwn && 'own'].filter(Boolean).join(' ');
}

const SYNC: Step[] = ['upsertContact', 'setTags', 'createCard'];
const EVENTS: Step[] = ['sendMessage', 'moveCard'];
const POLLING: Step[] = ['listConversations', 'readMessages'];
const CAMPAIGNS: Step[] = ['readAudience', 'findMember', 'recheckMember', 'triggerMember'];
const ALL = [...SYNC, ...EVENTS, ...POLLING, ...CAMPAIGNS];
const LISTS: Step[] = ['listConversations', 'readAudience'];
const without = (steps: readonly Step[], some: readonly Step[]) =>
  steps.filter((step) => !some.includes(step));

const TABLE: readonly (readonly [what: string, error: unknown, steps: readonly Step[], judgment: string])[] =
  [
    ['a token that is refused', api(401, 'ERR_ODD'), ALL, 'refused run ERR_ODD'],
    ['a page of something else', api(404, null), ALL, 'refused run HTTP_404'],
    ['a code of one record', api(422, 'ERR_NEW'), without(ALL, LISTS), 'refused record ERR_NEW'],
    ['a code of one record, for a list', api(422, 'ERR_NEW'), LISTS, 'refused run ERR_NEW'],
    [
      'a missing scope',
      api(403, 'ERR_SCOPE_MISSING'),
      ['upsertContact', ...POLLING, ...CAMPAIGNS],
      'refused run ERR_SCOPE_MISSING',
    ],
    [
      'a missing scope of one step',
      api(403, 'ERR_SCOPE_MISSING'),
      ['setTags', 'createCard', ...EVENTS],
      'refused step ERR_SCOPE_MISSING',
    ],
    [
      'a 403 that Sluice does not know',
      api(403, 'ERR_ODD'),
      ['findMember', 'recheckMember', 'triggerMember'],
      'refused run ERR_ODD',
    ],
    ['an unknown 404', api(404, 'ERR_ODD'), ['triggerMember'], 'refused run ERR_ODD'],
    [
      'a missing contact',
      api(404, 'ERR_NO_CONTACT_FOUND'),
      ['triggerMember'],
      'refused record ERR_NO_CONTACT_FOUND',
    ],
    ['a missing flow', api(404, 'ERR_FLOW_NOT_FOUND'), ['triggerMember'], 'refused run ERR_FLOW_NOT_FOUND'],
    ['an odd answer', shape(), without(ALL, LISTS), 'refused record UNEXPECTED_SHAPE'],
    ['an odd answer, for a list', shape(), LISTS, 'refused run UNEXPECTED_SHAPE'],
    [
      'a wrong assumption',
      shape('flows.contactField'),
      ['upsertContact', ...POLLING, ...CAMPAIGNS],
      'refused run UNEXPECTED_SHAPE',
    ],
    [
      'a wrong assumption of one step',
      shape('flows.contactField'),
      ['setTags', 'createCard', ...EVENTS],
      'refused step UNEXPECTED_SHAPE',
    ],
    [
      'an argument',
      new InvalidArgumentError('name', '', 'write one'),
      ALL,
      'refused record INVALID_ARGUMENT',
    ],
    ['a file of a wrong host', new MediaError('MEDIA_HOST', 'no'), EVENTS, 'refused record MEDIA_HOST'],
    ['a busy file server', new MediaError('MEDIA_BUSY', 'full', true), EVENTS, 'transient MEDIA_BUSY'],
    ['an internal error', api(500, null), ALL, 'transient HTTP_500 internal'],
    ['a proxy without a service', api(503, null), ALL, 'transient HTTP_503'],
    ['a cut connection', reset, ALL, 'transient TRANSPORT_RESET'],
    ['a ledger that is away', new LedgerError(new Error('no')), ALL, 'transient INTERNAL own'],
    ['a defect', new TypeError('x'), ALL, 'transient INTERNAL own'],
    ['a limit', api(429, 'ERR_RATE_LIMITED'), ALL, 'passed'],
    ['a wait', comeBack(5, 'no slot'), ALL, 'passed'],
    ['a cancellation', new CancelledFailure('stop'), ALL, 'passed'],
  ];

describe('an error', () => {
  it.each(
    TABLE.flatMap(([what, error, steps, expected]) =>
      steps.map((step) => [what, step, expected, error] as const),
    ),
  )('%s in %s is %s', (_, step, expected, error) => {
    const judged = judge('acme', error, step, 1);
    expect(said(judged)).toBe(expected);
    // What is thrown says the same.
    if (judged.kind === 'refused' && judged.reach !== 'record')
      expect(judged.failure).toMatchObject({ type: judged.code, details: [{ scope: judged.reach, step }] });
    expect(`${judged.failure.message} ${'reason' in judged ? judged.reason : ''}`).not.toMatch(
      /Canary|5511987654321/,
    );
  });
});
