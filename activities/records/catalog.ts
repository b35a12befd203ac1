// Reads what the account offers, once per run: tags, pipelines, and the number of contacts.
import { Context } from '@temporalio/activity';
import type { Queryable } from '../../src/core/sql/database.ts';
import { pick } from '../../src/core/store/catalog.ts';
import type { RefusalDetails } from '../../src/jobs/sync/contract/run.ts';
import { addWarning } from '../../src/jobs/sync/store/run-warnings.ts';
import { getRun } from '../../src/jobs/sync/store/runs.ts';
import type { Listing } from '../../src/service/api-client/shapes.ts';
import { fetchList, keepList } from '../shared/catalog-lists.ts';
import type { Deps } from '../shared/deps.ts';
import { refusal, refusalDetails } from '../shared/failures.ts';
import { judge } from '../shared/judge.ts';
import { refuseAccountWide, wholeList } from '../shared/whole-list.ts';
import { stoppedBits, stopStep } from './record-step.ts';

export function createCatalogActivities(deps: Deps) {
  const { db } = deps;

  return {
    /** GET /v1/tags. */
    async readTags(input: { run: string }): Promise<void> {
      const { account } = await getRun(db, input.run);
      await readCatalogue(deps, input.run, 'setTags', async () => {
        const list = await fetchList(deps, deps.account(account), input.run, 'tags');
        const items = await readable(db, input.run, { path: '/v1/tags', step: 'setTags' }, list);
        await keepList(deps, account, 'tags', items);
      });
    },

    /** GET /v1/pipelines. The mapping's pipeline must be among them. */
    async readPipelines(input: { run: string }): Promise<void> {
      const { account, spec, kind } = await getRun(db, input.run);
      await readCatalogue(deps, input.run, 'createCard', async () => {
        const list = await fetchList(deps, deps.account(account), input.run, 'pipelines');
        const items = await readable(db, input.run, { path: '/v1/pipelines', step: 'createCard' }, list);
        const pipelines = await keepList(deps, account, 'pipelines', items);
        // A missing pipeline is reported by each event instead.
        const wanted = kind === 'intake' ? undefined : spec.mapping.card?.pipeline;
        if (wanted === undefined || pick(pipelines, wanted) !== null) return;
        const known = pipelines.map((pipeline) => `"${pipeline.name}"`).join(', ');
        const reason = `the account has no pipeline ${JSON.stringify(wanted)}; it has ${known || 'none'}`;
        await addWarning(db, input.run, {
          step: 'createCard',
          subject: '',
          code: 'ERR_PIPELINE_NOT_FOUND',
          reason,
        });
        const stops = stoppedBits('createCard');
        throw refusal('ERR_PIPELINE_NOT_FOUND', reason, { scope: 'step', step: 'createCard', stops });
      });
    },
  };
}

/**
 * Reads a list that many records depend on. A refusal stops the step for all records with a warning, or blocks the
 * run.
 */
export async function readCatalogue<T>(
  deps: Deps,
  run: string,
  step: RefusalDetails['step'],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const { account } = await getRun(deps.db, run);
    const judged = judge(account, thrown, step, Context.current().info.attempt);
    if (judged.kind !== 'refused') throw judged.failure;
    // The list is nothing of one record.
    const scope = judged.reach === 'run' ? 'run' : 'step';
    const { message } = thrown as Error;
    if (scope === 'step') await stopStep(deps, run, step, judged.code, message);
    const details = { ...refusalDetails(thrown, scope, step), stops: stoppedBits(step) };
    throw refusal(judged.code, message, details);
  }
}

/**
 * Returns the list items that can be read. Each unreadable item becomes a warning, so that its name does not count as
 * missing in the account.
 * @throws UnexpectedShapeError when no item can be read, or when the problem concerns the whole account
 */
async function readable<T>(
  db: Queryable,
  run: string,
  of: { readonly path: string; readonly step: RefusalDetails['step'] },
  list: Listing<T> | null,
): Promise<readonly T[]> {
  const call = { method: 'GET', path: of.path };
  refuseAccountWide(call, list);
  const { items, invalid } = list ?? { items: [], invalid: [] };
  if (items.length === 0) return wholeList(call, list);
  for (const { path, expected } of invalid)
    await addWarning(db, run, {
      step: of.step,
      subject: path,
      code: 'UNEXPECTED_SHAPE',
      reason: `an item of GET ${of.path} can't be read: ${path}: ${expected}`,
    });
  return items;
}
