// Connection (API text, Resources, Connection).
import { z } from 'zod';
import { Id, Instant, openWord, orNull } from './fields.ts';

export const Connection = z.looseObject({
  /** Inputs of calls name it whatsappId. */
  id: Id,
  name: z.string(),
  channel: openWord<'waba' | 'whatsapp' | 'facebook' | 'instagram'>(),
  /** The API text names CONNECTED only. */
  status: openWord<'CONNECTED'>(),
  /** The panel's default mark. It has no effect on sending. */
  isDefault: z.boolean(),
  lastWebhookAt: orNull(Instant),
  updatedAt: orNull(Instant),
});
export type Connection = z.infer<typeof Connection>;
