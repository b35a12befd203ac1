// Replays and discards refused requests, with a question first, and says what became of them.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Input, Output } from '../../api/client.ts';
import { invalidateTopics } from '../../api/query-client.ts';
import { useClient } from '../../api/session.tsx';
import { topicsOf } from '../../api/topics.ts';
import { useCodeWords } from '../../app/code-words.ts';
import { notifyDone, notifyError } from '../../app/notify.ts';
import { useConfirm } from '../../parts/confirm.tsx';

export type ReplayResult = Output<'POST /refused-requests/replay'>['results'][number];
/** Open requests: exactly these, or all that match the other fields. */
type Choice = Omit<Input<'POST /refused-requests/replay'>, 'body' | 'after' | 'limit'>;
type Replay = Choice & { readonly body?: string | undefined };
type Discard = { readonly ids: readonly string[]; readonly reason: string };

const OUTCOMES = ['accepted', 'refused', 'skipped', 'no route'] as const;
/** Maximum number of ids in one call. */
const MOST = 100;

interface CommandsOptions {
  onReplayed?(results: readonly ReplayResult[]): void;
  onDiscarded?(): void;
}

export function useRefusedCommands({ onReplayed, onDiscarded }: CommandsOptions) {
  const { t } = useTranslation('events');
  const { t: common } = useTranslation('common');
  const words = useCodeWords();
  const client = useClient();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const ends = {
    onError: (error: Error) => notifyError(error, common),
    // Also after an error: some may be done.
    onSettled: () => invalidateTopics(queries, [...topicsOf('POST /refused-requests/replay'), 'overview']),
  };
  const replay = useMutation({
    ...ends,
    mutationFn: async (input: Replay) => {
      const all: ReplayResult[] = [];
      for (const ids of input.ids === undefined ? [undefined] : inParts(input.ids))
        for (let after: string | undefined; ; ) {
          const { results, next } = await client.call('POST /refused-requests/replay', {
            ...input,
            ids,
            after,
          });
          all.push(...results);
          if (next === null) break;
          after = next;
        }
      return all;
    },
    onSuccess: (results) => {
      const texts = OUTCOMES.flatMap((outcome) => {
        const count = results.filter((result) => result.outcome === outcome).length;
        return count === 0 ? [] : [t(`refused.result.${outcome}`, { count })];
      });
      const [only, other] = results;
      const code = only !== undefined && other === undefined && 'code' in only ? only.code : null;
      const why = code === null ? '' : `: ${words(code) ?? code}`;
      notifyDone((texts.join(' · ') || t('refused.nothing')) + why);
      onReplayed?.(results);
    },
  });
  const discard = useMutation({
    ...ends,
    mutationFn: async ({ ids, reason }: Discard) => {
      let sum = 0;
      for (const part of inParts(ids))
        sum += (await client.call('POST /refused-requests/discard', { ids: part, reason })).count;
      return sum;
    },
    onSuccess: (count) => {
      notifyDone(t('refused.discarded', { count }));
      onDiscarded?.();
    },
  });
  return {
    isReplaying: replay.isPending,
    isDiscarding: discard.isPending,
    /** @param body the corrected body of exactly one request */
    async replay(choice: Choice, count: number, body?: string) {
      const answer = await confirm({
        title: t('refused.askReplay', { count }),
        effects: t(body === undefined ? 'refused.effectReplay' : 'refused.effectCorrected'),
        verb: t('refused.replay'),
      });
      if (answer !== null) replay.mutate({ ...choice, body });
    },
    async discard(ids: readonly string[]) {
      const answer = await confirm({
        title: t('refused.askDiscard', { count: ids.length }),
        effects: t('refused.effectDiscard'),
        verb: t('refused.discard'),
        dangerous: true,
        reason: 'required',
      });
      if (answer !== null) discard.mutate({ ids, reason: answer.reason });
    },
  };
}

function inParts(ids: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let at = 0; at < ids.length; at += MOST) parts.push(ids.slice(at, at + MOST));
  return parts;
}
