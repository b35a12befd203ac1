// What can be done with a campaign of the configuration as a whole: a copy, and its removal.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../../api/use-command.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { TOPICS } from '../data.ts';

interface Props {
  readonly campaign: string;
  /** Of the file that is shown. */
  readonly hash: string;
}

export function FileActions({ campaign, hash }: Props) {
  const { t } = useTranslation('campaign-form');
  const [, setUrl] = useUrlState();
  const remove = useCommand('DELETE /campaigns/{campaign}/source', {
    topics: TOPICS,
    done: () => t('edit.deleted', { campaign }),
    onDone: () => setUrl({ campaign: null, run: null, tab: null }),
  });
  const ask = () =>
    remove.ask((reason) => ({ campaign, hash, reason }), {
      title: t('edit.deleteTitle', { campaign }),
      effects: t('edit.deleteEffect'),
      verb: t('edit.delete'),
      dangerous: true,
      reason: 'optional',
    });
  const copy = { campaign: null, run: null, tab: null, new: 'yes', copy: campaign };
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setUrl(copy, { replace: false })}>
        {t('edit.clone')}
      </Button>
      <Button size="xs" variant="default" loading={remove.isPending} onClick={ask}>
        {t('edit.delete')}
      </Button>
    </>
  );
}
