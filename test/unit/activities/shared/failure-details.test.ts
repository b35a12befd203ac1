// What a failure says beside its code: when it is tried again, and which assumption the operator may override.
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import {
  comeBack,
  comesBackAfter,
  configured,
  onlyWaits,
  shapeRefusal,
  sourceFailure,
  toFailure,
} from '../../../../activities/shared/failures.ts';
import { SourceError } from '../../../../src/core/source.ts';
import type { RefusalDetails } from '../../../../src/jobs/sync/contract/run.ts';
import { ApiError, UnexpectedShapeError } from '../../../../src/service/api-client/errors.ts';

const CALL = { method: 'POST', path: '/v1/contacts', requestId: null };
const assumption = 'flows.contactField';
const refused = (assumptions?: readonly [typeof assumption]) =>
  new ApiError(
    {
      ...CALL,
      requiredScope: null,
      ticketId: null,
      param: null,
      rate: null,
      retryAfterMs: null,
      status: 422,
      code: 'ERR_NEW',
      kind: 'coded',
      assumptions,
    },
    null,
  );
const answer = { ...CALL, at: 'contact.id', expected: 'an integer', status: 200 };
const shape = new UnexpectedShapeError(answer);
const assumed = new UnexpectedShapeError({ ...answer, assumption, seen: ['data', 'data.id'] });

describe('a failure says', () => {
  it.each<[string, unknown, object | undefined]>([
    ['of an answer in another shape', assumed, { assumptions: [assumption], seen: ['data', 'data.id'] }],
    ['of one that no assumption explains', shape, { assumptions: [], seen: [] }],
    [
      'of a refusal that an assumption may explain',
      refused([assumption]),
      { assumptions: [assumption], seen: [] },
    ],
    ['of any other refusal', refused(), undefined],
  ])('what to override, %s', (_, error, expected) => {
    const [details] = (toFailure(error, 'lookup', 1) as ApplicationFailure).details as RefusalDetails[];
    expect(details?.shape).toEqual(expected);
    expect('shape' in (details ?? {})).toBe(expected !== undefined);
  });

  it('which override of which account, and that workers have to restart', () => {
    expect(shapeRefusal('acme', assumed, 'lookup').message).toMatch(
      /accounts\.acme\.assumptions: .*, and restart the workers$/,
    );
    expect(shapeRefusal('acme', shape, 'lookup').message).toBe(shape.message);
  });

  const wait = comeBack(5000, 'no slot');
  it.each<[string, unknown, { waits: boolean; after: number | null }]>([
    ['a wait', wait, { waits: true, after: 5000 }],
    [
      'a retry with its time',
      ApplicationFailure.create({ type: 'CONFIG', nextRetryDelay: 30_000 }),
      { waits: false, after: 30_000 },
    ],
    ['a retry without a time', ApplicationFailure.create({ type: 'X' }), { waits: false, after: null }],
    [
      'a refusal, whatever time it names',
      ApplicationFailure.create({ type: 'X', nonRetryable: true, nextRetryDelay: 5000 }),
      { waits: false, after: null },
    ],
    [
      'an error that only has the name',
      Object.assign(new Error('x'), { type: 'ComeBack' }),
      { waits: false, after: null },
    ],
    ['no error', null, { waits: false, after: null }],
  ])('when it is tried again: %s', (_, error, expected) => {
    expect({ waits: onlyWaits(error), after: comesBackAfter(error) }).toEqual(expected);
  });

  it.each<[string, SourceError, object]>([
    [
      'a source that is gone',
      new SourceError('not_found', 'gone'),
      { type: 'SOURCE_NOT_FOUND', nonRetryable: true },
    ],
    [
      'a busy source',
      new SourceError('unreachable', 'busy', { retryable: true, retryAfterMs: 7000 }),
      { type: 'SOURCE_UNREACHABLE', nonRetryable: false, nextRetryDelay: 7000 },
    ],
    [
      'a busy source that names no time',
      new SourceError('unreachable', 'busy', { retryable: true }),
      { nonRetryable: false, nextRetryDelay: undefined },
    ],
    [
      'a refusal that names a time',
      new SourceError('not_found', 'gone', { retryAfterMs: 7000 }),
      { nonRetryable: true, nextRetryDelay: undefined },
    ],
  ])('%s', (_, error, expected) => {
    const failure = sourceFailure(error) as ApplicationFailure;
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure.message).toBe(error.message);
    expect({ nextRetryDelay: undefined, ...failure }).toMatchObject(expected);
  });

  it('an error that is not of a source stays as it is', () => {
    expect(sourceFailure(shape)).toBe(shape);
  });

  it('an entry that this worker does not have is tried again, as another worker may have it', () => {
    expect(configured(() => 1)).toBe(1);
    const missing = () => {
      throw new Error('no account "x"');
    };
    expect(() => configured(missing)).toThrow(
      expect.objectContaining({
        message: 'no account "x"',
        type: 'CONFIG',
        nonRetryable: false,
        nextRetryDelay: 30_000,
      }),
    );
  });
});
