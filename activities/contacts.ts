// Steps of a record that concern its contact: look it up, upsert it, keep its tags and extra info.
import type { Contact } from '../src/api-client/schemas/contact.ts';
import { STEP_BITS, type StepInput, type StepResult } from '../src/contracts/run.ts';
import type { Queryable } from '../src/ledger/database.ts';
import { forgetContact, noteContact, noteSeen } from '../src/ledger/people.ts';
import { markSent, rememberTagIds, settleStep } from '../src/ledger/records.ts';
import { type Call, callApi } from './api-call.ts';
import { type ContactChange, changesNothing } from './contact-change.ts';
import type { Deps } from './deps.ts';
import { cardsAreOpen, findPerson, runStep, type StepContext } from './record-step.ts';
import {
  changeOf,
  extraToSend,
  failConflict,
  leavesFields,
  seenInRun,
  seenOf,
  settleSeen,
} from './seen-contact.ts';
import { canFold, canonicalKey, hashRecord } from './sync-diff.ts';
import { noteTagPlan, planTags } from './tag-plan.ts';
import { wholeList } from './whole-list.ts';

/** Clocks of the two sides may differ by so much. */
const CLOCK_SKEW_MS = 60_000;

export function createContactActivities(deps: Deps) {
  const { db } = deps;
  return {
    /** GET /v1/contacts?number=: covers both forms of a Brazilian number. */
    async lookup(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'lookup', input, async (c) => {
        const list = await callApi(deps, c.account, c.run, 'contacts:read', (client, options) =>
          client.contacts.list({ number: c.record.key, pageSize: 100 }, options),
        );
        const found = choose(wholeList({ method: 'GET', path: '/v1/contacts' }, list), c.record.key);
        return await db.transaction(async (tx) => {
          const { account, options } = c.spec;
          const seen = found && { id: found.id, contact: seenOf(found, null) };
          await noteSeen(tx, account, c.row.key, c.run, seen);
          if (found !== null) return await settleSeen(tx, await again(tx, c), STEP_BITS.lookup);
          if (options.mode === 'update') return await settleStep(tx, c.row.id, { clear: c.row.todo });
          const folds = canFold(c.record, options) && (await cardsAreOpen(tx, c.run));
          return await settleStep(tx, c.row.id, {
            clear: STEP_BITS.lookup | (folds ? STEP_BITS.upsertContact | STEP_BITS.setTags : 0),
          });
        });
      });
    },

    /** GET /v1/contacts/{contactId}: the only call that shows extra info. */
    async readExtraInfo(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'readExtraInfo', input, async (c) => {
        const contact = await callApi(deps, c.account, c.run, 'contacts:read', (client, options) =>
          client.contacts.get(remoteId(c), options),
        );
        if (contact === null) throw new Error('a read is never called off');
        return await db.transaction(async (tx) => {
          const seen = { id: contact.id, contact: seenOf(contact, contact.extraInfo) };
          await noteSeen(tx, c.spec.account, c.row.key, c.run, seen);
          return await settleSeen(tx, await again(tx, c), STEP_BITS.readExtraInfo);
        });
      });
    },

    /**
     * POST /v1/contacts with the fields that changed. Extra info rides along, so a changed list costs no call of its own.
     * Where a field is to be emptied: PUT /v1/contacts/{contactId}, since the upsert writes no empty value (rule 2).
     */
    async upsertContact(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'upsertContact', input, async (c) => {
        const isNew = c.person?.remote_id == null;
        const { options, sync } = c.spec;
        // Found on the service after all: somebody whom an insert leaves alone.
        if (options.mode === 'insert' && !isNew && c.person?.created_by !== sync)
          return await settleStep(db, c.row.id, { clear: c.row.todo });
        const change = changeOf(c, seenInRun(c));
        if (change.look) return await settleStep(db, c.row.id, { clear: 0, add: STEP_BITS.readExtraInfo });
        if (change.conflicts.length > 0) return await failConflict(db, c.row.id, change.conflicts);
        const extra = leavesFields(c) ? null : extraToSend(c);
        const tagged = (c.row.todo & STEP_BITS.setTags) !== 0;
        const looks = tagged && options.tags !== 'replace' && c.row.tag_ids === null;
        // The upsert would make anew who has left the source, and was deleted on the service too.
        if (looks && c.row.row_no === 0)
          return await settleStep(db, c.row.id, {
            clear: STEP_BITS.upsertContact,
            add: STEP_BITS.readExtraInfo,
          });
        if (!isNew && changesNothing(change) && extra === null && !looks) {
          await noteWritten(db, c, writtenTo(c), change, extra, false);
          return await settleStep(db, c.row.id, { clear: STEP_BITS.upsertContact });
        }
        const answer = await write(c, change, extra);
        if (answer.created && !isNew) return await beginAnew(c, answer.contact?.number ?? null);
        const created = answer.created || (isNew && createdByLostAttempt(c, answer.contact));
        const tags = tagged && answer.contact !== null ? await planTags(db, c, answer.contact.tags) : null;
        const wrote = !changesNothing(change) || extra !== null || created;
        return await db.transaction(async (tx) => {
          await noteWritten(tx, c, answer.contact ?? writtenTo(c), change, extra, created);
          if (tags !== null && tags.ids === null) {
            await noteTagPlan(tx, c, tags);
          }
          if (tags?.ids != null) await rememberTagIds(tx, c.row.id, { ...tags, ids: tags.ids });
          const wantsCard = (c.row.todo & STEP_BITS.createCard) !== 0;
          return await settleStep(tx, c.row.id, {
            clear: STEP_BITS.upsertContact | (tags !== null && tags.ids === null ? STEP_BITS.setTags : 0),
            // A contact that was there before may have a card that people made; so may one that a lost
            // attempt seems to have made.
            add: wantsCard && !answer.created && c.person?.card == null ? STEP_BITS.findCard : 0,
            created,
            touched: wrote,
          });
        });
      });
    },

    /** PUT /v1/contacts/{contactId}/tags: replaces the whole list, so the list carries what people set. */
    async setTags(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'setTags', input, async (c) => {
        const seen = seenInRun(c)?.tags ?? null;
        if (c.row.tag_ids === null && seen === null && c.spec.options.tags !== 'replace')
          return await settleStep(db, c.row.id, { clear: 0, add: STEP_BITS.readExtraInfo });
        const tags = c.row.tag_ids ?? (await planTags(db, c, seen));
        // The tags of the account could not be read: these wait for a run that may.
        if (tags === null) return await settleStep(db, c.row.id, { clear: STEP_BITS.setTags });
        const { ids } = tags;
        if (ids !== null) {
          await callApi(deps, c.account, c.run, 'contacts:write', (client, options) =>
            client.contacts.setTags(remoteId(c), ids, options),
          );
        }
        return await db.transaction(async (tx) => {
          await noteTagPlan(tx, c, tags);
          return await settleStep(tx, c.row.id, { clear: STEP_BITS.setTags, touched: ids !== null });
        });
      });
    },
  };

  /** The call itself; `contact` is null when the answer does not show it. */
  async function write(
    c: StepContext,
    change: ContactChange,
    extra: ReturnType<typeof extraToSend>,
  ): Promise<{ created: boolean; contact: Contact | null }> {
    const fields = { ...change.write, ...(extra === null ? {} : { extraInfo: [...extra] }) };
    const call = <T>(make: Call<T>) =>
      callApi(deps, c.account, c.run, 'contacts:write', make, async () => {
        await markSent(db, c.row.id);
        return true;
      });
    if (change.clear.length > 0) {
      const empty = Object.fromEntries(change.clear.map((field) => [field, null]));
      const body = { ...fields, ...empty };
      const contact = await call((client, options) => client.contacts.update(remoteId(c), body, options));
      return { created: false, contact };
    }
    const body = {
      // An old contact may stand under the number without the ninth digit: write to that one.
      number: c.person?.remote_number ?? c.record.contact.number,
      ...fields,
      ...(c.spec.options.validateNumber ? { validateNumber: true } : {}),
    };
    const answer = await call((client, options) => client.contacts.upsert(body, options));
    if (answer === null) throw new Error('an upsert is never called off');
    return answer;
  }

  /** The service made a contact that it had before: somebody deleted it there. All is sent again, as to somebody new. */
  async function beginAnew(c: StepContext, number: string | null): Promise<StepResult> {
    return await db.transaction(async (tx) => {
      await forgetContact(tx, c.spec.account, c.row.key, number);
      return await settleStep(tx, c.row.id, {
        clear: 0,
        add:
          STEP_BITS.upsertContact |
          (c.record.tags.length > 0 ? STEP_BITS.setTags : 0) |
          (c.record.card === undefined ? 0 : STEP_BITS.createCard),
        created: true,
      });
    });
  }
}

function writtenTo(c: StepContext): { id: number; number: string } {
  return { id: remoteId(c), number: c.person?.remote_number ?? c.record.contact.number };
}

/** The step's context with the person as the ledger has it now. */
export async function again(tx: Queryable, c: StepContext): Promise<StepContext> {
  return { ...c, person: await findPerson(tx, c.spec, c.row.key) };
}

async function noteWritten(
  tx: Queryable,
  c: StepContext,
  contact: { readonly id: number; readonly number: string },
  change: ContactChange,
  extra: ReturnType<typeof extraToSend>,
  created: boolean,
): Promise<void> {
  const hashes = hashRecord(c.record, c.spec.options);
  await noteContact(tx, c.spec.account, c.row.key, {
    remoteId: contact.id,
    remoteNumber: contact.number,
    hashContact: leavesFields(c) ? (c.person?.hash_contact ?? hashes.contact) : hashes.contact,
    hashExtra: c.record.extraInfo.length === 0 ? (c.person?.hash_extra ?? hashes.extra) : hashes.extra,
    extra,
    marks: change.sent,
    createdBy: created ? c.spec.sync : null,
  });
}

/** The contact of a person: the one under the very number first, else the oldest. */
export function choose(items: readonly Contact[], key: string): Contact | null {
  const same = items.filter((item) => canonicalKey(item.number) === key);
  return same.find((item) => item.number === key) ?? same.sort((a, b) => a.id - b.id)[0] ?? null;
}

/** An earlier attempt made the contact and its answer was lost: this run created it all the same. */
function createdByLostAttempt(c: StepContext, contact: Contact | null): boolean {
  const { sent_at: sent } = c.row;
  if (sent === null || contact === null) return false;
  return new Date(contact.createdAt).getTime() >= sent.getTime() - CLOCK_SKEW_MS;
}

export function remoteId(c: StepContext): number {
  if (c.person?.remote_id == null) throw new Error('the step needs a contact that was upserted before');
  return c.person.remote_id;
}
