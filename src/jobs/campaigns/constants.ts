// Names of campaigns. Workflows and the console import this file, so it imports nothing.

/**
 * States of a member. Those before `waiting` are decided when the audience is frozen. Those after `sending` are
 * final, but an operator may retry `failed` members and resolve `unknown` ones.
 * - `found`: the audience is being read; `excluded`; `holdout`: in the control group
 * - `waiting`: for its wave, or for its trigger in the open wave; `sending`: the right to trigger its flow is taken
 * - `triggered`; `skipped`: a rule forbade the trigger when it was due; `failed`: refused; `unknown`; `cancelled`
 */
export const MEMBER_STATES = [
  'found',
  'excluded',
  'holdout',
  'waiting',
  'sending',
  'triggered',
  'skipped',
  'failed',
  'unknown',
  'cancelled',
] as const;
export type MemberState = (typeof MEMBER_STATES)[number];

/** Codes of `excluded` (decided when the audience is frozen) and of `skipped` (decided when the member is due). */
export const MEMBER_CODES = [
  'NUMBER_INVALID',
  'VARIABLE_MISSING',
  'OPTED_OUT',
  'EXCLUDED_TAG',
  'EXCLUDED_NUMBER',
  'EXCLUDED_CAMPAIGN',
  'CONTACTED_LATELY',
  'OPEN_CONVERSATION',
  'HUMAN_SERVICE',
  'REPLIES_UNREAD',
  'NO_COMMON_WINDOW',
  'FREQUENCY_CAP',
  'WINDOW_CLOSED',
  'WINDOW_UNKNOWN',
  'CONTACT_GONE',
  'WAVE_SKIPPED',
  'CAMPAIGN_ENDED',
  'ERASED',
] as const;
export type MemberCode = (typeof MEMBER_CODES)[number];

/** Days of sending windows, as keys of `windows.days`. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** What a missing option of a campaign means, by its place. The form shows it where a value would stand. */
export const DEFAULTS = {
  exclude: { openConversation: false, humanService: true },
  holdout: 0,
  waves: { size: 500, every: '0s', settle: '15m' },
  stop: { atLeast: 20 },
  cap: { times: 1, within: '7d' },
} as const;
