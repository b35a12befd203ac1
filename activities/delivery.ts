// Following messages that were sent: what is due, and one look at it. A look is one call of the API.
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { isSegment } from '../src/api-client/arguments.ts';
import { ApiError, InvalidArgumentError, UnexpectedShapeError } from '../src/api-client/errors.ts';
import type { HistoryMessage } from '../src/api-client/schemas/message.ts';
import type {
  DeliveryEntry,
  DeliveryFilter,
  DeliveryLookInput,
  DeliveryTurn,
  DeliveryWatchInput,
} from '../src/contracts/delivery.ts';
import { listDeliveries } from '../src/ledger/delivery-desk.ts';
import {
  type DueLook,
  nextDueLook,
  recordLook,
  type Shown,
  settleDeliveries,
} from '../src/ledger/delivery-looks.ts';
import { openPollRun } from '../src/ledger/intake-runs.ts';
import { callApi } from './api-call.ts';
import type { AccountAccess, Deps } from './deps.ts';
import { isRefusal, refusalCode, refusalScope, toFailure } from './failures.ts';
import { isTransient } from './record-step.ts';
import { wakeSinks } from './wake.ts';

/** Name of the run that counts the looks of an account, among the names of its pollers. */
const RUN_NAME = '@deliveries';
/** Largest page of a history (API text, Limits). */
const PAGE_SIZE = 200;
/** A look that fails so often is given up: the next one comes by the schedule, and others get their turn. */
const MAX_ATTEMPTS = 5;
/** The same calls as reading a message back: refusals of one reach as far as those of the other. */
const STEP = 'readBackMessage' as const;

export interface DeliveryTools {
  /** Told of the sinks that have something to do. @default starts or wakes their workflows */
  readonly wake?: (sinks: readonly string[]) => Promise<void>;
  /** @default the clock of this process */
  readonly now?: () => Date;
}

/** Ledger side: for the work queue. */
export function createDeliveryLedgerActivities(deps: Deps, tools: DeliveryTools = {}) {
  const { db } = deps;
  const { wake = wakeSinks, now = () => new Date() } = tools;
  return {
    /** Tells what was seen meanwhile, and says when to look next. */
    async nextDelivery({ account: name }: DeliveryWatchInput): Promise<DeliveryTurn> {
      const account = deps.account(name);
      const at = now();
      const { sinks, nextAt } = await db.transaction((tx) =>
        settleDeliveries(tx, { account: name, rules: account.announce }, at),
      );
      // An attempt before this one may have told sinks and ended before it woke them.
      const again = Context.current().info.attempt > 1;
      await wake(again ? account.announce.map(({ sink }) => sink) : sinks);
      if (nextAt === null) return { nextMs: null, look: null };
      const nextMs = Math.max(0, nextAt.getTime() - at.getTime());
      if (nextMs > 0) return { nextMs, look: null };
      const run = await openPollRun(db, name, RUN_NAME);
      const callsPerMinute = await deps.budget.pace(account.tokens.map(({ key }) => key));
      return { nextMs, look: { run, tokenKey: account.tokenKey, callsPerMinute } };
    },

    /** Messages that were sent, as operators see them: nothing personal. */
    async listDeliveries(filter: DeliveryFilter): Promise<DeliveryEntry[]> {
      return await listDeliveries(db, filter);
    },
  };
}

/** For the API queue. */
export function createDeliveryActivities(
  deps: Deps,
  { now = () => new Date() }: Pick<DeliveryTools, 'now'> = {},
) {
  const { db, log } = deps;
  return {
    /**
     * GET /v1/messages/{messageId}/status, or GET /v1/conversations/{ticketId}/messages where that tells of several. Chosen
     * here, so that what the poller saw meanwhile is not asked for, and ids of messages stay out of the engine. What it shows
     * is told by `nextDelivery`.
     */
    async checkDelivery({ account: name, run }: DeliveryLookInput): Promise<void> {
      const account = deps.account(name);
      const due = await nextDueLook(db, name, now());
      if (due === null) return;
      const look = askable(due);
      let shown: (messageId: string) => Shown;
      try {
        shown = 'message' in look ? await readStatus(account, run, look) : await readPage(account, run, look);
      } catch (error) {
        const all = shownBy(error, look, name);
        shown = () => all;
      }
      await db.transaction((tx) => recordLook(tx, account, look, shown, now()));
    },
  };

  async function readStatus(account: AccountAccess, run: string, look: { message: string }) {
    const found = await callApi(deps, account, run, 'messages:read', (client, options) =>
      client.messages.status(look.message, options),
    );
    return (): Shown => found ?? 'nothing';
  }

  async function readPage(account: AccountAccess, run: string, look: { conversation: number }) {
    const page = await callApi(deps, account, run, 'messages:read', (client, options) =>
      client.conversations.messages(look.conversation, { pageSize: PAGE_SIZE }, options),
    );
    const items = new Map(page?.items.map((item) => [item.id, item]));
    return (messageId: string): Shown => {
      const item = items.get(messageId);
      return item === undefined ? 'absent' : statusOf(item);
    };
  }

  /** What an error says of the messages that were looked for; rethrown as a failure where it says nothing of them. */
  function shownBy(error: unknown, look: DueLook, account: string): Shown {
    if (error instanceof ApplicationFailure || error instanceof CancelledFailure) throw error;
    const isPage = 'conversation' in look;
    if (error instanceof UnexpectedShapeError) {
      log.warn({ account, at: error.path }, 'a look at a message that was sent shows no status');
      return isPage ? 'unshown' : 'nothing';
    }
    if (error instanceof InvalidArgumentError) return { end: 'INVALID_ARGUMENT' };
    if (isRefusal(error)) {
      const code = refusalCode(error);
      if (code === 'ERR_MESSAGE_NOT_FOUND') return 'absent';
      if (refusalScope(code, STEP) === 'record') return isPage ? 'unshown' : { end: code };
      log.warn({ account, code }, 'the account refuses to show how far messages are');
      throw toFailure(error, STEP, 1);
    }
    const { attempt } = Context.current().info;
    if (isTransient(error) && attempt >= MAX_ATTEMPTS) {
      log.warn({ account, attempt }, 'a look at a message that was sent failed too often; another one comes');
      return 'nothing';
    }
    if (!(error instanceof ApiError) && !isTransient(error))
      log.error({ account, err: error }, 'a look failed');
    throw toFailure(error, STEP, attempt);
  }
}

/** No path can hold some ids (base64 with a slash): what the conversation's page says of such a message is all there is. */
function askable(due: DueLook): DueLook {
  if ('conversation' in due || due.shownIn === null || isSegment(due.message)) return due;
  return { conversation: due.shownIn };
}

/** By the assumptions message.statusField and message.ackField. */
function statusOf(item: HistoryMessage): Shown {
  const { status, ack } = item;
  return status === null ? 'unshown' : { status, ack };
}
