// Connection (API text, Resources, Connection).
import { z } from 'zod';
import { Id, Instant, openWord, orNull } from './fields.ts';

export const Connection = z.looseObject({
  /** Called whatsappId elsewhere. */
  id: Id,
  name: z.string(),
  channel: openWord<'waba' | 'whatsapp' | 'facebook' | 'instagram'>(),
  /** Only CONNECTED is named by the API text. */
  status: openWord<'CONNECTED'>(),
  /** Mirrors the panel's mark; has no influence on sending. */
  isDefault: z.boolean(),
  lastWebhookAt: orNull(Instant),
  updatedAt: orNull(Instant),
});
export type Connection = z.infer<typeof Connection>;
