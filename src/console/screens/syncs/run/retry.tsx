// Retries of records that failed or are unknown: all records with one code, or chosen rows.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/session.tsx';
import { useCommand } from '../../../api/use-command.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { useFormat } from '../../../format/use-format.ts';
import type { Row } from '../data.ts';

type Retried = 'failed' | 'unknown';

interface Of {
  readonly sync: string;
  readonly outcome: Retried;
}

export function isRetried(outcome: string | undefined): outcome is Retried {
  return outcome === 'failed' || outcome === 'unknown';
}

function useRetry({ sync, outcome }: Of, onDone: () => void = () => undefined) {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  const [, change] = useUrlState();
  const retry = useCommand('POST /syncs/{sync}/retries', {
    done: () => t('action.started'),
    onDone: () => {
      onDone();
      change({ run: null, code: null, outcome: null });
    },
  });
  const ask = (
    words: { readonly title: string; readonly verb: string; readonly records: number },
    input: { readonly codes?: readonly string[]; readonly rows?: readonly number[]; readonly run?: string },
  ) => {
    const { title, verb, records } = words;
    const effects = t(outcome === 'failed' ? 'ask.retryEffects' : 'ask.retryUnknown', {
      rows: format.count(records),
    });
    retry.ask((reason) => ({ ...input, sync, statuses: [outcome], reason }), {
      title,
      effects,
      verb,
      reason: 'optional',
    });
  };
  return { ask, isPending: retry.isPending };
}

interface CodeProps extends Of {
  readonly code: string;
  readonly rows: number;
}

export function RetryCode({ code, rows, ...of }: CodeProps) {
  const { t } = useTranslation('syncs');
  const may = useMay('operator');
  const { ask, isPending } = useRetry(of);
  if (!may) return null;
  const verb = t('action.retry', { code });
  const words = { title: t('ask.retry', { code }), verb, records: rows };
  return (
    <Button size="compact-sm" loading={isPending} onClick={() => ask(words, { codes: [code] })}>
      {verb}
    </Button>
  );
}

interface RowsProps extends Of {
  /** Null: the last run and its retries. */
  readonly run: string | null;
  readonly rows: readonly Row[];
  clear(): void;
}

/** Row 0 is a person who left the source: the next run checks that person again, and a retry does not. */
export function RetryRows({ run, rows, clear, ...of }: RowsProps) {
  const { t } = useTranslation('syncs');
  const { ask, isPending } = useRetry(of, clear);
  const numbers = rows.map(({ row }) => row).filter((row) => row > 0);
  const verb = t('action.retryRows');
  const words = { title: t('ask.retryRows'), verb, records: numbers.length };
  const input = { rows: numbers, run: run ?? undefined };
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isPending}
      disabled={numbers.length === 0}
      onClick={() => ask(words, input)}
    >
      {verb}
    </Button>
  );
}
