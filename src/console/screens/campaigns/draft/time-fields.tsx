// Sending windows of a campaign: hours of the days, holidays, and the first and the last moment, in the browser's pickers.
import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isoTime, wallTime } from '../../../format/wall-time.ts';
import { type Path, valueAt } from '../../../parts/draft/yaml-draft.ts';
import { Field, ORDER, useForm, useProblem } from './fields.tsx';
import { ListField } from './list-field.tsx';
import { type Hours, holidayText, hoursText, MIDNIGHT, readHoliday, readHours } from './times.ts';

const FIRST_HOURS = '09:00-18:00';

/** The hours of one weekday. */
export function HoursField({ at, label }: { readonly at: Path; readonly label: string }) {
  const { t } = useTranslation('campaign-form');
  return (
    <ListField<Hours>
      at={at}
      label={label}
      none={t('draft.closed')}
      add={t('draft.addHours')}
      next={(list) => (list.length === 0 ? FIRST_HOURS : '-')}
      read={readHours}
      problemOf={({ from, to }) => {
        if (from === '' || to === '') return t('draft.hoursOpen');
        return from === to ? t('draft.hoursSame') : null;
      }}
      remove={(number) => t('draft.removeHours', { day: label, number })}
      row={({ from, to }, write, { number, problemId }) => {
        const about = { 'aria-describedby': problemId, error: problemId !== undefined, size: 'xs' } as const;
        return (
          <>
            <TextInput
              type="time"
              aria-label={t('draft.hoursFrom', { day: label, number })}
              value={from}
              onChange={(event) => write(hoursText({ from: event.currentTarget.value, to }))}
              {...about}
            />
            <span aria-hidden>–</span>
            {to === MIDNIGHT ? (
              <TextInput
                readOnly
                aria-label={t('draft.hoursTo', { day: label, number })}
                value={MIDNIGHT}
                {...about}
              />
            ) : (
              <TextInput
                type="time"
                aria-label={t('draft.hoursTo', { day: label, number })}
                value={to}
                onChange={(event) => write(hoursText({ from, to: event.currentTarget.value }))}
                {...about}
              />
            )}
            <Checkbox
              size="xs"
              label={MIDNIGHT}
              aria-label={t('draft.hoursMidnight', { day: label, number })}
              checked={to === MIDNIGHT}
              onChange={(event) =>
                write(hoursText({ from, to: event.currentTarget.checked ? MIDNIGHT : '' }))
              }
            />
          </>
        );
      }}
    />
  );
}

export function HolidaysField({ at, label }: { readonly at: Path; readonly label: string }) {
  const { t } = useTranslation('campaign-form');
  const [year] = useState(() => new Date().getFullYear());
  return (
    <ListField
      at={at}
      label={label}
      none={t('draft.noHolidays')}
      add={t('draft.addHoliday')}
      next={() => ''}
      read={(text) => readHoliday(text, year)}
      problemOf={({ date }) => (date === '' ? t('draft.dateOpen') : null)}
      remove={(number) => t('draft.removeHoliday', { number })}
      row={({ date, everyYear }, write, { number, problemId }) => (
        <>
          <TextInput
            size="xs"
            type="date"
            aria-label={t('draft.holiday', { number })}
            aria-describedby={problemId}
            error={problemId !== undefined}
            value={date}
            onChange={(event) => write(holidayText({ date: event.currentTarget.value, everyYear }))}
          />
          <Checkbox
            size="xs"
            label={t('draft.everyYear')}
            checked={everyYear}
            disabled={date === ''}
            onChange={(event) => write(holidayText({ date, everyYear: event.currentTarget.checked }))}
          />
        </>
      )}
    />
  );
}

interface MomentProps {
  readonly at: Path;
  readonly label: string;
  /** IANA name of the zone in which it is chosen. The configuration gets the offset. */
  readonly zone: string;
}

export function MomentField({ at, label, zone }: MomentProps) {
  const { t } = useTranslation('campaign-form');
  const { value, set } = useForm();
  const problem = useProblem(at);
  const now = valueAt(value, at);
  const isOpen = now === '';
  const shown = now === undefined || isOpen ? '' : typeof now === 'string' ? wallTime(now, zone) : null;
  // Whatever is no time with an offset is corrected as text.
  if (shown === null) return <Field at={at} label={label} />;
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description={t('draft.inZone', { zone })}
      inputWrapperOrder={ORDER}
      max="9999-12-31T23:59"
      value={shown}
      error={isOpen ? t('draft.momentOpen') : problem}
      onChange={(event) => {
        const { value: wall, validity } = event.currentTarget;
        // A part of a time is no time: the empty text is refused, and nothing means no limit.
        set(at, wall === '' ? (validity.badInput ? '' : undefined) : (isoTime(wall, zone) ?? ''));
      }}
    />
  );
}
