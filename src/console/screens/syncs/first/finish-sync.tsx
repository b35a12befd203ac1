// The last step of the guided first sync: a name, a dry run, and writing.
import { Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../../api/use-call.ts';
import { useCommand } from '../../../api/use-command.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import type { Mapping } from '../mapping/mapping-draft.ts';
import classes from '../syncs.module.css';

const NAME = /^[a-z][a-z0-9_-]{0,59}$/;

interface Props {
  readonly upload: string;
  readonly encoding: string;
  /** Empty: the first one. */
  readonly account: string;
  readonly mapping: Mapping;
  /** The name as it is typed. */
  readonly sync: string;
  onName(sync: string): void;
  onWritten(): void;
}

export function FinishSync({ upload, encoding, account, mapping, sync, onName, onWritten }: Props) {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const [, change] = useUrlState();
  const accounts = useCall('GET /accounts', {});
  const to = account || (accounts.data?.accounts[0]?.account ?? '');
  const plan = useCommand('POST /uploads/{upload}/plans', {
    onDone: (begun) => change({ plan: begun.plan }),
  });
  const write = useCommand('POST /uploads/{upload}/sync', {
    topics: ['syncs'],
    done: ({ sync: name, active }) =>
      `${t('first-sync:written', { sync: name })}${active ? '' : ` ${t('first-sync:restart')}`}`,
    onDone: ({ sync: name }) => {
      onWritten();
      change({ view: null, plan: null, name }, { replace: false });
    },
  });
  const names = useCall('GET /sync-names', {}, { topics: ['syncs'] });
  const taken = names.data?.taken.find(({ name }) => name === sync);
  const problem = !NAME.test(sync)
    ? t('first-sync:nameHint')
    : taken === undefined
      ? null
      : t(`first-sync:taken.${taken.kind}`, { name: sync });
  const isNamed = problem === null;
  const input = { upload, account: to, sync, mapping, encoding };
  const ask = () =>
    write.ask(() => input, {
      title: t('first-sync:writeAsk', { sync }),
      effects: t('first-sync:writeEffects'),
      verb: t('first-sync:write'),
    });
  return (
    <div className={classes.stack}>
      <div className={classes.fields}>
        <TextInput
          label={t('first-sync:syncName')}
          description={t('first-sync:nameHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={sync}
          maxLength={60}
          error={sync === '' ? undefined : problem}
          onChange={(event) => onName(event.currentTarget.value)}
        />
      </div>
      <div className={classes.line}>
        <Button
          variant="default"
          disabled={!isNamed || to === ''}
          loading={plan.isPending}
          onClick={() => plan.run(input)}
        >
          {t('first-sync:dryRun')}
        </Button>
        <Button disabled={!isNamed || to === ''} loading={write.isPending} onClick={ask}>
          {t('first-sync:write')}
        </Button>
      </div>
    </div>
  );
}
