// The priority of a sync: its lane, as a choice.
import { NativeSelect, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { LaneName } from './lane-name.tsx';

const OF_SYNCS = ['lead', 'backfill'] as const;

interface LaneChoiceProps {
  readonly sync: string;
  /** Of the next run. */
  readonly lane: (typeof OF_SYNCS)[number];
}

/** The lane of a sync. Who may not change it reads it. */
export function LaneChoice({ sync, lane }: LaneChoiceProps) {
  const { t } = useTranslation('budget');
  const may = useMay('operator');
  const command = useCommand('PUT /syncs/{sync}/lane', {
    topics: ['spending'],
    done: ({ active, running }) => {
      const done = t(active ? 'set.done' : 'set.doneElsewhere', { sync });
      return running === null ? done : `${done}. ${t('set.running', { lane: t(`set.${running.lane}`) })}`;
    },
  });
  if (!may) return <LaneName of={lane} />;
  return (
    <Tooltip label={t('set.about')} multiline w={280}>
      <NativeSelect
        size="xs"
        aria-label={t('set.label', { sync })}
        value={lane}
        disabled={command.isPending}
        data={OF_SYNCS.map((value) => ({ value, label: t(`set.${value}`) }))}
        onChange={({ currentTarget: { value } }) => {
          const chosen = OF_SYNCS.find((each) => each === value);
          if (chosen !== undefined) command.run({ sync, lane: chosen });
        }}
      />
    </Tooltip>
  );
}
