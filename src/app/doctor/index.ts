// Checks a whole installation without changing it: accounts, sources, Temporal, ledger.
import type { LoadedConfig } from '../../config/load.ts';
import { openSource } from '../../connectors/sources/index.ts';
import { checkAccount } from './account.ts';
import { Findings, type Group } from './findings.ts';
import { checkServers } from './servers.ts';
import { checkSource } from './sources.ts';

export { describeGroups, type Finding, type Group, summarize, verdict } from './findings.ts';

export interface DoctorOptions {
  readonly config: LoadedConfig;
  /** Names of accounts. @default those of the configuration */
  readonly accounts: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** State folder of the embedded server and ledger. */
  readonly state: string;
  /** Milliseconds for one call or connection. @default 10_000 */
  readonly deadlineMs?: number;
  /** Epoch milliseconds. @default the machine's clock */
  readonly now?: () => number;
}

/** Runs one check after the other: a doctor must not take the calls of a run. */
export async function examine(options: DoctorOptions): Promise<Group[]> {
  const { config, accounts, deadlineMs = 10_000, now = Date.now } = options;
  const groups: Group[] = [];
  for (const account of accounts) groups.push(await checkAccount({ config, account, deadlineMs, now }));
  const sources = await examineSources(config, accounts);
  if (sources.findings.length > 0) groups.push(sources);
  groups.push(await checkServers({ ...options, deadlineMs }));
  return groups;
}

async function examineSources(config: LoadedConfig, accounts: readonly string[]): Promise<Group> {
  const findings = new Findings();
  for (const [sync, { account }] of Object.entries(config.config.syncs)) {
    if (!accounts.includes(account)) continue;
    const { source, mapping, options } = config.spec(sync);
    const open = (wanted: typeof source) =>
      openSource(wanted, { baseDir: config.dir, secret: async (ref) => (await config.secret(ref)).value });
    await checkSource({ sync, source: options.source, config: source, mapping }, open, findings);
  }
  return { of: 'sources', account: null, findings: findings.list };
}
