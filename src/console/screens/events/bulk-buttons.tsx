// The buttons for chosen rows of what was refused: hand them in again, or discard them.
import { Button } from '@mantine/core';

interface BulkButtonsProps {
  /** Open ones among the chosen rows. */
  readonly ids: readonly string[];
  readonly words: { readonly replay: string; readonly discard: string };
  readonly isReplaying: boolean;
  readonly isDiscarding: boolean;
  replay(ids: readonly string[]): void;
  discard(ids: readonly string[]): void;
}

export function BulkButtons({ ids, words, isReplaying, isDiscarding, replay, discard }: BulkButtonsProps) {
  return (
    <>
      <Button size="compact-sm" disabled={ids.length === 0} loading={isReplaying} onClick={() => replay(ids)}>
        {words.replay}
      </Button>
      <Button
        variant="danger"
        size="compact-sm"
        disabled={ids.length === 0}
        loading={isDiscarding}
        onClick={() => discard(ids)}
      >
        {words.discard}
      </Button>
    </>
  );
}

/** Those of the rows that nobody has dealt with. */
export function openIds(
  rows: readonly { readonly id: string; readonly resolution: unknown }[],
): readonly string[] {
  return rows.filter(({ resolution }) => resolution === null).map(({ id }) => id);
}
