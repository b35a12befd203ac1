// Health of the service follows the newest calls, not those of minutes ago.
import { expect, it } from 'vitest';
import { apiStatus } from '../../../src/console/screens/overview/api-status.ts';

const SUCCESS = '2026-11-27T10:00:00.000Z';

it.each([
  ['nothing was called', { calls: 0, failed: 0, unanswered: 0, lastSuccessAt: null }, 'ok'],
  ['all went well', { calls: 9, failed: 0, unanswered: 0, lastSuccessAt: SUCCESS }, 'ok'],
  ['the outage is over', { calls: 40, failed: 39, unanswered: 0, lastSuccessAt: SUCCESS }, 'ok'],
  ['records were refused', { calls: 9, failed: 8, unanswered: 0, lastSuccessAt: SUCCESS }, 'ok'],
  ['one answer was lost', { calls: 9, failed: 1, unanswered: 1, lastSuccessAt: SUCCESS }, 'degraded'],
  ['the service is down', { calls: 9, failed: 3, unanswered: 3, lastSuccessAt: SUCCESS }, 'failed'],
  ['no call succeeded', { calls: 3, failed: 3, unanswered: 0, lastSuccessAt: null }, 'failed'],
  ['only the budget waits', { calls: 3, failed: 0, unanswered: 0, lastSuccessAt: null }, 'ok'],
] as const)('%s: %j is %s', (_, api, status) => expect(apiStatus(api)).toBe(status));
