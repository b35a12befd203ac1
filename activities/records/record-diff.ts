// Compares a record with what the ledger knows was sent. Pure functions.

import type { CrmRecord, ExtraField } from '../../src/core/record.ts';
import type { KnownPerson } from '../../src/core/store/people.ts';
import type { StepSpec } from '../../src/jobs/events/contract/intake.ts';
import type { SyncConfig } from '../../src/jobs/sync/config.ts';
import { STEP_BITS } from '../../src/jobs/sync/constants.ts';
import { brazilianVariants } from '../../src/mapping/phone/index.ts';
import { changesNothing, contactChange, hashOf as hash, ruleOf, wishOf } from './contact-change.ts';

export type DiffOptions = StepSpec['options'];

export interface RecordHashes {
  readonly contact: string;
  readonly extra: string;
  readonly tags: string;
}

/** Hashes of the three parts that are written to a contact, under the rules for its fields. */
export function hashRecord(record: CrmRecord, rules: Pick<SyncConfig, 'fields'>): RecordHashes {
  return {
    contact: hash(wishOf(record.contact, rules)),
    // Listed field by field, because jsonb returns an object's keys in its own order.
    extra: hash(record.extraInfo.map(({ name, value }) => ({ name, value }))),
    tags: hash(record.tags),
  };
}

/**
 * Merges two rows of one person into one record: the later row's filled fields win, and tags add up. So the order of
 * pages does not matter, and a second run over the same source finds nothing to do.
 */
export function mergeRecords(earlier: CrmRecord, later: CrmRecord): CrmRecord {
  const card =
    earlier.card === undefined || later.card === undefined
      ? (later.card ?? earlier.card)
      : {
          ...earlier.card,
          ...later.card,
          customFields: { ...earlier.card.customFields, ...later.card.customFields },
        };
  return {
    key: earlier.key,
    contact: { ...earlier.contact, ...later.contact },
    extraInfo: mergeExtraInfo(earlier.extraInfo, later.extraInfo),
    tags: [...new Set([...earlier.tags, ...later.tags])].sort(),
    ...(card === undefined ? {} : { card }),
  };
}

/** The fields of `wanted` over those of `base`, sorted by name. */
export function mergeExtraInfo(base: readonly ExtraField[], wanted: readonly ExtraField[]): ExtraField[] {
  const fields = new Map([...base, ...wanted].map((field) => [field.name, field.value]));
  return [...fields].map(([name, value]) => ({ name, value })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether the contact has all extra info that the record asks for, as far as the ledger knows. */
export function hasExtra(
  known: readonly ExtraField[] | null,
  { extraInfo }: CrmRecord,
  options: Pick<DiffOptions, 'extraInfo'>,
): boolean {
  if (known === null || options.extraInfo === 'merge-fresh') return false;
  const there = mergeExtraInfo([], known);
  const wanted = mergeExtraInfo(options.extraInfo === 'merge' ? known : [], extraInfo);
  return (
    wanted.length === there.length &&
    wanted.every(({ name, value }, i) => name === there[i]?.name && value === there[i]?.value)
  );
}

/** A pipeline's or stage's name as the ledger stores it. It distinguishes an id from a name that looks like one. */
export function refName(ref: string | number): string {
  return typeof ref === 'number' ? `#${ref}` : ref;
}

/** The pipeline of a sync's cards as the ledger stores it; empty for a sync without cards. */
export function pipelineName({ mapping }: Pick<StepSpec, 'mapping'>): string {
  return mapping.card === undefined ? '' : refName(mapping.card.pipeline);
}

/**
 * The steps that this record needs, as bits of STEP_BITS; 0 when the service already has everything.
 * @param known the person in the ledger; null for a new person
 * @param sync name of the sync; with mode `insert` it completes what it started itself
 */
export function planSteps(
  record: CrmRecord,
  known: KnownPerson | null,
  options: DiffOptions,
  sync: string,
): number {
  if (known?.remote_id == null) return planNewcomer(record, options);
  const hashes = hashRecord(record, options);
  const insert = options.mode === 'insert';
  if (insert && known.created_by !== sync) return 0;
  let todo = 0;
  const change =
    // An empty hash means that the contact was created but its name has not been sent.
    (insert && known.hash_contact !== '') || hashes.contact === known.hash_contact
      ? null
      : contactChange(record.contact, known.sent, null, options, false);
  const extra =
    !insert &&
    hashes.extra !== known.hash_extra &&
    record.extraInfo.length > 0 &&
    !hasExtra(known.extra_known, record, options);
  // An event sends its tags again, whatever was sent before.
  const news = options.tags === 'add' || hashes.tags !== known.hash_tags;
  const tags = news && concernsTags(record, known, options);
  if (tags && !(insert && known.hash_tags !== null)) todo |= STEP_BITS.setTags;
  const writes = extra || (change !== null && !changesNothing(change));
  // The upsert's answer is the only free check of the contact's tags, so a change that keeps people's tags starts
  // there.
  if (writes || (todo !== 0 && options.tags !== 'replace')) todo |= STEP_BITS.upsertContact;
  if ((extra && needsRead(options)) || change?.mustRead === true) todo |= STEP_BITS.readExtraInfo;
  if (record.card !== undefined) {
    if (known.card == null) todo |= STEP_BITS.createCard | STEP_BITS.findCard;
    else if (
      !insert &&
      options.keepCard !== true &&
      record.card.stage !== undefined &&
      refName(record.card.stage) !== known.card.stage
    )
      todo |= STEP_BITS.moveStage;
  }
  return todo;
}

/** The steps for a person who is not known to be in the service; never 0. */
export function planNewcomer(record: CrmRecord, options: DiffOptions): number {
  return (
    STEP_BITS.upsertContact |
    (needsLookup(record, options) ? STEP_BITS.lookup : 0) |
    (concernsTags(record, null, options) ? STEP_BITS.setTags : 0) |
    (record.card === undefined ? 0 : STEP_BITS.createCard)
  );
}

/**
 * Whether POST /v1/cards may create the contact together with the card. That requires that the service does not have
 * the person, and that the card's call can carry everything: a number and a name.
 */
export function canCombine(record: CrmRecord, options: DiffOptions): boolean {
  const { email, document, disableBot } = record.contact;
  const more = { email, document, disableBot };
  return (
    record.card !== undefined &&
    record.extraInfo.length === 0 &&
    !options.validateNumber &&
    options.mode !== 'update' &&
    Object.entries(more).every(
      ([field, value]) =>
        value === undefined || ruleOf(field as keyof typeof more, options).write === 'never',
    )
  );
}

/**
 * A record without tags is a change only if Sluice set tags before, or if the list must match the mapping exactly.
 */
function concernsTags(record: CrmRecord, known: KnownPerson | null, options: DiffOptions): boolean {
  // This also covers a person who is new to the ledger: the service may have the contact, with tags from others.
  if (record.tags.length > 0 || options.tags === 'replace') return true;
  return options.tags === 'merge' && known?.remote_id != null && known.tags_added.length > 0;
}

/**
 * Whether Sluice must know if the person exists before the first write. It must in three cases: the service may have
 * the other form of a Brazilian mobile number, and the upsert would create a second contact; a full write of extra
 * info could erase what others wrote; or the mode or a rule depends on it.
 */
export function needsLookup(record: CrmRecord, options: DiffOptions): boolean {
  return (
    brazilianVariants(record.key).length > 1 ||
    options.mode === 'insert' ||
    options.mode === 'update' ||
    Object.values(options.fields).some(
      (rule) => (typeof rule === 'string' ? rule : rule.write) === 'if-empty',
    ) ||
    (options.extraInfo !== 'replace' && record.extraInfo.length > 0)
  );
}

/** Whether the contact must be read before extra info is written, so that fields of others stay. */
export function needsRead(options: Pick<DiffOptions, 'extraInfo'>): boolean {
  return options.extraInfo !== 'replace';
}

/**
 * The tags that a contact must have.
 * @param current names of all tags on the contact now
 * @param added names that Sluice set itself
 * @returns null when the list is already correct
 */
export function targetTags(
  current: readonly string[],
  wanted: readonly string[],
  added: readonly string[],
  mode: DiffOptions['tags'],
): string[] | null {
  const keeps = (name: string) => mode === 'add' || wanted.includes(name) || !added.includes(name);
  const keep = mode === 'replace' ? [] : current.filter(keeps);
  const target = [...new Set([...keep, ...wanted])];
  const same = target.length === current.length && target.every((name) => current.includes(name));
  return same ? null : target;
}
