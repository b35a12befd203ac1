// The priority of a sync: its lane, as a choice.
import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useFormat } from '../../format/use-format.ts';
import { useRouteName } from '../../format/use-route-name.ts';
import textStyles from '../text.module.css';
import { LaneName } from './lane-name.tsx';

const OF_SYNCS = ['lead', 'backfill'] as const;
type Lane = (typeof OF_SYNCS)[number];

interface LaneChoiceProps {
  readonly sync: string;
  /** Of the next run. */
  readonly lane: Lane;
}

/** The lane of a sync. Before another one is saved, it says what goes before and after. Who may not change it reads it. */
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
  const [chosen, choose] = useState<Lane | null>(null);
  if (!may) return <LaneName of={lane} />;
  const save = () => {
    if (chosen !== null) command.run({ sync, lane: chosen });
    choose(null);
  };
  return (
    <Stack gap={6}>
      <NativeSelect
        size="xs"
        aria-label={t('set.label', { sync })}
        title={t('set.about')}
        value={chosen ?? lane}
        disabled={command.isPending}
        data={OF_SYNCS.map((value) => ({ value, label: t(`set.${value}`) }))}
        onChange={({ currentTarget: { value } }) => {
          const wanted = OF_SYNCS.find((each) => each === value) ?? lane;
          choose(wanted === lane ? null : wanted);
        }}
      />
      {chosen !== null && (
        <>
          <LaneOrder sync={sync} lane={chosen} />
          <Group gap="xs">
            <Button size="compact-xs" onClick={save}>
              {t('set.save')}
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => choose(null)}>
              {t('set.keep')}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** What goes before and after the sync with this lane, by name. */
function LaneOrder({ sync, lane }: LaneChoiceProps) {
  const { t } = useTranslation('budget');
  const format = useFormat();
  const routeName = useRouteName();
  const { data } = useCall('GET /syncs/{sync}/lanes', { sync });
  const order = data?.lanes.find((each) => each.lane === lane);
  if (order === undefined) return null;
  return (
    <div className={textStyles.small} role="status">
      {(['before', 'beside', 'after'] as const).map((where) => (
        <div key={where}>
          {order[where].length === 0
            ? t(`set.order.${where}None`)
            : t(`set.order.${where}`, {
                work: format.list(
                  order[where].map(({ kind, name }) => t(`set.work.${kind}`, { name: routeName(name) })),
                ),
              })}
        </div>
      ))}
    </div>
  );
}
