// Rules of a campaign that rely on what pollers read. Such a rule never treats "could not be read" as "there is
// nothing".

import type { CampaignConfig } from '../config.ts';
import type { CampaignSpec } from '../contract/batches.ts';
import type { PlanNote } from '../contract/plan.ts';

/** State of a poller of the account that was started. */
export interface PollerState {
  readonly poller: string;
  /** True if it follows the campaign's connection. */
  readonly follows: boolean;
  /** Why it does not poll; null if it polls. */
  readonly idle: string | null;
  /** Why it is blocked; null if it is not. */
  readonly blocked: { readonly code: string; readonly reason: string; readonly isShape: boolean } | null;
}

type Rules = Pick<CampaignSpec, 'config' | 'optOut'>;

/** Rules that rely on replies only. Without a working poller they would have no effect, or be wrong. */
export function rulesOnReplies({ config, optOut }: Rules): string[] {
  const { stop, conversationWindow } = config;
  return [
    ...(optOut.words.length > 0 ? ['optOut.words'] : []),
    ...(stop.optOut === undefined ? [] : ['stop.optOut']),
    ...(stop.replies === undefined ? [] : ['stop.replies']),
    ...(conversationWindow === 'open' ? ['conversationWindow'] : []),
    ...partsOnReplies(config),
  ];
}

function partsOnReplies({ audience }: CampaignConfig): string[] {
  return audience.flatMap((part, n) => {
    if (part.from !== 'ledger') return [];
    return [
      ...(part.silentFor === undefined ? [] : [`audience.${n}.silentFor`]),
      ...(part.campaign?.replied === undefined ? [] : [`audience.${n}.campaign.replied`]),
    ];
  });
}

/** Rules that conversations make stricter; they have other sources, too. */
function rulesOnConversations({ exclude }: CampaignConfig): string[] {
  return [
    ...(exclude.contactedWithin === undefined ? [] : ['exclude.contactedWithin']),
    ...(exclude.openConversation ? ['exclude.openConversation'] : []),
    ...(exclude.humanService ? ['exclude.humanService'] : []),
  ];
}

/** True if a person's messages decide whether the campaign may reach them. */
export function readsMessages({ config, optOut }: Rules): boolean {
  return optOut.words.length > 0 || config.exclude.contactedWithin !== undefined;
}

/** Why a blocked poller blocks the campaign; null if the campaign relies on nothing that is unread. */
export function repliesUnread(rules: Rules, pollers: readonly PollerState[]): PlanNote | null {
  const onReplies = rulesOnReplies(rules);
  for (const { poller, blocked } of pollers) {
    if (blocked === null) continue;
    // If the service shows items in another form, what was read before is no longer reliable either.
    const relying = blocked.isShape ? [...onReplies, ...rulesOnConversations(rules.config)] : onReplies;
    if (relying.length === 0) continue;
    const why = `the poller "${poller}" can't read conversations, but ${named(relying)} on them`;
    return { code: 'REPLIES_UNREAD', reason: `${why}: ${blocked.reason}` };
  }
  return null;
}

/** True if at least one poller that follows the connection is polling. */
export function seeing(pollers: readonly PollerState[]): boolean {
  return pollers.some(({ follows, idle }) => follows && idle === null);
}

/** Explains why no poller follows the connection. */
export function blindness(pollers: readonly PollerState[]): string {
  const following = pollers.filter(({ follows }) => follows);
  const idle = following.map(({ poller, idle }) => `the poller "${poller}" ${idle}`).join(', ');
  return following.length === 0
    ? 'no poller that follows the connection was ever started (start one with `sluice poll start`)'
    : `no poller follows the connection (${idle})`;
}

/** Whether no poller that follows the connection was ever started, or none polls. */
export function blindWhich(pollers: readonly PollerState[]): 'never' | 'idle' {
  return pollers.some(({ follows }) => follows) ? 'idle' : 'never';
}

/** Why a campaign may not trigger anybody now; null if Sluice reads everything that it relies on. */
export function unreadReplies(rules: Rules, pollers: readonly PollerState[]): PlanNote | null {
  const unread = repliesUnread(rules, pollers);
  if (unread !== null) return unread;
  const onReplies = rulesOnReplies(rules);
  if (onReplies.length === 0 || seeing(pollers)) return null;
  const reason = `${blindness(pollers)}, but ${named(onReplies)} on replies`;
  return { code: 'NO_POLLER', reason, params: { which: [blindWhich(pollers), 'relies'] } };
}

function named(rules: readonly string[]): string {
  return `${rules.map((rule) => `\`${rule}\``).join(', ')} ${rules.length === 1 ? 'relies' : 'rely'}`;
}
