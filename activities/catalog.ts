// What the account offers, read once a run: tags, pipelines, and how many contacts there are.
import { Context } from '@temporalio/activity';
import { ApiError } from '../src/api-client/errors.ts';
import type { RefusalDetails } from '../src/contracts/run.ts';
import { pick, saveCatalog } from '../src/ledger/catalog.ts';
import { clearSurvey, noteSurvey } from '../src/ledger/people.ts';
import { addWarning, getRun } from '../src/ledger/runs.ts';
import { callApi } from './api-call.ts';
import type { Deps } from './deps.ts';
import { refusal, refusalCode, refusalScope, toFailure } from './failures.ts';
import { canonicalKey } from './sync-diff.ts';

const PAGE = 100;

export interface SurveyPage {
  /** Contacts that the account has, as this page said. */
  readonly count: number;
  /** Different contacts on this and the earlier pages: one that moved from page to page counts once. */
  readonly seen: number;
  readonly hasMore: boolean;
}

export function createCatalogActivities(deps: Deps) {
  const { db } = deps;

  async function read<T>(run: string, step: RefusalDetails['step'], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) {
        const code = refusalCode(error);
        const scope = refusalScope(code, step) === 'run' ? 'run' : 'step';
        if (scope === 'step') {
          await addWarning(db, run, {
            step,
            subject: '',
            code,
            reason: `${error.message}; the step was stopped for all records`,
          });
        }
        throw refusal(code, error.message, { scope, step });
      }
      throw toFailure(error, step, Context.current().info.attempt);
    }
  }

  return {
    /** GET /v1/tags. */
    async readTags(input: { run: string }): Promise<void> {
      const { account } = await getRun(db, input.run);
      await read(input.run, 'setTags', async () => {
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
      const { account, spec } = await getRun(db, input.run);
      await read(input.run, 'createCard', async () => {
        const list = await callApi(deps, deps.account(account), input.run, 'cards:read', (client, options) =>
          client.pipelines.list(options),
        );
        const pipelines = (list?.items ?? []).map(({ id, name, stages }) => ({
          id,
          name,
          stages: stages.map((stage) => ({ id: stage.id, name: stage.name })),
        }));
        await saveCatalog(db, account, 'pipelines', pipelines);
        const wanted = spec.mapping.card?.pipeline;
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

    /**
     * GET /v1/contacts, one page: finds people of this run that the service knows already, a hundred a
     * call instead of one look-up each.
     */
    async surveyContacts(input: { run: string; page: number }): Promise<SurveyPage> {
      const { account } = await getRun(db, input.run);
      return await read(input.run, 'lookup', async () => {
        const list = await callApi(
          deps,
          deps.account(account),
          input.run,
          'contacts:read',
          (client, options) => client.contacts.list({ pageNumber: input.page, pageSize: PAGE }, options),
        );
        if (list === null) throw new Error('a read is never called off');
        const contacts = list.items.map(({ id, number }) => ({ id, number, key: canonicalKey(number) }));
        return await db.transaction(async (tx) => {
          if (input.page === 1) await clearSurvey(tx, input.run);
          const seen = await noteSurvey(tx, account, input.run, contacts);
          return { count: list.count, seen, hasMore: list.hasMore };
        });
      });
    },
  };
}
