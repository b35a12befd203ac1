// Says that a form shows what was typed before, with a way back to the untouched form.
import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import type { Draft } from './use-draft.ts';

export function RestoredDraft({
  draft,
}: {
  readonly draft: Pick<Draft<unknown>, 'restoredAt' | 'startOver'>;
}) {
  const { t } = useTranslation('common');
  const format = useFormat();
  if (draft.restoredAt === null) return null;
  return (
    <Group gap="sm" role="status">
      <Text size="sm">{t('draft.restored', { at: format.moment(draft.restoredAt) })}</Text>
      <Button variant="default" size="compact-sm" onClick={() => draft.startOver()}>
        {t('draft.startOver')}
      </Button>
    </Group>
  );
}
