// Everything that the ledger has of a person, as a file.
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { saveFile } from '../../app/save-file.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import type { Who } from './who.ts';

export function ExportButton({ account, person }: Who) {
  const { t } = useTranslation('people');
  const confirm = useConfirm();
  const may = useMay('operator');
  const file = `person-${account}-${person}.json`;
  const run = useCommand('POST /people/{account}/{person}/export', {
    onDone: (output) => saveFile(file, JSON.stringify(output, null, 2), 'application/json'),
    done: () => t('export.done', { file }),
  });
  const ask = async () => {
    const answer = await confirm({
      title: t('export.title'),
      effects: t('export.effects'),
      verb: t('export.button'),
      reason: 'optional',
    });
    if (answer !== null) run.run({ account, person, reason: answer.reason });
  };
  if (!may) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={14} aria-hidden />}
      loading={run.isPending}
      onClick={() => void ask()}
    >
      {t('export.button')}
    </Button>
  );
}
