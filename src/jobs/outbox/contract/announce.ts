// The part `announce` of sluice.yaml.
import { z } from 'zod';
import { described, name } from '../../../core/config/base.ts';
import { CAMPAIGN_EVENT_TYPES } from '../../campaigns/contract/campaign-events.ts';
import { CONVERSATION_EVENT_TYPES } from '../../conversations/contract/events.ts';
import { DEAD_LETTER_EVENT_TYPES } from '../../events/contract/dead-letter-events.ts';
import { OPT_OUT_EVENT_TYPES } from './opt-out-events.ts';

/** Types that an account announces. The end of a sync's run has a sink of its own, in the sync. */
export const ANNOUNCED_TYPES = [
  ...CONVERSATION_EVENT_TYPES,
  ...CAMPAIGN_EVENT_TYPES,
  ...OPT_OUT_EVENT_TYPES,
  ...DEAD_LETTER_EVENT_TYPES,
] as const;
export type AnnouncedType = (typeof ANNOUNCED_TYPES)[number];

/** Which sinks hear what of an account. */
export const AnnounceRule = z.strictObject({
  sink: described(name, 'Sink that receives the events: a name from `sinks`.'),
  events: z.array(z.enum(ANNOUNCED_TYPES)).min(1).optional().meta({
    description:
      'Types of events to publish. Default: all types of conversations, which are message.* and conversation.*. Events of campaigns, opt-outs and dead letters are published only if you name them.',
  }),
  connections: z.array(z.int().positive()).min(1).optional().meta({
    description:
      'Ids of connections. Of conversations, only events of these connections are published. Default: all.',
  }),
});
export type AnnounceRule = z.infer<typeof AnnounceRule>;

/** Types that a rule selects. Without a list these are the types of conversations alone. */
export function typesOf({ events }: Pick<AnnounceRule, 'events'>): readonly AnnouncedType[] {
  return events ?? CONVERSATION_EVENT_TYPES;
}

/** Does any sink hear events of this type? */
export function isAnnounced(rules: readonly AnnounceRule[], type: AnnouncedType): boolean {
  return rules.some((rule) => typesOf(rule).includes(type));
}

/** Sinks that hear one of these types. */
export function sinksOf(rules: readonly AnnounceRule[], types: readonly AnnouncedType[]): string[] {
  const heard = rules.filter((rule) => types.some((type) => typesOf(rule).includes(type)));
  return [...new Set(heard.map(({ sink }) => sink))];
}
