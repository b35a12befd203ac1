// What needs a person, in words, with the command that helps.

import { ownReason } from '../../core/own-reason.ts';
import { needsToken } from '../../core/refused-access.ts';
import { describeApprovers } from '../../jobs/campaigns/commands/describe-approvers.ts';
import type { Health } from '../../operator/contract/health.ts';
import { blockedWorkWords, needSentence } from '../../operator/contract/need-words.ts';
import type { Need } from '../../operator/contract/overview.ts';
import { formatCount, formatTime } from '../lib/terminal/format.ts';

type LedgerKind = Health['ledger']['kind'];

/** The command of `sluice`, without `npx sluice`. */
const COMMANDS: Readonly<Record<Need['kind'], (need: Need, ledger: LedgerKind) => string>> = {
  'unknown-records': ({ name }) => `sync retry ${name} --unknown`,
  'unknown-events': ({ name }) => `events list --unknown --route ${name}`,
  'unknown-members': ({ name, run }) => `campaign resolve ${run ?? name} --all --as …`,
  'failed-members': ({ name, run }) => `campaign retry ${run ?? name}`,
  'blocked-poller': ({ name }) => `poll resume ${name}`,
  'blocked-campaign': ({ name }) => `campaign status ${name}`,
  'blocked-events': ({ name }) => `events retry --blocked --route ${name} --yes`,
  'blocked-sync': ({ name }) => `sync resume ${name}`,
  'failing-batch': () => 'doctor',
  'refused-token': () => 'doctor',
  'dead-letters': ({ name }) => `dlq list --route ${name}`,
  'dead-outbox': ({ name }) => `outbox list --dead --sink ${name}`,
  'paused-campaign': ({ name }) => `campaign resume ${name}`,
  'paused-poller': ({ name }) => `poll resume ${name}`,
  'paused-sync': ({ name }) => `sync resume ${name}`,
  approval: ({ name, approval }) =>
    approval !== null && approval.refusal !== null ? `campaign status ${name}` : `campaign approve ${name}`,
  'failed-run': ({ name }) => `sync status ${name}`,
  'failed-campaign': ({ name }) => `campaign status ${name}`,
  'failed-records': ({ name }) => `sync retry ${name} --failed`,
  'rejected-rows': ({ name }) => `sync rows ${name}`,
  'failed-events': ({ name }) => `events list --failed --route ${name}`,
  'refused-events': ({ name }) => `refused list --route ${name}`,
  'unread-conversations': ({ name }) => `poll gaps ${name}`,
  'failing-calls': () => 'doctor',
  'service-away': () => 'doctor',
  'waiting-sink': ({ name }) => `outbox list --sink ${name}`,
  // A worker alone needs servers; `dev` brings them.
  'no-worker': (_, ledger) => (ledger === 'pglite' ? 'dev' : 'worker'),
  'temporal-away': () => 'doctor',
  'kafka-away': () => 'doctor',
  'broken-configuration': () => 'config check',
  'failing-notices': ({ name }) => `notices test ${name}`,
};

const MARK = { critical: '!!', warning: '! ', info: '  ' } as const;

/** One line for the fact and one for the command, with what comes before the command if it alone does not help. */
export function describeNeed(need: Need, ledger: LedgerKind): string[] {
  const { kind, severity, account, since, code, reason, approval, blocks, count, same = null } = need;
  const where = account === null ? '' : ` (${account})`;
  const most = same !== null && same < count ? `${formatCount(same)} of ${formatCount(count)}:` : null;
  const why = [most, ownReason(code, reason), code === null ? null : `[${code}]`]
    .filter((part) => part !== null)
    .join(' ');
  const from = since === null ? '' : `, since ${formatTime(since)}`;
  return [
    `${MARK[severity]} ${needSentence(need, formatCount)}${where}${from}${why === '' ? '' : `: ${why}`}`,
    ...(approval === null || approval.refusal === null
      ? []
      : [
          `   it waits for somebody else than you: ${approval.refusal.reason}; ${describeApprovers(approval)}`,
        ]),
    ...(blocks === undefined ? [] : [`   it blocks: ${blockedWorkWords(blocks)}`]),
    ...(needsToken(code, reason) ? ['   give the account a token that works, then:'] : []),
    `   npx sluice ${COMMANDS[kind](need, ledger)}`,
  ];
}
