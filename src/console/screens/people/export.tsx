// Everything that the ledger has of a person, as a file.
import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { saveFile } from '../../app/save-file.ts';
import type { Language } from '../../i18n/languages.ts';
import type { Who } from './who.ts';

export function ExportButton({ account, person }: Who) {
  const { t, i18n } = useTranslation('people');
  const may = useMay('operator');
  const file = `person-${account}-${person}`;
  const run = useCommand('POST /people/{account}/{person}/export', {
    onDone: ({ page, ...output }) => {
      if (page === null) saveFile(`${file}.json`, JSON.stringify(output, null, 2), 'application/json');
      else saveFile(`${file}.html`, page, 'text/html');
    },
    done: ({ page }) => t('export.done', { file: `${file}.${page === null ? 'json' : 'html'}` }),
  });
  const ask = () => {
    let isPage = false;
    const page = () => (isPage ? (i18n.language as Language) : undefined);
    run.ask((reason) => ({ account, person, page: page(), reason }), {
      title: t('export.title'),
      effects: (
        <Stack gap="xs">
          <Text>{t('export.effects')}</Text>
          <Checkbox
            label={t('export.page')}
            onChange={({ currentTarget }) => {
              isPage = currentTarget.checked;
            }}
          />
        </Stack>
      ),
      verb: t('export.button'),
      reason: 'optional',
    });
  };
  if (!may) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={14} aria-hidden />}
      loading={run.isPending}
      onClick={ask}
    >
      {t('export.button')}
    </Button>
  );
}
