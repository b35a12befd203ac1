// Erases a person from every place that Sluice can reach, and names the places that it cannot. The order: the ledger in
// one transaction, then the files, then Temporal. Whatever fails after the ledger has only what the answer says.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { purgeTables } from '../../../core/sql/embedded/purge.ts';
import {
  type EraseOptions,
  type Erasure,
  eraseLateCalls,
  erasePerson,
  PersonInUseError,
} from '../../../protect/person/erase-person.ts';
import {
  endErasure,
  eraseLateCallsOf,
  type OpenErasure,
  openErasures,
} from '../../../protect/person/open-erasures.ts';
import type { Output } from '../../contract/index.ts';
import { OperatorError } from '../../error.ts';
import type { OperatorDeps } from '../deps.ts';
import { describeWorkflow } from '../workflows.ts';
import { elsewhere, STEPS, type Step } from './elsewhere.ts';

/** Workers write calls to the log at most a second after they ended. */
const LATE_CALLS_MS = 2000;
/** Requests to Temporal at the same time. */
const REQUESTS = 8;

type Erased = Output<'POST /people/{account}/{person}/erase'>;

/**
 * @returns null when the account has nobody under this id
 * @throws OperatorError (conflict) while something about the person is in progress
 */
export async function eraseEverywhere(
  deps: OperatorDeps,
  account: string,
  person: string,
  options: EraseOptions,
): Promise<Erased | null> {
  const { db, tools, config } = deps;
  const erased = await erasePerson(db, account, person, options).catch((error: unknown) => {
    if (error instanceof PersonInUseError)
      throw new OperatorError('conflict', error.message, { code: 'PERSON_IN_USE' });
    throw error;
  });
  if (erased === null) return null;
  const { id, deleted, anonymized, optOutKept, known, streams } = erased;
  const tables = [...Object.keys(deleted), ...Object.keys(anonymized)];
  const { conversations, workflows } = known;
  const { failures, files, histories } = await eraseRest(
    deps,
    { id, account, tables, conversations, workflows, streams },
    {
      async callLog() {
        await delay(LATE_CALLS_MS);
        await eraseLateCalls(db, erased.person);
      },
      exports: () => tools.forgetExports(),
    },
  );
  return {
    deleted: { ...deleted },
    anonymized: { ...anonymized },
    optOutKept,
    sinkFiles: files.flatMap(({ sink, events }) => (events === null ? [] : [{ sink, events }])),
    histories,
    elsewhere: elsewhere(config().config, {
      account,
      known,
      failures,
      database: db.kind,
      missingFiles: files.flatMap(({ sink, events }) => (events === null ? [sink] : [])),
    }),
  };
}

/**
 * Completes erasures whose process died after the ledger was done, or whose steps failed. Nobody can repeat them: the
 * ledger no longer knows the person.
 */
export async function finishErasures(deps: OperatorDeps): Promise<void> {
  const { db, log } = deps;
  for (const erasure of await openErasures(db)) {
    const { failures, files } = await eraseRest(deps, erasure, {
      callLog: () => eraseLateCallsOf(db, erasure),
      // The exports went with their process.
      exports: async () => undefined,
    });
    const { account } = erasure;
    if (failures.length === 0) log.info({ account }, 'an erasure that was interrupted is complete');
    for (const { sink, events } of files)
      if (events === null && erasure.conversations.length + erasure.streams.length > 0)
        log.warn({ account, sink }, 'the file of the sink is not on this machine; erase the person there');
  }
}

interface Rest {
  readonly failures: readonly Step[];
  readonly files: Awaited<ReturnType<OperatorDeps['tools']['eraseFromSinkFiles']>>;
  readonly histories: Erased['histories'];
}

/**
 * Erases what is not in the tables of the ledger. Each step runs, whatever becomes of the others. The ledger remembers the
 * erasure until all of them succeed.
 */
async function eraseRest(
  deps: OperatorDeps,
  { id, account, tables, conversations, workflows, streams }: Omit<OpenErasure, 'id'> & Pick<Erasure, 'id'>,
  { callLog, exports }: Readonly<Record<'callLog' | 'exports', () => Promise<void>>>,
): Promise<Rest> {
  const { db, log, tools } = deps;
  const failures: Step[] = [];
  const rest = async <T>(step: Step, work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      log.error({ err: error }, `a person was erased from the ledger, but not from ${STEPS[step]}`);
      failures.push(step);
      return otherwise;
    }
  };
  await rest('callLog', callLog, undefined);
  await rest('ledgerFiles', () => purgeTables(db, [...new Set([...tables, 'calls'])]), undefined);
  await rest('exports', exports, undefined);
  const files = await rest(
    'sinkFiles',
    () => tools.eraseFromSinkFiles(account, { conversations, streams }),
    [],
  );
  const none = { deleted: 0, left: workflows.length };
  const histories = await rest(
    'histories',
    async () => await deleteHistories(await deps.runningTemporal(), workflows),
    none,
  );
  if (id !== null && failures.length === 0) await endErasure(db, id);
  return { failures, files, histories };
}

/** Deleting a workflow that runs would terminate it, and what it has yet to do may be about others. */
async function deleteHistories(
  client: Client | null,
  workflows: readonly string[],
): Promise<Erased['histories']> {
  if (client === null) return { deleted: 0, left: workflows.length };
  const { namespace } = client.options;
  const atOnce = pLimit(REQUESTS);
  const states = await Promise.all(
    workflows.map((workflowId) =>
      atOnce(async () => {
        const found = await describeWorkflow(client.workflow.getHandle(workflowId));
        if (found === null) return 'gone';
        const { status, runId } = found;
        if (status.name === 'RUNNING') return 'left';
        const workflowExecution = { workflowId, runId };
        await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
        return 'deleted';
      }),
    ),
  );
  const count = (state: (typeof states)[number]) => states.filter((each) => each === state).length;
  return { deleted: count('deleted'), left: count('left') };
}
