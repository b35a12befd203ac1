// What happened to rows whose outcome is unknown: an operator says that the call took effect.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../../api/use-command.ts';
import { useFormat } from '../../../format/use-format.ts';
import type { Row } from '../data.ts';

interface Props {
  readonly sync: string;
  /** Null: the last run and its retries. */
  readonly run: string | null;
  readonly rows: readonly Pick<Row, 'row'>[];
  clear?(): void;
}

/** Row 0 is a person who left the source: the next run checks that person. */
export function ResolveRows({ sync, run, rows, clear }: Props) {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  const resolve = useCommand('POST /syncs/{sync}/resolve', {
    done: ({ resolved }) => t('action.resolved', { count: resolved }),
    onDone: () => clear?.(),
  });
  const numbers = [...new Set(rows.map(({ row }) => row).filter((row) => row > 0))];
  const count = numbers.length;
  const verb = t('action.resolveDone');
  const ask = () =>
    resolve.ask((reason) => ({ sync, rows: numbers, reason, run: run ?? undefined }), {
      title: t('action.resolveTitle'),
      effects: (
        <>
          <p>{t('action.resolveEffect', { count, rows: format.count(count) })}</p>
          <p>{t('action.resolveDoneEffect')}</p>
        </>
      ),
      verb,
      reason: 'required',
    });
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={resolve.isPending}
      disabled={count === 0}
      onClick={ask}
    >
      {verb}
    </Button>
  );
}
