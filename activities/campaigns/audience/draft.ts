// Counts the people that the draft of a campaign would reach. It uses the queries, the mapping and the rules of plans. It
// stores no member, and what it reads, calls and waits is limited.
import { ApplicationFailure } from '@temporalio/activity';
import { draftRunId } from '../../../src/core/ids.ts';
import { readCatalog } from '../../../src/core/store/catalog.ts';
import type { CampaignList } from '../../../src/jobs/campaigns/contract/batches.ts';
import type { DraftAudience, DraftProblem } from '../../../src/jobs/campaigns/contract/campaign-drafts.ts';
import { excludedKeys } from '../../../src/jobs/campaigns/rules/audience-row.ts';
import { draftCandidates } from '../../../src/jobs/campaigns/store/freeze.ts';
import type { DraftContext } from './draft-context.ts';
import { callFailed, type Draft, type DraftPart, readListPart, readRowsPart } from './draft-parts.ts';
import { DraftPeople, type DraftPerson } from './draft-people.ts';
import { decider, rulesOf } from './freeze.ts';
import { accountLists, checkNames, listsOf, readList } from './names.ts';
import { readsExcludedNumbers } from './rows.ts';

/** People judged with one statement; takes about 50 ms, after which other work gets the ledger. */
const CHUNK = 1000;
/** People in the sample. */
const SAMPLE = 3;

/** @returns the names that the account lacks, or the audience */
export async function countDraft(
  context: DraftContext,
): Promise<{ problems: DraftProblem[]; audience: DraftAudience | null }> {
  const { deps, spec } = context;
  const problems = await missingNames(context);
  if (problems.length > 0) return { problems, audience: null };
  const at = new Date(await deps.clock.now());
  const lists = await accountLists(deps.db, spec.account);
  const draft = { spec, as_of: at, account: spec.account, run_id: draftRunId(spec.account) };
  const people = new DraftPeople();
  const parts: DraftPart[] = [];
  const barred = new Set(excludedKeys(spec.config));
  let room = context.limits.entries;
  for (const [index, part] of spec.config.audience.entries()) {
    const read =
      part.from === 'cards' || part.from === 'contacts'
        ? await readListPart(context, draft, { index, part, lists })
        : await readRowsPart(context, draft, { index, from: part.from, room });
    people.add(index, read.members);
    room -= read.part.read;
    parts.push(read.part);
  }
  if (readsExcludedNumbers(spec)) {
    const index = spec.config.audience.length;
    const read = await readRowsPart(context, draft, {
      index,
      from: 'numbers',
      room: context.limits.entries,
    });
    for (const key of read.barred) barred.add(key);
    parts.push(read.part);
  }
  const judged = await judge(context, draft, people, barred);
  const variables = variablesOf(Object.keys(spec.config.variables), people);
  return { problems: [], audience: { ...summary(at, parts, people, judged, context.calls.made), variables } };
}

/** Reads lists that the ledger lacks, and once more those that lack a name: it may be new. */
async function missingNames({ deps, spec, calls, replaced }: DraftContext): Promise<DraftProblem[]> {
  const problems: DraftProblem[] = [];
  for (const list of listsOf(spec)) {
    if (list === 'connections') continue;
    const isKnown = (await readCatalog(deps.db, spec.account, list)) !== null;
    let problem = isKnown ? await missingIn(list) : null;
    let failure: string | null = null;
    if ((!isKnown || problem !== null) && calls.left > 0) {
      failure = await calls
        .make((caller) => readList(caller, spec.account, draftRunId(spec.account), list))
        .then(() => null)
        .catch((error: unknown) => callFailed(error, replaced).reason);
      if (failure === null) problem = await missingIn(list);
    }
    if (problem !== null) problems.push(problem);
    else if (!isKnown && failure !== null) {
      const message = `the account's ${list} can't be read: ${failure}`;
      problems.push({ path: '', message, hint: null });
    }
  }
  return problems;

  async function missingIn(list: CampaignList): Promise<DraftProblem | null> {
    try {
      checkNames(spec, await accountLists(deps.db, spec.account), list);
      return null;
    } catch (error) {
      if (!(error instanceof ApplicationFailure)) throw error;
      const [where] = (error.details ?? []) as string[];
      // `audience.0.tags` → `audience[0].tags`
      const path = (where ?? '').replaceAll(/\.(\d+)/g, '[$1]');
      // The path stands before the message wherever it is shown.
      const message = error.message.replace(`${where} `, '');
      return { path, message, hint: null };
    }
  }
}

interface Judged {
  readonly excluded: ReadonlyMap<string, number>;
  readonly controlGroup: number;
  readonly eligible: number;
  readonly sample: DraftAudience['sample'];
}

async function judge(
  { deps, replaced }: DraftContext,
  draft: Draft,
  people: DraftPeople,
  barred: ReadonlySet<string>,
): Promise<Judged> {
  const rules = rulesOf(draft, await accountLists(deps.db, draft.account));
  const decide = await decider(deps, draft, rules);
  const excluded = new Map<string, number>();
  if (people.invalid > 0) excluded.set('NUMBER_INVALID', people.invalid);
  let [controlGroup, eligible] = [0, 0];
  const reached: DraftPerson[] = [];
  let incomplete: DraftPerson | null = null;
  const { members } = people;
  for (let from = 0; from < members.length; from += CHUNK) {
    replaced.throwIfAborted();
    const chunk = members.slice(from, from + CHUNK);
    const keys = chunk.map(({ key }) => key).filter((key) => barred.has(key));
    for (const { id, state, code } of (await draftCandidates(deps.db, rules, chunk, keys)).map(decide)) {
      const member = chunk[id - 1] as DraftPerson;
      if (state === 'excluded') {
        excluded.set(code ?? '', (excluded.get(code ?? '') ?? 0) + 1);
        if (code === 'VARIABLE_MISSING') incomplete ??= member;
      } else if (state === 'holdout') controlGroup++;
      else {
        eligible++;
        if (reached.length < SAMPLE) reached.push(member);
      }
    }
  }
  return { excluded, controlGroup, eligible, sample: sampleOf(reached, incomplete) };
}

function sampleOf(reached: readonly DraftPerson[], incomplete: DraftPerson | null): DraftAudience['sample'] {
  const shown = ({ part, contact, row, number, variables }: DraftPerson, isExcluded: boolean) => ({
    part,
    contact,
    row,
    number,
    variables: { ...variables },
    isExcluded,
  });
  if (incomplete === null) return reached.map((member) => shown(member, false));
  return [...reached.slice(0, SAMPLE - 1).map((member) => shown(member, false)), shown(incomplete, true)];
}

/** People without a value, by the variables of the flow. */
function variablesOf(names: readonly string[], { members }: DraftPeople): DraftAudience['variables'] {
  return names.map((name) => ({
    name,
    missing: members.filter(({ variables }) => variables[name] === undefined).length,
  }));
}

function summary(
  at: Date,
  parts: readonly DraftPart[],
  people: DraftPeople,
  { excluded, controlGroup, eligible, sample }: Judged,
  calls: number,
): Omit<DraftAudience, 'variables'> {
  const own = parts.filter(({ part }) => part !== null);
  const sum = (of: 'found' | 'read') => own.reduce((total, part) => total + part[of], 0);
  const [found, read] = [sum('found'), sum('read')];
  const isMore = own.some(({ basis }) => basis === 'start' || basis === 'none');
  const count = people.members.length + people.invalid;
  const scaled = (members: number) => Math.round((members * found) / read);
  return {
    at: at.toISOString(),
    found,
    read,
    isComplete: parts.every(({ basis }) => basis === 'all'),
    isMore,
    people: count,
    excluded: [...excluded]
      .map(([code, members]) => ({ code, members }))
      .sort((a, b) => b.members - a.members || (a.code < b.code ? -1 : 1)),
    controlGroup,
    eligible,
    sample,
    estimate:
      isMore || read === 0 || found === read ? null : { people: scaled(count), eligible: scaled(eligible) },
    parts: [...parts],
    calls,
  };
}
