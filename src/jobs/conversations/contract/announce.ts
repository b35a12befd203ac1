// The part `announce` of sluice.yaml.
import { z } from 'zod';
import { described, name } from '../../../core/config/base.ts';
import { CONVERSATION_EVENT_TYPES } from './events.ts';

/** Which sinks hear what of an account's conversations. */
export const AnnounceRule = z.strictObject({
  sink: described(name, 'Sink that receives the events: a name from `sinks`.'),
  events: z.array(z.enum(CONVERSATION_EVENT_TYPES)).min(1).optional().meta({
    description: 'Types of events to publish. Default: all.',
  }),
  connections: z.array(z.int().positive()).min(1).optional().meta({
    description: 'Ids of connections. Only events of their conversations are published. Default: all.',
  }),
});
export type AnnounceRule = z.infer<typeof AnnounceRule>;
