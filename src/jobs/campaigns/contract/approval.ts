// Who may approve a plan, and why the reader may not.
import { z } from 'zod';
import { Note, Time } from '../../../core/endpoint.ts';

export const Approvers = z.object({
  /** Names of users who may approve it now. */
  approvers: z.array(z.string()),
  /** When the next user may who only has to wait. Null: there is none. */
  from: Time.nullable(),
});

export const Approval = Approvers.extend({
  /** Why you may not approve it. `from`: when you may; null: waiting does not help. Null: you may. */
  refusal: Note.extend({ from: Time.nullable() }).nullable(),
});
export type Approval = z.infer<typeof Approval>;
