// One row: its outcome, why, and what it would change.
import { Drawer, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/session.tsx';
import { useCall } from '../../../api/use-call.ts';
import { useFormat } from '../../../format/use-format.ts';
import { Diff } from '../../../parts/diff/diff.tsx';
import { Facts } from '../../../parts/page.tsx';
import { Reason } from '../../../parts/reason/reason.tsx';
import { UnmaskButton } from '../../../parts/reveal/unmask.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { Status } from '../../../parts/status.tsx';
import textStyles from '../../../parts/text.module.css';
import { None, Time } from '../../../parts/values.tsx';
import { OUTCOMES, type Row, shown } from '../data.ts';
import { usePlace } from '../use-place.ts';
import { ResolveRows } from './resolve.tsx';
import { RetryRows } from './retry.tsx';
import { RowHints } from './row-hints.tsx';

interface Props {
  readonly sync: string;
  readonly run: string | null;
  readonly row: number;
  onClose(): void;
}

export function RowDrawer({ sync, run, row, onClose }: Props) {
  const { t } = useTranslation(['syncs', 'common']);
  const may = useMay('operator');
  const [unmask, setUnmask] = useState(false);
  const query = useCall('GET /syncs/{sync}/rows', {
    sync,
    run: run ?? undefined,
    row,
    statuses: OUTCOMES,
    diff: true,
    lines: true,
    unmask,
  });
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={t('syncs:rows.details', { row })}
      closeButtonProps={{ 'aria-label': t('common:confirm.keep') }}
    >
      <Loaded of={query}>
        {({ rows, linesProblem }) => (
          <Stack gap="lg">
            {rows.length === 0 && <None />}
            {rows.map((each) => (
              <RowDetails
                key={`${each.status} ${each.step} ${each.code}`}
                row={each}
                linesProblem={linesProblem}
              />
            ))}
            {may && rows.some(({ status }) => status === 'unknown') && (
              <Group gap="xs">
                <ResolveRows sync={sync} run={run} rows={rows} />
                <RetryRows sync={sync} run={run} outcome="unknown" rows={rows} clear={onClose} />
              </Group>
            )}
            {!unmask && rows.length > 0 && (
              <UnmaskButton label={t('syncs:rows.reveal')} onUnmask={() => setUnmask(true)} />
            )}
          </Stack>
        )}
      </Loaded>
    </Drawer>
  );
}

interface DetailsProps {
  readonly row: Row;
  readonly linesProblem: string | null;
}

function RowDetails({ row, linesProblem }: DetailsProps) {
  const { t } = useTranslation('syncs');
  const placeOf = usePlace();
  const format = useFormat();
  const {
    status,
    key,
    step,
    column,
    code,
    reason,
    attempts,
    endedAt,
    changes,
    other,
    place,
    hints,
    missingTags,
  } = row;
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          [t('rows.outcome'), <Status key="status" of={status} />],
          [t('rows.person'), key ?? <None key="person" />],
          [t('rows.step'), step === null ? <None key="step" /> : placeOf(step)],
          [t('rows.column'), column ?? <None key="column" />],
          [
            t('rows.reason'),
            code === null && reason === null ? (
              <None key="reason" />
            ) : (
              <Reason key="reason" code={code} reason={reason} params={row.params} />
            ),
          ],
          ...(place === null
            ? []
            : [[t('rows.line'), place.line] as const, [t('rows.sheetLine'), place.sheetLine] as const]),
          [t('rows.attempts'), attempts],
          [t('rows.ended'), <Time key="ended" at={endedAt} as="moment" />],
        ]}
      />
      {missingTags.length > 0 && (
        <div>{t('rows.missingTags', { count: missingTags.length, tags: format.list(missingTags) })}</div>
      )}
      {hints !== null && <RowHints hints={hints} />}
      {status === 'rejected' && linesProblem !== null && (
        <div className={textStyles.small}>{t('rows.noLine', { problem: linesProblem })}</div>
      )}
      {other !== null && <div>{t('rows.conflict', { row: other.row })}</div>}
      {changes === null || changes.length === 0 ? (
        <div className={textStyles.small}>{t('rows.noChanges')}</div>
      ) : (
        <Diff
          label={t('rows.changes')}
          changes={changes.map(({ field, was, now }) => ({ field, before: shown(was), after: shown(now) }))}
        />
      )}
    </Stack>
  );
}
