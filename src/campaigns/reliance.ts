// What of a campaign relies on what pollers read: such a rule never takes "could not be read" for "nothing there".

import type { CampaignConfig } from '../contracts/config/config-campaigns.ts';
import type { CampaignSpec, PlanNote } from '../contracts/wire/campaign.ts';

/** Of a poller of the account that was started. */
export interface PollerState {
  readonly poller: string;
  /** It follows the campaign's connection. */
  readonly follows: boolean;
  /** What keeps it from polling; null: it polls. */
  readonly idle: string | null;
  /** Why it waits for an operator; null: it does not. */
  readonly blocked: { readonly code: string; readonly reason: string; readonly isShape: boolean } | null;
}

type Rules = Pick<CampaignSpec, 'config' | 'optOut'>;

/** Rules that go by replies alone: without a poller that reads they would be silent, or wrong. */
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

/** Rules that conversations narrow further: others know something of it, too. */
function rulesOnConversations({ exclude }: CampaignConfig): string[] {
  return [
    ...(exclude.contactedWithin === undefined ? [] : ['exclude.contactedWithin']),
    ...(exclude.openConversation ? ['exclude.openConversation'] : []),
    ...(exclude.humanService ? ['exclude.humanService'] : []),
  ];
}

/** Do messages of a person decide whether the campaign may reach them? */
export function readsMessages({ config, optOut }: Rules): boolean {
  return optOut.words.length > 0 || config.exclude.contactedWithin !== undefined;
}

/** Why the campaign can't be carried out while pollers can't read; null: nothing that it relies on is unread. */
export function repliesUnread(rules: Rules, pollers: readonly PollerState[]): PlanNote | null {
  const onReplies = rulesOnReplies(rules);
  for (const { poller, blocked } of pollers) {
    if (blocked === null) continue;
    // Where the service shows something in another form, nothing that was read before holds for now.
    const relying = blocked.isShape ? [...onReplies, ...rulesOnConversations(rules.config)] : onReplies;
    if (relying.length === 0) continue;
    const why = `the poller "${poller}" can't read conversations, and ${named(relying)} on them`;
    return { code: 'REPLIES_UNREAD', reason: `${why}: ${blocked.reason}` };
  }
  return null;
}

/** Does a poller that follows the connection poll? */
export function seeing(pollers: readonly PollerState[]): boolean {
  return pollers.some(({ follows, idle }) => follows && idle === null);
}

/** Why nobody follows the connection. */
export function blindness(pollers: readonly PollerState[]): string {
  const following = pollers.filter(({ follows }) => follows);
  const idle = following.map(({ poller, idle }) => `the poller "${poller}" ${idle}`).join(', ');
  return following.length === 0
    ? 'no poller that follows the connection was ever started (`sluice poll start`)'
    : `nobody follows the connection (${idle})`;
}

/** Why a campaign may not trigger anybody just now: what it relies on is not being read. Null: it may. */
export function unreadReplies(rules: Rules, pollers: readonly PollerState[]): PlanNote | null {
  const unread = repliesUnread(rules, pollers);
  if (unread !== null) return unread;
  const onReplies = rulesOnReplies(rules);
  if (onReplies.length === 0 || seeing(pollers)) return null;
  return { code: 'NO_POLLER', reason: `${blindness(pollers)}, and ${named(onReplies)} on replies` };
}

function named(rules: readonly string[]): string {
  return `${rules.map((rule) => `\`${rule}\``).join(', ')} ${rules.length === 1 ? 'relies' : 'rely'}`;
}
