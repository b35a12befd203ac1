import { Loader } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './frame.module.css';

/** While a screen loads. */
export function Waiting() {
  const { t } = useTranslation('common');
  return (
    <div className={classes.waiting} role="status" aria-label={t('state.loading')}>
      <Loader size="sm" aria-hidden />
    </div>
  );
}
