// Steps of a record that concern its contact: look it up, upsert it, keep its tags and extra info.
import type { Contact } from '../src/api-client/schemas/contact.ts';
import { STEP_BITS, type StepInput, type StepResult } from '../src/contracts/run.ts';
import { pick, readCatalog } from '../src/ledger/catalog.ts';
import { noteContact, noteExtraInfo, noteLookup, noteTags } from '../src/ledger/people.ts';
import { markSent, rememberTagIds, settleStep } from '../src/ledger/records.ts';
import { addWarning, UNKNOWN_TAG } from '../src/ledger/runs.ts';
import { callApi } from './api-call.ts';
import type { Deps } from './deps.ts';
import { runStep, type StepContext } from './record-step.ts';
import { canonicalKey, hashRecord, mergeExtraInfo, needsRead, targetTags } from './sync-diff.ts';
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
          await noteLookup(tx, c.spec.account, c.row.key, found);
          return await settleStep(tx, c.row.id, {
            clear: STEP_BITS.lookup,
            add: found === null ? 0 : stepsOfFound(c),
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
        return await db.transaction(async (tx) => {
          await noteExtraInfo(tx, c.spec.account, c.row.key, contact?.extraInfo ?? []);
          return await settleStep(tx, c.row.id, { clear: STEP_BITS.readExtraInfo });
        });
      });
    },

    /** POST /v1/contacts. Extra info rides along, so a changed list costs no call of its own. */
    async upsertContact(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'upsertContact', input, async (c) => {
        const { contact: wanted } = c.record;
        const hashes = hashRecord(c.record);
        const extra =
          hashes.extra === c.person?.hash_extra || c.record.extraInfo.length === 0
            ? null
            : c.spec.options.extraInfo === 'replace'
              ? c.record.extraInfo
              : mergeExtraInfo(c.person?.extra_known ?? [], c.record.extraInfo);
        const answer = await callApi(
          deps,
          c.account,
          c.run,
          'contacts:write',
          (client, options) =>
            client.contacts.upsert(
              {
                ...wanted,
                // An old contact may stand under the number without the ninth digit: write to that one.
                number: c.person?.remote_number ?? wanted.number,
                ...(extra === null ? {} : { extraInfo: [...extra] }),
                ...(c.spec.options.validateNumber ? { validateNumber: true } : {}),
              },
              options,
            ),
          async () => {
            await markSent(db, c.row.id);
            return true;
          },
        );
        if (answer === null) throw new Error('an upsert is never called off');
        const created = answer.created || createdByLostAttempt(c, answer.contact);
        const tags = await planTags(c, answer.contact);
        return await db.transaction(async (tx) => {
          await noteContact(tx, c.spec.account, c.row.key, {
            remoteId: answer.contact.id,
            remoteNumber: answer.contact.number,
            hashContact: hashes.contact,
            hashExtra: hashes.extra,
            extra,
          });
          // A new contact without wanted tags has the list it should have.
          if (tags !== null && tags.ids === null && (created || (c.row.todo & STEP_BITS.setTags) !== 0)) {
            await noteTags(tx, c.spec.account, c.row.key, { hash: hashes.tags, ...tags });
          }
          if (tags !== null && tags.ids !== null)
            await rememberTagIds(tx, c.row.id, { ...tags, ids: tags.ids });
          const wantsCard = (c.row.todo & STEP_BITS.createCard) !== 0;
          return await settleStep(tx, c.row.id, {
            clear: STEP_BITS.upsertContact | (tags !== null && tags.ids === null ? STEP_BITS.setTags : 0),
            // A contact that was there before may have a card that people made; so may one that a lost
            // attempt seems to have made.
            add: wantsCard && !answer.created ? STEP_BITS.findCard : 0,
            created,
            touched: true,
          });
        });
      });
    },

    /** PUT /v1/contacts/{contactId}/tags: replaces the whole list, so the list carries what people set. */
    async setTags(input: StepInput): Promise<StepResult> {
      return await runStep(deps, 'setTags', input, async (c) => {
        const { tag_ids: tags } = c.row;
        if (tags === null) throw new Error('tags are set only after the upsert told which are there');
        await callApi(deps, c.account, c.run, 'contacts:write', (client, options) =>
          client.contacts.setTags(remoteId(c), tags.ids, options),
        );
        return await db.transaction(async (tx) => {
          await noteTags(tx, c.spec.account, c.row.key, { hash: hashRecord(c.record).tags, ...tags });
          return await settleStep(tx, c.row.id, { clear: STEP_BITS.setTags, touched: true });
        });
      });
    },
  };

  /** Tag ids the contact is to have, `ids` null when its list is right, null when that can't be told; tags unknown to the account are warned of once. */
  async function planTags(
    c: StepContext,
    contact: Contact,
  ): Promise<{ ids: number[] | null; added: string[]; missing: string[] } | null> {
    const mine = c.person?.tags_added ?? [];
    if ((c.row.todo & STEP_BITS.setTags) === 0) return { ids: null, added: mine, missing: [] };
    const known = await readCatalog(db, c.spec.account, 'tags');
    // The list of tags was refused: they wait for a run that may read it.
    if (known === null && c.record.tags.length > 0) return null;
    const catalog = known ?? [];
    const wanted: string[] = [];
    const missing: string[] = [];
    for (const name of c.record.tags) {
      const tag = pick(catalog, name);
      if (tag !== null) wanted.push(tag.name);
      else {
        missing.push(name);
        await addWarning(db, c.run, {
          step: 'setTags',
          subject: name,
          code: UNKNOWN_TAG,
          reason: `the account has no tag "${name}": create it in the service, or map the value to another tag`,
        });
      }
    }
    const current = contact.tags.map((tag) => tag.name);
    const target = targetTags(current, wanted, mine, c.spec.options.tags);
    const added = wanted.filter((name) => mine.includes(name) || !current.includes(name));
    if (target === null) return { ids: null, added, missing };
    const byName = new Map([...catalog, ...contact.tags].map((tag) => [tag.name, tag.id]));
    return { ids: target.map((name) => byName.get(name) as number), added, missing };
  }
}

/** Steps that a record gains when a look-up finds the person on the service. */
function stepsOfFound(c: StepContext): number {
  const extra =
    c.record.extraInfo.length > 0 && needsRead(c.person, c.spec.options) ? STEP_BITS.readExtraInfo : 0;
  const tags = c.spec.options.tags === 'replace' ? STEP_BITS.setTags : 0;
  return extra | tags;
}

/** The contact of a person: the one under the very number first, else the oldest. */
function choose(items: readonly Contact[], key: string): { id: number; number: string } | null {
  const same = items.filter((item) => canonicalKey(item.number) === key);
  return same.find((item) => item.number === key) ?? same.sort((a, b) => a.id - b.id)[0] ?? null;
}

/** An earlier attempt made the contact and its answer was lost: this run created it all the same. */
function createdByLostAttempt(c: StepContext, contact: Contact): boolean {
  const { sent_at: sent } = c.row;
  if (sent === null || c.person?.remote_id != null) return false;
  return new Date(contact.createdAt).getTime() >= sent.getTime() - CLOCK_SKEW_MS;
}

export function remoteId(c: StepContext): number {
  if (c.person?.remote_id == null) throw new Error('the step needs a contact that was upserted before');
  return c.person.remote_id;
}
