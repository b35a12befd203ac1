// Sends notices: one pass reads what needs a person, and notifies each channel of what began and ended since.
import { durationMs } from '../../core/config/base.ts';
import type { Database, Queryable } from '../../core/sql/database.ts';
import type { Need } from '../../operator/contract/overview.ts';
import { NoticeError } from './channels/error.ts';
import type { NoticeChannel } from './config.ts';
import { factsFor } from './needs.ts';
import { type Notice, noticeOf } from './notice.ts';
import { backoffMs, type DueNotice, dueNotice, type TrackedNeed, track } from './rules.ts';
import {
  claimSender,
  forgetChannels,
  markFailing,
  markWorking,
  readChannel,
  readTracked,
  releaseSender,
  saveTracked,
} from './store.ts';

export interface SenderOptions {
  readonly db: Database;
  /** Id of this process, new for each. */
  readonly by: string;
  channels(): Readonly<Record<string, NoticeChannel>>;
  /** Origin of the console; null without one. */
  publicUrl(): string | null;
  /** The overview's list. `at` is by the ledger's clock. */
  read(): Promise<{
    readonly at: string;
    readonly needs: readonly Need[];
    mayStand(need: Pick<Need, 'kind' | 'account'>): boolean;
  }>;
  /** @throws NoticeError */
  send(channel: string, notice: Notice): Promise<string>;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

export interface Sender {
  /** Does nothing while another process sends. */
  pass(): Promise<void>;
  /** Lets another process send at once. */
  release(): Promise<void>;
}

/** Longer than an attempt of any channel, which takes 30 s at most. */
const LEASE_MS = 90_000;

/** Thrown inside a transaction when another process has taken the lease. */
class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export function createSender({ db, by, channels, publicUrl, read, send, log }: SenderOptions): Sender {
  /** Nothing is written by a process that was suspended for so long that another one sends now. */
  async function asHolder(work: (tx: Queryable) => Promise<void>): Promise<void> {
    await db.transaction(async (tx) => {
      if (!(await claimSender(tx, by, LEASE_MS)))
        throw new LeaseLostError('another process sends notices now');
      await work(tx);
    });
  }

  async function notify(name: string, channel: NoticeChannel, reading: Awaited<ReturnType<typeof read>>) {
    const now = Date.parse(reading.at);
    const standing = factsFor(name, reading.needs, channel.severity);
    const needs = track(await readTracked(db, name), standing, reading.mayStand, now);
    const { failures, retryAt } = await readChannel(db, name);
    const due = retryAt !== null && now < retryAt ? null : dueNotice(needs, rulesOf(channel), now);
    await asHolder((tx) => saveTracked(tx, name, due === null ? needs : attempted(needs, due, now)));
    if (due === null) return;
    try {
      await send(name, noticeOf(due, { channel: name, now, publicUrl: publicUrl() }));
    } catch (error) {
      if (!(error instanceof NoticeError)) throw error;
      const { code, message: reason, unclear } = error;
      log.warn({ channel: name, code, err: error }, 'a notice did not arrive; Sluice tries again');
      await asHolder(async (tx) => {
        if (!unclear) await saveTracked(tx, name, needs);
        await markFailing(tx, name, { code, reason, retryMs: backoffMs(failures + 1) });
      });
      return;
    }
    await asHolder(async (tx) => {
      await saveTracked(tx, name, notified(needs, due, now));
      await markWorking(tx, name);
    });
  }

  return {
    async pass() {
      const configured = Object.entries(channels());
      if (!(await claimSender(db, by, LEASE_MS))) return;
      await forgetChannels(
        db,
        configured.map(([name]) => name),
      );
      if (configured.length === 0) return;
      const reading = await read();
      // A channel that hangs or fails does not keep the others waiting.
      await Promise.all(
        configured.map(async ([name, channel]) => {
          try {
            await notify(name, channel, reading);
          } catch (error) {
            if (!(error instanceof LeaseLostError))
              log.error({ channel: name, err: error }, 'notices of a channel could not be sent');
          }
        }),
      );
    },
    release: () => releaseSender(db, by),
  };
}

function rulesOf({ severity, after, group, quiet }: NoticeChannel) {
  return { severity, afterMs: durationMs(after), groupMs: durationMs(group), quiet: quiet ?? null };
}

/** Written before the attempt: if nobody can write down its result, the end of these needs is notified all the same. */
function attempted(needs: readonly TrackedNeed[], { began }: DueNotice, now: number): TrackedNeed[] {
  const keys = new Set(began.map(({ key }) => key));
  return needs.map((need) => (keys.has(need.key) ? { ...need, attemptedAt: need.attemptedAt ?? now } : need));
}

function notified(needs: readonly TrackedNeed[], { began, ended }: DueNotice, now: number): TrackedNeed[] {
  const over = new Set(ended.map(({ key }) => key));
  const keys = new Set(began.map(({ key }) => key));
  return needs
    .filter(({ key }) => !over.has(key))
    .map((need) => (keys.has(need.key) ? { ...need, attemptedAt: null, notifiedAt: now } : need));
}
