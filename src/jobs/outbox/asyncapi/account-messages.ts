// Texts and examples of the events of campaigns, opt-outs and dead letters.
import type {
  CampaignMemberEvent,
  CampaignRunEvent,
  MemberOutcome,
  RunChange,
} from '../../campaigns/contract/campaign-events.ts';
import type { DeadLetterEvent } from '../../events/contract/dead-letter-events.ts';
import type { AnnouncedType } from '../contract/announce.ts';
import type { OptOutEvent } from '../contract/opt-out-events.ts';
import type { MessageText } from './schemas.ts';

const TIME = '2026-11-20T10:00:00.000Z';
const ENVELOPE = { specversion: '1.0', time: TIME, datacontenttype: 'application/json' } as const;
const RUN = { account: 'acme', campaign: 'winback', run: 'acme/+winback/3' };
const SOURCE = '/sluice/accounts/acme/campaigns/winback';

function run(
  change: RunChange,
  counts: Partial<CampaignRunEvent['data']['counts']>,
  why: Partial<Pick<CampaignRunEvent['data'], 'by' | 'code' | 'reason'>> = {},
): CampaignRunEvent {
  const type = `sluice.campaign.${change}` as const;
  const none = { found: 0, waiting: 0, sending: 0, triggered: 0, skipped: 0, failed: 0, unknown: 0 };
  return {
    ...ENVELOPE,
    source: SOURCE,
    type,
    id: `${type}/${RUN.run}/${TIME}`,
    partitionkey: RUN.run,
    data: {
      ...RUN,
      by: null,
      code: null,
      reason: null,
      ...why,
      counts: { ...none, excluded: 12, holdout: 10, cancelled: 0, ...counts },
    },
  };
}

function member(
  outcome: MemberOutcome,
  why: Partial<Pick<CampaignMemberEvent['data'], 'code' | 'reason' | 'conversation'>> = {},
): CampaignMemberEvent {
  const type = `sluice.campaign.member.${outcome}` as const;
  return {
    ...ENVELOPE,
    source: SOURCE,
    type,
    subject: '9001',
    id: `${type}/${RUN.run}/9001/${TIME}`,
    partitionkey: `${RUN.run}/9001`,
    data: {
      ...RUN,
      member: 9001,
      number: '5511900000000',
      contact: 815,
      card: null,
      part: 0,
      row: 17,
      wave: 1,
      code: null,
      reason: null,
      conversation: null,
      ...why,
    },
  };
}

function optOut(type: OptOutEvent['type'], time: string, by: string | null): OptOutEvent {
  const data = { account: 'acme', optOut: 42, number: '5511900000000', via: 'reply', at: TIME, by } as const;
  return {
    ...ENVELOPE,
    source: '/sluice/accounts/acme/opt-outs',
    type,
    subject: '42',
    time,
    id: `${type}/acme/42/${time}`,
    partitionkey: 'acme/opt-outs/42',
    data,
  };
}

function deadLetter(resolution: DeadLetterEvent['data']['resolution']): DeadLetterEvent {
  const subject = 'crm.leads/3/1207';
  const type = resolution === null ? 'sluice.deadletter.added' : 'sluice.deadletter.resolved';
  return {
    ...ENVELOPE,
    source: '/sluice/accounts/acme/routes/signup',
    type,
    subject,
    id: resolution === null ? `${type}/${subject}` : `${type}/${subject}/${TIME}`,
    partitionkey: `acme/dead-letters/${subject}`,
    data: {
      account: 'acme',
      route: 'signup',
      request: null,
      record: { topic: 'crm.leads', partition: 3, offset: '1207' },
      code: 'SCHEMA',
      reason: 'the body does not match the schema (Phone: type)',
      resolution,
    },
  };
}

/** Every type that an account announces, besides those of conversations. */
export const ACCOUNT_MESSAGES = {
  'sluice.campaign.planned': {
    title: 'Campaign planned',
    summary: 'The plan of a campaign is ready. `excluded` counts who is left out; no other event names them.',
    schema: 'CampaignRun',
    example: run('planned', { waiting: 200 }, { by: 'ana' }),
  },
  'sluice.campaign.started': {
    title: 'Campaign started',
    summary: 'A planned run started.',
    schema: 'CampaignRun',
    example: run('started', { waiting: 200 }, { by: 'ana', reason: 'approved by the board' }),
  },
  'sluice.campaign.paused': {
    title: 'Campaign paused',
    summary: 'An operator, a stop rule or a refusal of the service paused a run.',
    schema: 'CampaignRun',
    example: run(
      'paused',
      { waiting: 150, triggered: 40, failed: 10 },
      { by: 'sluice', code: 'STOP_RULE', reason: 'STOP_RULE: wave 1: 20 % of its members failed' },
    ),
  },
  'sluice.campaign.resumed': {
    title: 'Campaign resumed',
    summary: 'An operator resumed a paused run, or reopened a finished one to trigger members again.',
    schema: 'CampaignRun',
    example: run('resumed', { waiting: 150, triggered: 40, failed: 10 }, { by: 'ana', reason: 'fixed' }),
  },
  'sluice.campaign.finished': {
    title: 'Campaign finished',
    summary: 'Every member of a run has an outcome. A run that an operator reopens finishes again.',
    schema: 'CampaignRun',
    example: run('finished', { triggered: 180, skipped: 9, failed: 10, unknown: 1 }),
  },
  'sluice.campaign.cancelled': {
    title: 'Campaign canceled',
    summary:
      'An operator canceled a run. The members that were not triggered have no event of their own; `cancelled` counts them.',
    schema: 'CampaignRun',
    example: run(
      'cancelled',
      { triggered: 40, failed: 10, cancelled: 150 },
      { by: 'ana', reason: 'wrong flow' },
    ),
  },
  'sluice.campaign.failed': {
    title: 'Plan of a campaign failed',
    summary: 'The plan of a campaign could not be made. Nobody is triggered.',
    schema: 'CampaignRun',
    example: run(
      'failed',
      { excluded: 0, holdout: 0, found: 120 },
      { reason: 'the account has no tag "vip"' },
    ),
  },
  'sluice.campaign.member.triggered': {
    title: 'Member got the flow',
    summary:
      'The service accepted the trigger of a member. It may follow `unknown`, when an answer arrives late or an operator resolves the member. The last event of a member counts.',
    schema: 'CampaignMember',
    example: member('triggered'),
  },
  'sluice.campaign.member.skipped': {
    title: 'Member skipped',
    summary: 'A rule forbade the trigger when the member was due. `code` says which.',
    schema: 'CampaignMember',
    example: member('skipped', {
      code: 'HUMAN_SERVICE',
      reason: 'a person is serving them in conversation 4711',
      conversation: 4711,
    }),
  },
  'sluice.campaign.member.failed': {
    title: 'Member failed',
    summary:
      'The trigger of a member was refused, or an operator found that the flow did not run. An operator may retry the member; its next outcome is another event.',
    schema: 'CampaignMember',
    example: member('failed', { code: 'NOT_TRIGGERED' }),
  },
  'sluice.campaign.member.unknown': {
    title: 'Outcome of a member unknown',
    summary: 'The answer to a trigger was lost. Sluice does not repeat it; an operator resolves the member.',
    schema: 'CampaignMember',
    example: member('unknown', {
      code: 'TRIGGER_AMBIGUOUS',
      reason: 'the response was lost, so Sluice does not know whether the flow ran; check in the service',
    }),
  },
  'sluice.optout.added': {
    title: 'Person opted out',
    summary:
      'A person opted out of the account. One that was known already has no event, and neither has one by the erasure of a person.',
    schema: 'OptOut',
    example: optOut('sluice.optout.added', TIME, null),
  },
  'sluice.optout.withdrawn': {
    title: 'Opt-out withdrawn',
    summary: 'An operator withdrew an opt-out, so the person may be messaged again.',
    schema: 'OptOut',
    example: optOut('sluice.optout.withdrawn', '2026-11-21T10:00:00.000Z', 'user:bia'),
  },
  'sluice.deadletter.added': {
    title: 'Delivery refused',
    summary:
      'A route refused a request and kept it, or refused a record and wrote it to the dead-letter topic. A request that is sent again while it is kept has no second event.',
    schema: 'DeadLetter',
    example: deadLetter(null),
  },
  'sluice.deadletter.resolved': {
    title: 'Refused delivery resolved',
    summary: 'An operator replayed or discarded a refused request or record.',
    schema: 'DeadLetter',
    example: deadLetter({ how: 'replayed', by: 'user:bia' }),
  },
} satisfies Partial<Record<AnnouncedType, MessageText>>;
