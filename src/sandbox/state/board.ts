// The real-time events of the board: a watcher of an account gets each card that is created or moved.
import type { Card } from './model.ts';

export interface BoardEvent {
  readonly type: 'created' | 'moved';
  /** Epoch milliseconds. */
  readonly at: number;
  readonly accountId: string;
  readonly cardId: number;
  readonly pipelineId: number;
  readonly stageId: number | null;
  /** Previous stage of the card; null for a new card. */
  readonly fromStageId: number | null;
  readonly status: Card['status'];
}

type Watcher = (event: BoardEvent) => void;

/** Live events only: without a watcher an event is lost, as with a kanban that is not open. */
export class Board {
  readonly #watchers = new Map<string, Set<Watcher>>();

  /** @returns a function that ends the watch */
  watch(accountId: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(accountId) ?? new Set();
    this.#watchers.set(accountId, watchers.add(watcher));
    return () => void watchers.delete(watcher);
  }

  /** Called after the change is committed. `old` is null for a new card. */
  publish(accountId: string, card: Card, old: Card | null): void {
    const event: BoardEvent = {
      type: old === null ? 'created' : 'moved',
      at: card.updatedAt,
      accountId,
      cardId: card.id,
      pipelineId: card.pipelineId,
      stageId: card.stageId,
      fromStageId: old?.stageId ?? null,
      status: card.status,
    };
    for (const watcher of this.#watchers.get(accountId) ?? []) watcher(event);
  }
}
