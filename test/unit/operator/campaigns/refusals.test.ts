// Refusals of workflows and of the ledger, as the operator API answers them.
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  WorkflowFailedError,
} from '@temporalio/client';
import { expect, it } from 'vitest';
import { campaignRefusal } from '../../../../src/jobs/campaigns/operator/refusals.ts';
import { OperatorError } from '../../../../src/operator/error.ts';

const failed = (cause: Error) => new WorkflowFailedError('failed', cause, 'TIMEOUT' as never);
const wrapped = (cause: Error) =>
  failed(
    new ActivityFailure('activity failed', 'openCampaign', '1', 'NON_RETRYABLE_FAILURE' as never, '', cause),
  );

it.each([
  ['NOT_APPROVED', 'conflict'],
  ['PLAN_VOID', 'conflict'],
  ['PLAN_OVER', 'conflict'],
  ['NOT_PLANNED', 'conflict'],
  ['RUN_OPEN', 'conflict'],
  ['SAME_PERSON', 'conflict'],
  ['CAMPAIGN_CANCELLED', 'conflict'],
  ['NO_SUCH_RUN', 'notFound'],
  ['SOURCE_NOT_FOUND', 'notFound'],
  ['CONFIG', 'invalid'],
  ['PLAN_HAS_PROBLEMS', 'conflict'],
  ['UNKNOWN_TAG', 'failed'],
  ['ERR_TOKEN_REVOKED', 'forbidden'],
  ['ERR_SCOPE_MISSING', 'forbidden'],
  ['ERR_PIPELINE_NOT_FOUND', 'failed'],
])('%s is %s, whoever refused', (type, kind) => {
  for (const wrap of [failed, wrapped]) {
    const error = campaignRefusal(wrap(ApplicationFailure.nonRetryable('why', type)));
    expect(error).toBeInstanceOf(OperatorError);
    expect(error).toMatchObject({ kind, code: type, message: expect.stringContaining('why') });
  }
});

it('the code of the service appears once', () => {
  const message = (text: string) =>
    (campaignRefusal(failed(ApplicationFailure.nonRetryable(text, 'ERR_TOKEN_EXPIRED'))) as Error).message;
  expect(message('refused')).toBe('refused [ERR_TOKEN_EXPIRED]');
  expect(message('ERR_TOKEN_EXPIRED at GET /v1/cards')).toBe('ERR_TOKEN_EXPIRED at GET /v1/cards');
});

it('what was cancelled says so, and other errors stay what they are', () => {
  expect(campaignRefusal(failed(new CancelledFailure('planning was cancelled')))).toMatchObject({
    kind: 'failed',
    message: 'planning was cancelled',
  });
  const other = new TypeError('x');
  expect(campaignRefusal(other)).toBe(other);
});
