// The calls about a record's contact, and what later steps know of it.
import type { Queryable } from '../../src/core/sql/database.ts';
import { LeaseLostError, markSent } from '../../src/jobs/sync/store/records.ts';
import type { ContactDetails } from '../../src/service/api-client/schemas/contact.ts';
import { type Call, callApi } from '../shared/api-call.ts';
import type { Deps } from '../shared/deps.ts';
import { findPerson, type StepContext } from './record-step.ts';

/** GET /v1/contacts/{contactId}. The only call that shows extra info. */
export async function readContact(deps: Deps, c: StepContext): Promise<ContactDetails> {
  const contact = await callApi(deps, c.account, c.run, 'contacts:read', (client, options) =>
    client.contacts.get(remoteId(c), options),
  );
  if (contact === null) throw new Error('a read is never called off');
  return contact;
}

/** Makes a write. It goes out only while this batch holds the record. */
export async function writeContact<T>(deps: Deps, c: StepContext, call: Call<T>): Promise<T> {
  const answer = await callApi(deps, c.account, c.run, 'contacts:write', call, () =>
    markSent(deps.db, c.row.id, c.row.holder),
  );
  if (answer === null) throw new LeaseLostError();
  return answer;
}

/** The step's context with the person as the ledger has it now. */
export async function again(tx: Queryable, c: StepContext): Promise<StepContext> {
  return { ...c, person: await findPerson(tx, c.spec, c.row.key) };
}

export function remoteId(c: StepContext): number {
  if (c.person?.remote_id == null) throw new Error('the step needs a contact that was upserted before');
  return c.person.remote_id;
}
