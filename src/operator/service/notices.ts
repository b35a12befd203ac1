// Tests of the channels of notices.
import type { NOTICES } from '../contract/notices.ts';
import type { Handlers, OperatorDeps } from './deps.ts';

export function noticeHandlers({ tools }: Pick<OperatorDeps, 'tools'>): Handlers<keyof typeof NOTICES> {
  return {
    'POST /notices/test': async ({ channel }) => await tools.testNotices(channel),
  };
}
