// Deletes a sync from the configuration. The dialog says what goes, and what stays.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useCommand } from '../../../api/use-command.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import classes from '../syncs.module.css';

interface Props {
  readonly sync: string;
  /** Of the definition that is shown. */
  readonly hash: string;
  readonly removal: Output<'GET /syncs/{sync}/definition'>['removal'];
  onDeleted(): void;
}

export function DeleteSync({ sync, hash, removal, onDeleted }: Props) {
  const { t } = useTranslation('syncs');
  const [, change] = useUrlState();
  const remove = useCommand('DELETE /syncs/{sync}/definition', {
    topics: ['syncs'],
    done: ({ active }) => t(active ? 'delete.done' : 'delete.doneElsewhere', { sync }),
    onDone: () => {
      onDeleted();
      change({ name: null, view: null, run: null, plan: null });
    },
  });
  const ask = () =>
    remove.ask((reason) => ({ sync, hash, reason }), {
      title: t('delete.title', { sync }),
      effects: (
        <div className={classes.stack}>
          <div>{t('delete.goes', { entries: removal.entries.join(', ') })}</div>
          <div>
            {t('delete.stays')}
            <ul className={classes.facts}>
              <li>{t('delete.people')}</li>
              <li>{t('delete.history')}</li>
              {removal.export !== null && <li>{t('delete.file', { file: removal.export })}</li>}
            </ul>
          </div>
        </div>
      ),
      verb: t('delete.verb'),
      dangerous: true,
      reason: 'optional',
    });
  return (
    <Button variant="danger" loading={remove.isPending} onClick={ask}>
      {t('delete.verb')}
    </Button>
  );
}
