// The events of the registry of opt-outs.
import { z } from 'zod';
import { described } from '../../../core/config/base.ts';
import { OPT_OUT_SOURCES } from '../../../core/opt-out-sources.ts';

export const OPT_OUT_EVENT_TYPES = ['sluice.optout.added', 'sluice.optout.withdrawn'] as const;

/** Somebody must no longer be messaged, or may be again. The evidence and the reason are not part of it. */
export const OptOutEvent = z
  .strictObject({
    specversion: z.literal('1.0'),
    id: described(
      z.string().min(1),
      '`{type}/{account}/{id of the opt-out}/{time}`. A repeated event has the same id.',
    ),
    source: described(
      z.string().regex(/^\/sluice\/accounts\/[^/]+\/opt-outs$/),
      '`/sluice/accounts/{account}/opt-outs`.',
    ),
    type: z.enum(OPT_OUT_EVENT_TYPES),
    subject: described(z.string().min(1), 'Id of the opt-out.'),
    time: described(z.iso.datetime(), 'Time at which Sluice recorded the change, in UTC.'),
    datacontenttype: z.literal('application/json'),
    partitionkey: described(
      z.string().min(1),
      '`{account}/opt-outs/{id of the opt-out}`. Events with the same key arrive in order (CloudEvents extension "partitioning").',
    ),
    data: z.object({
      account: described(z.string(), 'Name of the account in the configuration.'),
      optOut: described(z.int(), 'Id of the opt-out. It stays the same when the person opts out again.'),
      number: described(
        z.string(),
        'Phone number of the person, E.164 without plus. Brazilian mobile numbers have the ninth digit.',
      ),
      via: described(
        z.enum(OPT_OUT_SOURCES),
        'How it is known: a keyword in a reply, a tag on the contact, the erasure of the person, an operator, or an imported list.',
      ),
      at: described(z.iso.datetime(), 'When the person opted out, in UTC.'),
      by: described(
        z.string().nullable(),
        'Operator who recorded or withdrew the opt-out. null: Sluice recorded it.',
      ),
    }),
  })
  .readonly();
export type OptOutEvent = z.infer<typeof OptOutEvent>;
