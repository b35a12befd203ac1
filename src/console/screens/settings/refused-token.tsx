// What to change so that the service accepts an account again: the place of its refused token, and how to check it.
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useFormat } from '../../format/use-format.ts';
import { Reason } from '../../parts/reason/reason.tsx';
import classes from './settings.module.css';

interface RefusedTokenProps {
  readonly account: string;
  readonly position: number;
  readonly place: Output<'GET /accounts'>['accounts'][number]['tokenPlaces'][number];
  readonly marks: Output<'GET /overview'>['tokens'][number]['marks'];
}

export function RefusedToken({ account, position, place: { kind, place }, marks }: RefusedTokenProps) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const refused = marks.find(({ scope }) => scope === null);
  const scopes = marks.flatMap(({ scope }) => scope ?? []);
  return (
    <Alert
      color="red"
      className={classes.badGround}
      icon={<IconAlertTriangle aria-hidden />}
      title={t('accounts.refused.title', { position })}
    >
      {refused !== undefined && <Reason code={refused.code} reason={null} />}
      {scopes.length > 0 && <div>{t('accounts.refused.scopes', { scopes: format.list(scopes) })}</div>}
      <div>
        {t('accounts.refused.place')} <code>{`accounts.${account}.tokens[${position - 1}]`}</code>:{' '}
        <code>{`${kind}:${place}`}</code>
      </div>
      <div>{t(`accounts.refused.${kind}`, { place })}</div>
      <div>
        {t('accounts.refused.check')} <code>{`npx sluice doctor --account ${account}`}</code>
      </div>
    </Alert>
  );
}
