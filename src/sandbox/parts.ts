// Objects that every part of one running sandbox shares. server.ts builds them once and passes them as an argument.

import type { Choices } from './choices.ts';
import type { BackgroundQueue } from './hooks/queue.ts';
import type { Faults } from './http/faults.ts';
import type { RateWindows } from './http/rate.ts';
import type { RequestLog } from './http/request-log.ts';
import type { Board } from './state/board.ts';
import type { Store } from './state/store.ts';

export interface SandboxParts {
  readonly store: Store;
  readonly log: RequestLog;
  readonly faults: Faults;
  /** Windows of the tokens. */
  readonly rate: RateWindows;
  /** Windows of the inbound webhook hashes. */
  readonly hookRate: RateWindows;
  readonly board: Board;
  /** Processes webhook calls after their answer. */
  readonly background: BackgroundQueue;
  readonly choices: Choices;
  readonly now: () => Date;
  /** Runs `then` after `ms`, unless the sandbox closes first. */
  readonly later: (ms: number, then: () => void) => void;
  /** Reports to the operator. A message never contains a number, a name or a token. */
  readonly warn: (message: string) => void;
}
