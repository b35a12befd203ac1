// The configuration as it is loaded, assumptions, and the doctor.
import { readFile } from 'node:fs/promises';
import { entriesOfSummary } from '../../config/describe-summary.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { probeOnly, summarize } from '../../config/summary.ts';
import { ConfigError, ConfigFileError, UnknownNameError } from '../../core/config/errors.ts';
import { redactTokens } from '../../core/redaction.ts';
import { suggestion } from '../../core/suggest.ts';
import { retentionOf } from '../../protect/retention/report.ts';
import type { DoctorReport, SETTINGS } from '../contract/settings.ts';
import { OperatorError } from '../error.ts';
import type { Handlers, OperatorDeps } from './deps.ts';

/** Temporal's own default. */
const NAMESPACE = 'default';

export function settingsHandlers(deps: OperatorDeps): Handlers<keyof typeof SETTINGS> {
  const { config, live, tools } = deps;
  let last: DoctorReport | null = null;
  return {
    'GET /configuration': async () => {
      const loaded = config();
      const onDisk = await readFile(loaded.file, 'utf8').catch(() => null);
      const entries = entriesOfSummary(await summarize(loaded, new Date(), probeOnly));
      return {
        file: loaded.file,
        loadedAt: loaded.loadedAt,
        changed: onDisk !== loaded.text,
        brokenSince: live?.state().brokenSince ?? null,
        needsRestart: live?.state().needsRestart ?? [],
        problems: await problemsOf(loaded),
        text: redactTokens(loaded.text),
        entries: entries.map(({ notes, ...entry }) => ({ ...entry, notes: [...notes] })),
      };
    },
    'POST /configuration/reload': async () => {
      if (live === null)
        throw new OperatorError('unavailable', 'this process does not load its configuration again', {
          code: 'NO_RELOAD',
        });
      return await live.reload('an operator');
    },
    'GET /configuration/state': async () => {
      const outdated = (await live?.refresh('a command')) ?? false;
      const { file, loadedAt } = config();
      return { file, loadedAt, outdated, error: live?.state().error ?? null };
    },
    'GET /temporal': async () => {
      const { temporalUi } = config().config.operator;
      if (temporalUi === undefined) return { workflows: null };
      const { namespace } = (await deps.runningTemporal())?.options ?? { namespace: NAMESPACE };
      return {
        workflows: `${temporalUi.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/`,
      };
    },
    'GET /assumptions': async () => ({ assumptions: tools.assumptions() }),
    'GET /retention': async () => ({ kinds: await retentionOf(deps.db, config().config) }),
    'GET /doctor': async () => ({ report: last }),
    'POST /doctor': async ({ account }) => {
      const known = Object.keys(config().config.accounts);
      if (account !== undefined && !known.includes(account))
        throw new UnknownNameError('account', account, suggestion(account, known, 'accounts'));
      const found = await tools.examine(account === undefined ? known : [account]);
      last = { at: new Date().toISOString(), ...found };
      return last;
    },
  };
}

/** Problems of the file as it is on the disk now. */
async function problemsOf({ reload }: LoadedConfig) {
  try {
    await reload();
    return [];
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map(({ file, line, column, path, message, hint = null, note = null }) => {
        return { file, line, column, path, message, hint, note };
      });
    if (error instanceof ConfigFileError)
      return [
        { file: error.file, line: 0, column: 0, path: '', message: error.message, hint: null, note: null },
      ];
    throw error;
  }
}
