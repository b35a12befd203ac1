// Notices to people, in a process that stays up: passes until the shutdown, and tests of channels.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedConfig } from '../config/load.ts';
import type { Shutdown } from '../core/shutdown.ts';
import type { Database } from '../core/sql/database.ts';
import { ledgerClock } from '../core/sql/ledger-clock.ts';
import { createDeadLetters } from '../jobs/events/operator/letters.ts';
import type { ChannelContext } from '../observe/notices/channels/context.ts';
import { NoticeError } from '../observe/notices/channels/error.ts';
import { sendNotice } from '../observe/notices/channels/index.ts';
import { type Notice, testNotice } from '../observe/notices/notice.ts';
import { createSender } from '../observe/notices/sender.ts';
import { markWorking } from '../observe/notices/store.ts';
import type { Output } from '../operator/contract/index.ts';
import { OperatorError } from '../operator/error.ts';
import type { OverviewDeps } from '../operator/service/deps.ts';
import { defaultProbes } from '../operator/service/overview/probes.ts';
import { createOverviewReader } from '../operator/service/overview/read.ts';
import { childEnv } from '../temporal/child-env.ts';
import type { Admin } from './admin.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Time between two passes. */
const PASS_MS = 30_000;

export interface NoticesOptions
  extends Pick<OverviewDeps, 'db' | 'config' | 'live' | 'runningTemporal' | 'log'> {
  readonly env: Environment;
  readonly shutdown: Shutdown;
  readonly admin: Pick<Admin, 'watchNeeds'> | undefined;
}

/**
 * Each process that stays up may send; the one with the lease does. The metrics of each show the needs that notices are
 * made of.
 */
export function startNotices({ admin, ...options }: NoticesOptions): void {
  const { db, config, log, env, shutdown } = options;
  const { signal } = shutdown;
  const deps: OverviewDeps = {
    ...options,
    now: ledgerClock(db).now,
    // Dead letters are counted in processes that stay up, as this one does.
    consoleUrl: () => publicUrlOf(config()) ?? '',
  };
  const read = createOverviewReader(deps, defaultProbes(deps, createDeadLetters(deps)));
  admin?.watchNeeds(async () => (await read(null)).needs);
  const sender = createSender({
    db,
    by: randomUUID(),
    channels: () => config().config.notices,
    publicUrl: () => publicUrlOf(config()),
    read: () => read(null),
    send: (channel, notice) => sendTo(config(), env, channel, notice),
    log,
  });
  const failed = (error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, 'notices could not be sent; Sluice tries again');
  };
  const passes = async () => {
    while (!signal.aborted) {
      await sender.pass().catch(failed);
      await delay(PASS_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const passing = passes();
  shutdown.add('notices', async () => {
    await passing;
    await sender.release().catch(failed);
  });
}

const publicUrlOf = ({ config }: LoadedConfig): string | null => config.operator.http.publicUrl ?? null;

async function sendTo(loaded: LoadedConfig, env: Environment, name: string, notice: Notice): Promise<string> {
  const channel = loaded.config.notices[name];
  if (channel === undefined) throw new Error(`there is no channel "${name}" in ${loaded.file}`);
  const context: ChannelContext = {
    secret: async (ref) => (await loaded.secret(ref)).value,
    baseDir: loaded.dir,
    env: childEnv(env),
  };
  return await sendNotice(channel, notice, context);
}

/**
 * Sends a test notice to this channel, or to all of them, one after the other.
 * @throws OperatorError (not found) when there is no such channel, or none at all
 */
export async function testChannels(
  { db, loaded, env }: { readonly db: Database; readonly loaded: LoadedConfig; readonly env: Environment },
  wanted: string | undefined,
): Promise<Output<'POST /notices/test'>> {
  const all = Object.keys(loaded.config.notices);
  const names = wanted === undefined ? all : all.filter((name) => name === wanted);
  if (names.length === 0)
    throw new OperatorError(
      'notFound',
      wanted === undefined || all.length === 0
        ? `there are no notices in ${loaded.file}; add a channel under \`notices\``
        : `there is no channel "${wanted}"; there are: ${all.join(', ')}`,
      { code: 'NO_CHANNEL' },
    );
  const results: Output<'POST /notices/test'>['results'] = [];
  for (const channel of names) {
    const now = await ledgerClock(db).now();
    const notice = testNotice({ channel, now, publicUrl: publicUrlOf(loaded) });
    try {
      const answer = await sendTo(loaded, env, channel, notice);
      await markWorking(db, channel);
      results.push({ channel, code: null, answer });
    } catch (error) {
      if (!(error instanceof NoticeError)) throw error;
      const { code, message, answer } = error;
      results.push({
        channel,
        code,
        answer: answer === null ? message : `${message}. It answered: ${answer}`,
      });
    }
  }
  return { results };
}
