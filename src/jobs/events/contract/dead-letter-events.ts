// The events of deliveries that a route refused. They never contain the delivery itself.
import { z } from 'zod';
import { described } from '../../../core/config/base.ts';

export const DEAD_LETTER_EVENT_TYPES = ['sluice.deadletter.added', 'sluice.deadletter.resolved'] as const;

const text = (description: string) => described(z.string(), description);

/** A route refused a request or a record, or somebody has replayed or discarded it. */
export const DeadLetterEvent = z
  .strictObject({
    specversion: z.literal('1.0'),
    id: described(
      z.string().min(1),
      '`{type}/{subject}` and what tells repeated refusals apart. A repeated event has the same id.',
    ),
    source: described(
      z.string().regex(/^\/sluice\/accounts\/[^/]+\/routes\/[^/]+$/),
      '`/sluice/accounts/{account}/routes/{route}`.',
    ),
    type: z.enum(DEAD_LETTER_EVENT_TYPES),
    subject: described(
      z.string().min(1),
      'Id of the refused request, or `{topic}/{partition}/{offset}` of the refused record.',
    ),
    time: described(z.iso.datetime(), 'Time of the refusal, or of the resolution, in UTC.'),
    datacontenttype: z.literal('application/json'),
    partitionkey: described(
      z.string().min(1),
      '`{account}/dead-letters/{subject}`. Events with the same key arrive in order (CloudEvents extension "partitioning").',
    ),
    data: z.object({
      account: text('Name of the account in the configuration.'),
      route: text('Name of the route that refused it.'),
      request: described(
        z.string().nullable(),
        'Id of the refused request, as `sluice refused` takes it. null: it came from Kafka.',
      ),
      record: described(
        z
          .object({
            topic: text('Topic of the refused record.'),
            partition: described(z.int().nonnegative(), 'Partition of the refused record.'),
            offset: text('Offset of the refused record.'),
          })
          .nullable(),
        'Place of the refused record in Kafka. null: it came over HTTP.',
      ),
      code: text('Why it was refused.'),
      reason: text('The same in words, without any value of the delivery.'),
      resolution: described(
        z
          .object({
            how: described(z.enum(['replayed', 'discarded']), 'What became of it.'),
            by: text('Who resolved it.'),
          })
          .nullable(),
        'How it was resolved. null: it is open.',
      ),
    }),
  })
  .readonly();
export type DeadLetterEvent = z.infer<typeof DeadLetterEvent>;
