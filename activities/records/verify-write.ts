// Compares what a write sent with what the service shows afterwards. Services ignore inputs that they do not know,
// and the API text leaves several input names open, so a success alone proves nothing.

import type { ExtraField } from '../../src/core/record.ts';
import type { Queryable } from '../../src/core/sql/database.ts';
import type { Step } from '../../src/jobs/sync/constants.ts';
import type { WriteCheck } from '../../src/jobs/sync/contract/run.ts';
import { endRecord } from '../../src/jobs/sync/store/records.ts';
import { addRowProblems } from '../../src/jobs/sync/store/row-problems.ts';
import type { AssumptionKey } from '../../src/service/api-client/assumptions.ts';
import type { Card } from '../../src/service/api-client/schemas/card.ts';
import type { Contact } from '../../src/service/api-client/schemas/contact.ts';
import type { Deps } from '../shared/deps.ts';
import type { StepContext, StepResult } from './record-step.ts';

/** One field that the service shows with a different value than Sluice wrote. */
export interface Difference {
  /** The mapping's name of the field, for example `card.title`. */
  readonly field: string;
  /** The assumption that may be wrong; null when the API text names the input. */
  readonly assumption: AssumptionKey | null;
  /** The value arrived, but the account stores it in another form: letter case, accents, a prefix, or cut off. */
  readonly inOtherForm?: boolean;
}

/** Inputs of a contact's write. Null clears the field. */
export interface WrittenContact {
  readonly name?: string | null;
  readonly email?: string | null;
  readonly document?: string | null;
  readonly disableBot?: boolean;
}

const CONTACT_INPUTS = {
  name: 'contactUpdate.nameField',
  email: 'contactUpdate.emailField',
  document: 'contactUpdate.documentField',
  disableBot: 'contactUpdate.disableBotField',
} as const satisfies Record<keyof WrittenContact, AssumptionKey>;

/**
 * @param byUpdate whether PUT /v1/contacts/{contactId} wrote the contact; the API text does not show its input names
 */
export function contactDifferences(
  written: WrittenContact,
  shown: Pick<Contact, keyof WrittenContact>,
  byUpdate: boolean,
): Difference[] {
  return (Object.keys(CONTACT_INPUTS) as (keyof WrittenContact)[]).flatMap((field) => {
    const wanted = written[field];
    const now = shown[field];
    if (wanted === undefined || agrees(field, wanted, now)) return [];
    const inOtherForm = typeof wanted === 'string' && typeof now === 'string' && isFormOf(now, wanted);
    const assumption = byUpdate ? CONTACT_INPUTS[field] : null;
    return [{ field: `contact.${field}`, assumption, inOtherForm }];
  });
}

/**
 * Compares loosely: a service may normalize spaces, Unicode form, the case of an address, or the punctuation of a
 * document.
 */
function agrees(field: keyof WrittenContact, wanted: string | boolean | null, shown: unknown): boolean {
  if (wanted === null) return shown === null || shown === '';
  if (typeof wanted === 'boolean' || typeof shown !== 'string') return wanted === shown;
  if (field === 'email') return tidy(wanted).toLowerCase() === tidy(shown).toLowerCase();
  if (field === 'document') return bare(wanted) === bare(shown);
  return tidy(wanted) === tidy(shown);
}

const tidy = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim();
const bare = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** A shorter beginning may be a different value. */
const LEAST_CUT = 20;

function isFormOf(shown: string, wanted: string): boolean {
  const [now, then] = [loose(shown), loose(wanted)];
  return now !== '' && (now === then || (now.length >= LEAST_CUT && then.startsWith(now)));
}

const loose = (text: string) => bare(text.normalize('NFKD'));

/** Checks that each written field is in the list with its value. */
export function extraInfoDifferences(
  written: readonly ExtraField[],
  shown: readonly ExtraField[],
): Difference[] {
  const values = new Map(shown.map(({ name, value }) => [name, value]));
  const wrong = written.filter(({ name, value }) => tidy(values.get(name) ?? '') !== tidy(value));
  return wrong.map(({ name }) => ({ field: `extraInfo.${name}`, assumption: null }));
}

/** Tags are written by id, and the service silently ignores ids that it does not know (API text, PUT tags). */
export function tagDifferences(
  written: readonly number[],
  shown: readonly { readonly id: number }[],
): Difference[] {
  const ids = new Set(shown.map(({ id }) => id));
  const same = ids.size === written.length && written.every((id) => ids.has(id));
  return same ? [] : [{ field: 'tags', assumption: null }];
}

/** Inputs of a card's creation, as ids of the service. */
export interface WrittenCard {
  readonly pipelineId: number;
  readonly stageId?: number;
  readonly sourceId?: number;
  readonly title?: string;
  /** YYYY-MM-DD. */
  readonly expectedCloseDate?: string;
}

/** No answer of the API shows custom fields (API text, Card), so they cannot be compared. */
export function cardDifferences(written: WrittenCard, shown: Card): Difference[] {
  const differences: Difference[] = [];
  const compare = (
    field: string,
    same: boolean,
    assumption: AssumptionKey | null = null,
    inOtherForm = false,
  ) => {
    if (!same) differences.push({ field: `card.${field}`, assumption, inOtherForm });
  };
  compare('pipeline', shown.pipeline.id === written.pipelineId);
  if (written.stageId !== undefined) compare('stage', shown.stage?.id === written.stageId);
  if (written.sourceId !== undefined) compare('source', shown.source?.id === written.sourceId);
  if (written.title !== undefined) {
    const same = tidy(shown.title) === tidy(written.title);
    compare('title', same, 'card.titleField', isTitleOf(shown, written.title));
  }
  if (written.expectedCloseDate !== undefined) {
    const same = shown.expectedCloseDate?.slice(0, 10) === written.expectedCloseDate;
    compare('expectedCloseDate', same, 'card.expectedCloseDateField');
  }
  return differences;
}

/** A default title (API text, POST /v1/cards, rule 8) contains the contact's name, so that name proves nothing. */
function isTitleOf({ title, contact }: Card, wanted: string): boolean {
  const then = loose(wanted);
  const isNamed = loose(contact.name ?? '').includes(then);
  return isFormOf(title, wanted) || (then !== '' && !isNamed && loose(title).includes(then));
}

/** One sentence for the report. It names fields and assumptions, never values. */
function describeDifference(account: string, { field, assumption, inOtherForm = false }: Difference): string {
  if (inOtherForm)
    return `the service shows ${field} in a different form than Sluice wrote; the account changes it`;
  const shows = `the service shows a different value of ${field} than Sluice wrote`;
  return assumption === null
    ? `${shows}; check whether the account changes it by a rule of its own`
    : `${shows}; check the assumption ${assumption} (accounts.${account}.assumptions)`;
}

const NOT_AS_WRITTEN = 'NOT_AS_WRITTEN';

const OTHER_PERSON = 'OTHER_PERSON';

/**
 * An answer may show a record as it was before the write, so one read-back decides.
 * @param read compares again
 */
export async function confirmed(
  differences: readonly Difference[],
  verify: boolean | undefined,
  read: () => Promise<readonly Difference[]>,
): Promise<readonly Difference[]> {
  const isDoubtful = differences.some(({ inOtherForm = false }) => !inOtherForm);
  return verify === true && isDoubtful ? await read() : differences;
}

/** Adds to the report, field by field, what the service shows differently than it was written. */
export async function noteDifferences(
  deps: Deps,
  { run, row, spec }: StepContext,
  differences: readonly Difference[],
): Promise<WriteCheck> {
  if (differences.length === 0) return { ok: true };
  const problems = differences.map((difference) => ({
    field: difference.field,
    code: NOT_AS_WRITTEN,
    reason: describeDifference(spec.account, difference),
  }));
  await addRowProblems(
    deps.db,
    run,
    problems.map((problem) => ({ row: row.row_no, kind: 'warning', problem })),
  );
  const fields = differences.map(({ field }) => field);
  deps.log.warn({ run, record: row.id, code: NOT_AS_WRITTEN, fields }, 'the service shows a different value');
  if (differences.every(({ inOtherForm = false }) => inOtherForm)) return { ok: true };
  const reason = problems.map((problem) => problem.reason).join('; ');
  return { ok: false, code: NOT_AS_WRITTEN, reason, stop: false };
}

/** The answer to a write is about another person: Sluice records none of it and writes no further record. */
export async function failOther(db: Queryable, deps: Deps, c: StepContext, step: Step): Promise<StepResult> {
  const reason =
    'the answer to the write is about another person, so Sluice recorded nothing; check the account before you continue';
  const ended = await endRecord(db, c.row, { status: 'failed', step, code: OTHER_PERSON, reason });
  deps.log.error({ run: c.run, record: c.row.id, step, code: OTHER_PERSON }, reason);
  return { ...ended, check: { ok: false, code: OTHER_PERSON, reason, stop: true } };
}
