// Reads parts of an audience that cost no call: rows of sources, people in the ledger, and excluded numbers.
import { Context } from '@temporalio/activity';
import { durationMs } from '../../../src/core/config/base.ts';
import { type SourceCursor, SourceError } from '../../../src/core/source.ts';
import type { AudiencePart, LedgerAudience } from '../../../src/jobs/campaigns/config.ts';
import type {
  AudiencePage,
  AudiencePageInput,
  CampaignSpec,
} from '../../../src/jobs/campaigns/contract/batches.ts';
import {
  type CompileJsonata,
  compileAudience,
  compileExcludedNumbers,
} from '../../../src/jobs/campaigns/rules/audience-row.ts';
import {
  addFound,
  barNumbers,
  type FoundMember,
  type PartProgress,
  progressOf,
  saveProgress,
} from '../../../src/jobs/campaigns/store/audience.ts';
import { type CampaignRow, getCampaign, lockCampaign } from '../../../src/jobs/campaigns/store/campaigns.ts';
import {
  type PeopleCursor,
  type PeopleFilter,
  peoplePage,
} from '../../../src/jobs/campaigns/store/people.ts';
import { addWarning } from '../../../src/jobs/sync/store/run-warnings.ts';
import type { Deps } from '../../shared/deps.ts';
import { sourceFailure } from '../../shared/failures.ts';
import { requirePlanning } from './failures.ts';
import { memberOf } from './found.ts';

/** Number of rows in one transaction; takes about 0.2 s. */
const PAGE_ROWS = 4000;
/** How long one activity keeps reading. Longer activities keep the history small. */
const READ_MS = 5000;

export interface RowsProgress extends PartProgress {
  /** Start of the next page; null at the beginning. */
  readonly cursor: SourceCursor | PeopleCursor | null;
  readonly pages: number;
  /** Number of excluded numbers that can't be read. */
  readonly unreadable: number;
}

const BEGIN: RowsProgress = { found: 0, done: false, cursor: null, pages: 0, unreadable: 0 };

/** Content of one page. */
export interface RowsPage {
  readonly rows: number;
  readonly members: readonly FoundMember[];
  /** Keys of people to exclude. */
  readonly barred: readonly string[];
  readonly unreadable: number;
  readonly next: SourceCursor | PeopleCursor | null;
}

/** True if `exclude.numbers` is a source. It is then read like another part. */
export function readsExcludedNumbers({ config }: Pick<CampaignSpec, 'config'>): boolean {
  const { numbers } = config.exclude;
  return numbers !== undefined && !Array.isArray(numbers);
}

/** Reads some pages of a part of the audience, or of `exclude.numbers` after the last part. */
export async function readRows(deps: Deps, { run, part }: AudiencePageInput, readMs = READ_MS) {
  const campaign = await getCampaign(deps.db, run);
  requirePlanning(campaign);
  const read = reader(deps, campaign, part);
  const until = performance.now() + readMs;
  const { cancellationSignal: signal } = Context.current();
  let progress = rowsProgress(campaign, part);
  while (!progress.done) {
    const { cursor } = progress;
    const page = await read(cursor, signal).catch((error: unknown) => {
      throw sourceFailure(error);
    });
    progress = await takePage(deps, run, part, progress, page);
    if (performance.now() >= until) break;
  }
  const page: AudiencePage = { done: progress.done, found: progress.found };
  return page;
}

function rowsProgress({ parts }: Pick<CampaignRow, 'parts'>, part: number): RowsProgress {
  return (progressOf(parts, part) as RowsProgress | null) ?? BEGIN;
}

/** What reading rows needs. */
export interface RowsDeps extends Pick<Deps, 'db' | 'openSource'> {
  /** Evaluates the JSONata of a draft. @default this thread, for campaigns of the configuration */
  readonly jsonata?: CompileJsonata | undefined;
}

type Reader = (cursor: RowsProgress['cursor'], signal: AbortSignal) => Promise<RowsPage>;

/** Reads pages of one part, or of `exclude.numbers` after the last part. It stores nothing. */
export function reader(
  deps: RowsDeps,
  { spec, as_of }: Pick<CampaignRow, 'spec' | 'as_of'>,
  place: number,
): Reader {
  const part = spec.config.audience[place];
  if (part?.from === 'source') return sourceReader(deps, spec, part);
  if (part?.from === 'ledger') return peopleReader(deps, spec, part, as_of);
  if (place === spec.config.audience.length && readsExcludedNumbers(spec)) return numbersReader(deps, spec);
  throw new Error(`part ${place} of the audience is neither a source nor from the ledger`);
}

function sourceOf(deps: RowsDeps, { sources }: CampaignSpec, name: string) {
  const config = sources[name];
  if (config === undefined) throw new Error(`the plan has no source "${name}"; plan the campaign again`);
  return deps.openSource(config);
}

function sourceReader(
  deps: RowsDeps,
  spec: CampaignSpec,
  part: Extract<AudiencePart, { from: 'source' }>,
): Reader {
  const source = sourceOf(deps, spec, part.source);
  const compiled = compileAudience(spec.config, part, deps.jsonata);
  return async (cursor, signal) => {
    const page = await source.read(cursor as SourceCursor | null, { limit: PAGE_ROWS, signal });
    const members: FoundMember[] = [];
    for (const { row, values, problem } of page.rows) {
      if (values !== null && problem === undefined) members.push(await memberOf(compiled, values, { row }));
      else {
        const reason = problem?.reason ?? 'the source could not read this row';
        members.push({ key: null, number: null, row, reason });
      }
    }
    return { rows: page.rows.length, members, barred: [], unreadable: 0, next: page.next };
  };
}

function numbersReader(deps: RowsDeps, spec: CampaignSpec): Reader {
  const { numbers } = spec.config.exclude;
  if (numbers === undefined || Array.isArray(numbers)) throw new Error('there is no source of numbers');
  const source = sourceOf(deps, spec, numbers.source);
  const compiled = compileExcludedNumbers(spec.config, numbers, deps.jsonata);
  return async (cursor, signal) => {
    const page = await source.read(cursor as SourceCursor | null, { limit: PAGE_ROWS, signal });
    // If part of the list were not read, excluded people would be messaged.
    const cut = page.notes?.find(({ code }) => code === 'NOT_READ');
    if (cut !== undefined)
      throw new SourceError('unreadable', `exclude.numbers can't be read completely: ${cut.reason}`);
    const barred: string[] = [];
    let unreadable = 0;
    for (const { values, problem } of page.rows) {
      const key = values === null || problem !== undefined ? null : await compiled.apply(values);
      if (key === null) unreadable++;
      else barred.push(key);
    }
    return { rows: page.rows.length, members: [], barred, unreadable, next: page.next };
  };
}

function peopleReader(
  { db, jsonata }: RowsDeps,
  spec: CampaignSpec,
  part: LedgerAudience,
  asOf: Date,
): Reader {
  const compiled = compileAudience(spec.config, part, jsonata);
  const { tags, pipeline, stage, createdBy, silentFor, campaign } = part;
  const filter: PeopleFilter = {
    account: spec.account,
    tags: tags ?? null,
    pipeline: pipeline ?? null,
    stage: stage ?? null,
    createdBy: createdBy ?? null,
    silentSince: silentFor === undefined ? null : new Date(asOf.getTime() - durationMs(silentFor)),
    campaign: campaign === undefined ? null : { name: campaign.name, replied: campaign.replied ?? null },
  };
  return async (cursor) => {
    const from = (cursor as PeopleCursor | null) ?? { base: 0, after: '' };
    const { people, next } = await peoplePage(db, filter, from, PAGE_ROWS);
    const members: FoundMember[] = [];
    for (const { contact, tagIds } of people) {
      members.push(await memberOf(compiled, { contact }, { contactId: contact.id, tagIds }));
    }
    return { rows: people.length, members, barred: [], unreadable: 0, next };
  };
}

async function takePage(
  { db }: Deps,
  run: string,
  part: number,
  seen: RowsProgress,
  page: RowsPage,
): Promise<RowsProgress> {
  return await db.transaction(async (tx) => {
    const campaign = await lockCampaign(tx, run);
    const before = rowsProgress(campaign, part);
    requirePlanning(campaign);
    // Another attempt has already taken this page.
    if (before.pages !== seen.pages) return before;
    await addFound(tx, run, part, page.members);
    await barNumbers(tx, run, page.barred);
    const progress: RowsProgress = {
      found: before.found + page.rows,
      done: page.next === null,
      cursor: page.next,
      pages: before.pages + 1,
      unreadable: before.unreadable + page.unreadable,
    };
    await saveProgress(tx, run, part, progress);
    if (progress.done && progress.unreadable > 0) {
      const numbers = progress.unreadable === 1 ? '1 number' : `${progress.unreadable} numbers`;
      const reason = `${numbers} of exclude.numbers can't be read, so Sluice excludes nobody by ${progress.unreadable === 1 ? 'it' : 'them'}`;
      const warning = { step: 'readAudience', subject: 'exclude', code: 'EXCLUSION_UNREADABLE', reason };
      await addWarning(tx, run, warning);
    }
    return progress;
  });
}
