// Endpoints of notices to people.
import { z } from 'zod';
import { endpoint, Name } from '../../core/endpoint.ts';

export const NOTICES = {
  'POST /notices/test': endpoint({
    role: 'operator',
    summary: 'Send a test notice to a channel, or to all of them, and say what each answered.',
    input: z.strictObject({ channel: Name.optional() }),
    output: z.object({
      results: z.array(
        z.object({
          channel: z.string(),
          /** Null: the notice arrived. */
          code: z.string().nullable(),
          /** What the receiver answered, or why there is no answer. */
          answer: z.string(),
        }),
      ),
    }),
    audit: ['channel'],
  }),
};
