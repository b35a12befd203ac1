// What happened to a person, in sentences.
import type { WhyReason } from '../../operator/contract/people.ts';
import type { TimelineEntry } from '../../operator/contract/people-timeline.ts';
import { formatDuration } from '../lib/terminal/format.ts';

type Entry<K extends TimelineEntry['kind']> = Extract<TimelineEntry, { kind: K }>;
type Sentences = { readonly [K in TimelineEntry['kind']]: (entry: Entry<K>) => string };

const SENTENCES: Sentences = {
  event: ({ code, route, action, event, warnings, problem }) =>
    code === 'received'
      ? `event ${event} arrived over ${route}: ${action}${warnings.length === 0 ? '' : `, with ${warnings.map(({ field }) => field).join(', ')} left out`}`
      : `event ${event} ${code === 'blocked' ? 'waits for an operator' : `ended: ${code}`}${why(problem)}`,
  row: ({ code, run, row, into, created, cardCreated, step, problem }) => {
    if (code === 'merged')
      return `row ${row} of ${run} was merged into ${into === null ? 'a record of the run before' : `row ${into}`}`;
    const made = [...(created ? ['contact created'] : []), ...(cardCreated ? ['card created'] : [])];
    const where = row === 0 ? `${run}: the person has left the source` : `row ${row} of ${run}`;
    return `${where}: ${code}${step === null ? '' : ` at ${step}`}${made.length === 0 ? '' : ` (${made.join(', ')})`}${why(problem)}`;
  },
  finding: ({ code, run, row, field, column, value, likely, problem }) =>
    `row ${row} of ${run}: ${code === 'rejected' ? 'rejected, ' : ''}${column ?? field}${value === null ? '' : ` "${value}"`}${likely ? ' ends like this number' : ' was left out'}${why(problem)}`,
  contact: ({ contact, fields, tags, createdBy }) =>
    `contact ${contact ?? '?'} is as the source has it: ${[...fields, ...tags.map((tag) => `tag ${tag}`)].join(', ') || 'no fields'}${createdBy === null ? '' : `; created by ${createdBy}`}`,
  card: ({ code, card, pipeline, stage }) =>
    `card ${card} in ${pipeline}${stage === null ? '' : `, stage ${stage}`} (${code})`,
  effect: ({ code, what, run }) =>
    `${what} of ${run}: ${code === 'sent' ? 'the answer is missing' : 'nothing shows whether it took effect'}`,
  call: ({ code, method, route, status, requestId, waitMs, tookMs }) =>
    `${method} ${route}: ${status === null ? code : code === String(status) ? code : `${status} ${code}`}, after ${formatDuration(waitMs)} for the budget, in ${formatDuration(tookMs)}${requestId === null ? '' : `, request ${requestId}`}`,
  campaign: ({ code, campaign, run, wave, problem }) =>
    `campaign ${campaign}: ${CAMPAIGN[code]}${wave === null ? '' : `, wave ${wave}`} (${run})${why(problem)}`,
  conversation: ({ code, conversation, channel, chatbot, user }) =>
    `conversation ${conversation} on ${channel}: ${code}${chatbot === true ? ', served by the chatbot' : ''}${user === null ? '' : `, served by user ${user}`}`,
  message: ({ code, conversation, status }) =>
    `message ${code} in conversation ${conversation}${status === null ? '' : `: ${status}`}`,
  delivery: ({ code, message, problem }) => `message ${message}: ${code}${why(problem)}`,
  gap: ({ code, conversation, reason }) =>
    `messages ${conversation === null ? '' : `of conversation ${conversation} `}could not be read: ${reason} [${code}]`,
  optOut: ({ code }) => OPT_OUT[code],
};

const OPT_OUT: Readonly<Record<Entry<'optOut'>['code'], string>> = {
  reply: 'opted out of campaigns, in a reply',
  tag: 'opted out of campaigns, by a tag on the contact',
  erase: 'opted out of campaigns, when they were erased',
  operator: 'opted out of campaigns, recorded by an operator',
  import: 'opted out of campaigns, by an imported list',
  withdrawn: 'the opt-out was withdrawn by an operator',
};

const CAMPAIGN: Readonly<Record<Entry<'campaign'>['code'], string>> = {
  found: 'found while the audience is read',
  included: 'in the audience',
  excluded: 'excluded',
  controlGroup: 'in the control group, so not triggered',
  skipped: 'skipped',
  failed: 'the trigger failed',
  unknown: 'nothing shows whether the flow ran',
  cancelled: 'canceled before the trigger',
  triggered: 'triggered',
  delivered: 'message delivered',
  read: 'message read',
  replied: 'replied',
  optedOut: 'opted out',
  moved: 'card moved',
  tagged: 'tags set',
};

const WHY: Readonly<Record<WhyReason['code'], string>> = {
  OPTED_OUT: 'opted out of campaigns',
  NUMBER_REJECTED: 'a row with this number was rejected',
  LEFT_OUT: 'excluded',
  CONTROL_GROUP: 'in the control group',
  SKIPPED: 'skipped when the trigger was due',
  TRIGGER_FAILED: 'the trigger failed',
  TRIGGER_UNKNOWN: 'nothing shows whether the flow ran',
  CANCELED: 'canceled before the trigger',
  WAITING: 'still waits for the trigger',
  CAMPAIGN_PAUSED: 'the campaign is paused',
  CAMPAIGN_BLOCKED: 'the campaign waits for something that Sluice cannot read',
  ROW_LEFT_OUT: 'excluded a row with this name, e-mail address or number',
  NOT_IN_AUDIENCE: 'not in the audience',
  SYNC_FAILED: 'the sync could not write the person',
  EVENT_FAILED: 'an event failed',
  EVENT_BLOCKED: 'an event waits for an operator',
  DELIVERY_FAILED: 'a message was not delivered',
  NO_CONTACT: 'Sluice knows no contact of the person in the service',
  NUMBER_REPAIRED: 'repaired: an earlier run rejected a row with this number',
};

export function sentenceOf<K extends TimelineEntry['kind']>(entry: Entry<K>): string {
  return (SENTENCES[entry.kind] as (entry: Entry<K>) => string)(entry);
}

export function reasonOf({ code, campaign, run, event, problem }: WhyReason): string {
  const of = campaign === null ? '' : `campaign ${campaign}: `;
  const where = event !== null ? ` (event ${event})` : campaign === null && run !== null ? ` (${run})` : '';
  return `${of}${WHY[code]}${where}${why(problem)}`;
}

function why(problem: { readonly code: string; readonly reason: string } | null): string {
  if (problem === null) return '';
  return problem.reason === '' ? ` [${problem.code}]` : `: ${problem.reason} [${problem.code}]`;
}
