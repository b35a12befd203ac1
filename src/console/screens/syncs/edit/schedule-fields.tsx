// When a sync runs by itself: a time and weekdays, or cron for everything else.
import { Chip, Group, Input, NativeSelect, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { valueAt } from '../../../parts/draft/yaml-draft.ts';
import classes from '../syncs.module.css';
import { cronText, DAY_NAMES, EVERY_DAY, readCron, type SimpleCron } from './simple-cron.ts';

/** As a week is written: Monday first. */
const WEEK = [1, 2, 3, 4, 5, 6, 0] as const;
const START: SimpleCron = { time: '06:00', days: EVERY_DAY };
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

type Mode = 'none' | 'time' | 'cron';

interface Props {
  /** The sync as data. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly mayStart: boolean;
  onChange(path: readonly string[], value: unknown): void;
}

export function ScheduleFields({ value, mayStart, onChange }: Props) {
  const { t } = useTranslation('syncs');
  // Text that becomes a simple schedule while it is typed stays text.
  const [asText, setAsText] = useState(false);
  const cron = valueAt(value, ['schedule', 'cron']);
  const simple = readCron(cron);
  const mode: Mode =
    cron === undefined ? (asText ? 'cron' : 'none') : simple === null || asText ? 'cron' : 'time';
  const isList = cron !== undefined && typeof cron !== 'string';
  const write = (text: string) => {
    // Without its times, the rest of a schedule means nothing.
    if (text === '') onChange(['schedule'], undefined);
    else onChange(['schedule', 'cron'], text);
  };
  const choose = (next: Mode) => {
    setAsText(next === 'cron');
    if (next === 'none') write('');
    if (next === 'time') write(cronText(simple ?? START));
  };
  return (
    <div className={classes.fields}>
      <NativeSelect
        label={t('edit.runs')}
        description={mayStart ? undefined : t('edit.cronRole')}
        inputWrapperOrder={ORDER}
        disabled={!mayStart || isList}
        value={mode}
        data={(['none', 'time', 'cron'] as const).map((each) => ({
          value: each,
          label: t(`edit.mode.${each}`),
        }))}
        onChange={(event) => choose(event.currentTarget.value as Mode)}
      />
      {mode === 'time' && simple !== null && (
        <TimeOfDay simple={simple} mayStart={mayStart} onChange={(next) => write(cronText(next))} />
      )}
      {mode === 'cron' && (
        <TextInput
          label={t('edit.cron')}
          description={t(isList ? 'edit.cronList' : 'edit.cronHint')}
          inputWrapperOrder={ORDER}
          placeholder="0 6 * * 1-5"
          readOnly={isList || !mayStart}
          autoComplete="off"
          value={isList ? JSON.stringify(cron) : ((cron as string | undefined) ?? '')}
          onChange={(event) => {
            setAsText(true);
            write(event.currentTarget.value);
          }}
        />
      )}
      {cron !== undefined && (
        <ZoneField
          zone={valueAt(value, ['schedule', 'timeZone'])}
          mayStart={mayStart}
          onChange={(zone) => onChange(['schedule', 'timeZone'], zone)}
        />
      )}
    </div>
  );
}

interface TimeProps {
  readonly simple: SimpleCron;
  readonly mayStart: boolean;
  onChange(next: SimpleCron): void;
}

function TimeOfDay({ simple, mayStart, onChange }: TimeProps) {
  const { t } = useTranslation('syncs');
  const label = useId();
  const { time, days } = simple;
  return (
    <>
      <TextInput
        type="time"
        label={t('edit.time')}
        readOnly={!mayStart}
        value={time}
        error={time === '' ? t('edit.timeOpen') : undefined}
        onChange={(event) => onChange({ time: event.currentTarget.value, days })}
      />
      <Input.Wrapper
        label={t('edit.days')}
        labelElement="div"
        labelProps={{ id: label }}
        error={days.length === 0 ? t('edit.daysOpen') : undefined}
      >
        <Group gap="xs" role="group" aria-labelledby={label}>
          {WEEK.map((day) => (
            <Chip
              key={day}
              size="xs"
              checked={days.includes(day)}
              disabled={!mayStart}
              onChange={(isOn) =>
                onChange({ time, days: isOn ? [...days, day] : days.filter((each) => each !== day) })
              }
            >
              {t(`edit.day.${DAY_NAMES[day]}`)}
            </Chip>
          ))}
        </Group>
      </Input.Wrapper>
    </>
  );
}

interface ZoneProps {
  readonly zone: unknown;
  readonly mayStart: boolean;
  onChange(zone: string | undefined): void;
}

function ZoneField({ zone, mayStart, onChange }: ZoneProps) {
  const { t } = useTranslation('syncs');
  const now = zone === undefined ? '' : String(zone as string);
  // Browsers list the zones of regions alone.
  const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...(now === '' ? [] : [now])])];
  return (
    <NativeSelect
      label={t('edit.timeZone')}
      disabled={!mayStart}
      value={now}
      data={[{ value: '', label: t('edit.timeZoneAccount') }, ...zones]}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}
