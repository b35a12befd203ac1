// Counts the people that drafts of campaigns would reach, for the operator API.
import { readFile } from 'node:fs/promises';
import type { DraftCalls, KeptPage, KeptPages } from '../../activities/campaigns/audience/draft-context.ts';
import { buildCampaign } from '../config/build-spec.ts';
import type { LoadedConfig } from '../config/load.ts';
import { openSource } from '../connectors/sources/index.ts';
import { deadlineSignal } from '../core/deadline.ts';
import { LANES } from '../core/lanes.ts';
import { CampaignConfig } from '../jobs/campaigns/config.ts';
import type { CampaignSpec } from '../jobs/campaigns/contract/batches.ts';
import type { CountedDraft, DraftProblem } from '../jobs/campaigns/contract/campaign-drafts.ts';
import { MappingStoppedError, openConfined } from '../mapping/index.ts';
import { OperatorError } from '../operator/error.ts';
import type { CampaignDraft, OperatorDeps } from '../operator/service/deps.ts';
import type { ExpensiveRequests } from '../operator/service/expensive.ts';
import { checkDraftOf } from './config-edit/run-edit.ts';

/** How long a page of the service serves further counts, in milliseconds, and how many pages are kept. */
const KEPT = { ms: 300_000, pages: 50 };
/** Limits of the expressions of one count together. Measured: 20,000 rows with a usual one take 1 s. */
const EXPRESSIONS = { totalMs: 4000, memoryMb: 64 };
/** What the audience depends on. */
const COUNTED = ['account', 'audience', 'exclude', 'variables', 'windows', 'defaultCountry', 'numberFormat'];
/** Problems in these places leave nothing to count. Those of waves, for example, do not change the audience. */
const BLOCKING =
  /^(account|audience|exclude\.(numbers|campaigns)|variables|windows|defaultCountry|numberFormat)\b|^$/;

export function createCampaignDraft(
  deps: Omit<OperatorDeps, 'tools'>,
  expensive: ExpensiveRequests,
): CampaignDraft {
  const active = new Map<string, AbortController>();
  const kept = new Map<string, KeptPage>();
  const pages = {
    get(key: string) {
      const page = kept.get(key);
      return page !== undefined && Date.now() - Date.parse(page.at) < KEPT.ms ? page : null;
    },
    set(key: string, page: KeptPage) {
      kept.set(key, page);
      for (const old of kept.keys()) if (kept.size > KEPT.pages) kept.delete(old);
    },
  };

  return {
    async count({ campaign, config, by, isForTest = false }) {
      const own = new AbortController();
      if (!isForTest) {
        active.get(by)?.abort(replacedError());
        active.set(by, own);
      }
      try {
        return await expensive.run(by, async () => {
          own.signal.throwIfAborted();
          const loaded = deps.config();
          const { file } = loaded;
          const text = await readFile(file, 'utf8');
          const problems = await checkDraftOf({ campaign, config }, { file, text });
          const spec = specOf(loaded, campaign, config, problems);
          if (spec === null) return { problems, audience: null };
          own.signal.throwIfAborted();
          const counted = await countWith(deps, loaded, spec, pages, own.signal);
          return { problems: [...problems, ...counted.problems], audience: counted.audience };
        });
      } finally {
        if (active.get(by) === own) active.delete(by);
      }
    },
  };
}

function replacedError(): OperatorError {
  return new OperatorError('conflict', 'a newer count of yours has replaced this one', { code: 'REPLACED' });
}

/** Null when a problem concerns the audience, or when this process does not know the account or a source yet. */
function specOf(
  loaded: LoadedConfig,
  campaign: string,
  config: Readonly<Record<string, unknown>>,
  problems: readonly DraftProblem[],
): CampaignSpec | null {
  if (problems.some(({ path }) => path !== null && BLOCKING.test(path))) return null;
  const parsed = CampaignConfig.safeParse(config);
  // A problem elsewhere in the campaign; waves and windows have defaults that the schema fills in.
  const { data } = parsed.success ? parsed : CampaignConfig.safeParse(onlyCounted(config));
  if (data === undefined) return null;
  const { accounts, sources } = loaded.config;
  const spec =
    accounts[data.account] === undefined
      ? null
      : buildCampaign({ accounts, sources, campaigns: { [campaign]: data } }, campaign);
  return spec !== null && Object.values(spec.sources).every((source) => source !== undefined) ? spec : null;
}

function onlyCounted(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parts = COUNTED.flatMap((key) => (config[key] === undefined ? [] : [[key, config[key]] as const]));
  return { ...Object.fromEntries(parts), flow: 1, connection: 1 };
}

async function countWith(
  deps: Omit<OperatorDeps, 'tools'>,
  loaded: LoadedConfig,
  spec: CampaignSpec,
  pages: KeptPages,
  replaced: AbortSignal,
): Promise<CountedDraft> {
  // Imported at use: the SDK of activities takes 0.3 s to load.
  const { countDraft } = await import('../../activities/campaigns/audience/draft.ts');
  const { DRAFT_LIMITS } = await import('../../activities/campaigns/audience/draft-context.ts');
  const signal = AbortSignal.any([replaced, deadlineSignal(DRAFT_LIMITS.totalMs)]);
  const calls = draftCalls(deps, loaded, spec.account, { most: DRAFT_LIMITS.calls, signal });
  const confined = openConfined(EXPRESSIONS);
  try {
    return await countDraft({
      deps: {
        db: deps.db,
        clock: { now: deps.now },
        jsonata: confined.compile,
        openSource: (source) =>
          openSource(source, {
            baseDir: loaded.dir,
            secret: async (ref) => (await loaded.secret(ref)).value,
          }),
      },
      spec,
      calls,
      pages,
      limits: DRAFT_LIMITS,
      signal,
      replaced,
    });
  } catch (error) {
    if (!(error instanceof MappingStoppedError)) throw error;
    return { problems: [{ path: '', message: error.message, hint: null }], audience: null };
  } finally {
    await confined.close();
    await calls.close();
  }
}

/** Calls in the lane of campaigns: leads and replies go first. */
function draftCalls(
  { db, log }: Omit<OperatorDeps, 'tools'>,
  loaded: LoadedConfig,
  name: string,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): DraftCalls & { close(): Promise<void> } {
  let made = 0;
  let opened: ReturnType<typeof open> | null = null;
  async function open() {
    const { openAccounts } = await import('../../workers/accounts.ts');
    const { createCallCounter } = await import('../../activities/shared/call-counter.ts');
    const { accounts, budget, close } = await openAccounts(loaded, db, [name]);
    const counter = createCallCounter(db);
    const account = () => {
      const access = accounts.get(name);
      if (access === undefined) throw new Error(`there is no account "${name}" in ${loaded.file}`);
      return access;
    };
    return { deps: { db, log, budget, calls: counter, account }, close };
  }
  return {
    get made() {
      return made;
    },
    get left() {
      return most - made;
    },
    async make(work) {
      made++;
      opened ??= open();
      const [{ deps }, { withCallScope }] = await Promise.all([
        opened,
        import('../../activities/shared/call-scope.ts'),
      ]);
      return await withCallScope({ lane: LANES.campaign, signal }, () => work(deps));
    },
    async close() {
      if (opened === null) return;
      const { deps, close } = await opened;
      await deps.calls.flush();
      await close();
    },
  };
}
