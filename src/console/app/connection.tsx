import { IconAccessPoint, IconAccessPointOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLive } from '../api/live.tsx';
import { useFormat } from '../format/use-format.ts';
import { useNow } from '../format/use-now.ts';
import classes from './frame.module.css';

/** Whether the page is up to date: the server announces changes, or the connection is being restored. */
export function Connection() {
  const { t } = useTranslation('common');
  const state = useLive();
  const Icon = state === 'live' ? IconAccessPoint : IconAccessPointOff;
  return (
    <span className={classes.state} data-state={state} role="status" title={t(`live.${state}Detail`)}>
      <Icon size={16} stroke={1.8} aria-hidden />
      <span className={classes.stateText}>{t(`live.${state}`)}</span>
    </span>
  );
}

/** The time zone of every time on the page. */
export function ShownZone() {
  const { t } = useTranslation('common');
  const format = useFormat();
  const offset = format.zone(useNow());
  return (
    <span className={classes.zone} title={t('viewer.zone', { zone: format.zoneName, offset })}>
      {offset}
    </span>
  );
}
