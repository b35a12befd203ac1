// What the account offers, read once a run: tags, pipelines, and how many contacts there are.
import { Context } from '@temporalio/activity';
import { ApiError } from '../src/api-client/errors.ts';
import type { RefusalDetails } from '../src/contracts/run.ts';
import { pick, saveCatalog } from '../src/ledger/catalog.ts';
import { addWarning, getRun } from '../src/ledger/runs.ts';
import { callApi } from './api-call.ts';
import type { Deps } from './deps.ts';
import { refusal, refusalCode, refusalScope, toFailure } from './failures.ts';
import { stopStep } from './record-step.ts';

export function createCatalogActivities(deps: Deps) {
  const { db } = deps;

  return {
    /** GET /v1/tags. */
    async readTags(input: { run: string }): Promise<void> {
      const { account } = await getRun(db, input.run);
      await readCatalogue(deps, input.run, 'setTags', async () => {
        const list = await callApi(
          deps,
          deps.account(account),
          input.run,
          'contacts:read',
          (client, options) => client.tags.list(options),
        );
        const tags = (list?.items ?? []).map(({ id, name }) => ({ id, name }));
        await saveCatalog(db, account, 'tags', tags);
      });
    },

    /** GET /v1/pipelines. The mapping's pipeline must be among them. */
    async readPipelines(input: { run: string }): Promise<void> {
      const { account, spec, kind } = await getRun(db, input.run);
      await readCatalogue(deps, input.run, 'createCard', async () => {
        const list = await callApi(deps, deps.account(account), input.run, 'cards:read', (client, options) =>
          client.pipelines.list(options),
        );
        const pipelines = (list?.items ?? []).map(({ id, name, stages }) => ({
          id,
          name,
          stages: stages.map((stage) => ({ id: stage.id, name: stage.name })),
        }));
        await saveCatalog(db, account, 'pipelines', pipelines);
        // An event finds by itself that its pipeline is missing.
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
        throw refusal('ERR_PIPELINE_NOT_FOUND', reason, { scope: 'step', step: 'createCard' });
      });
    },
  };
}

/** Reads something that many records depend on: a refusal stops the step for all, with a warning, or holds the run. */
export async function readCatalogue<T>(
  deps: Deps,
  run: string,
  step: RefusalDetails['step'],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) {
      const code = refusalCode(error);
      const scope = refusalScope(code, step) === 'run' ? 'run' : 'step';
      if (scope === 'step') await stopStep(deps, run, step, code, error.message);
      throw refusal(code, error.message, { scope, step });
    }
    throw toFailure(error, step, Context.current().info.attempt);
  }
}
