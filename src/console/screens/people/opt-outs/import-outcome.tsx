// What an import would record, or has recorded, and which rows it rejected.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { csvLine } from '../../../../core/csv.ts';
import type { Output } from '../../../api/client.ts';
import { saveCsv } from '../../../app/save-file.ts';
import { useFormat } from '../../../format/use-format.ts';
import listStyles from '../../../parts/list.module.css';
import { Facts, Section } from '../../../parts/page.tsx';
import { Reason } from '../../../parts/reason/reason.tsx';
import textStyles from '../../../parts/text.module.css';

/** Rejected rows on the page. The file has all that the server named. */
const SHOWN = 20;

/** Their words say all that the reason says. */
const hasOwnWords = (code: string) => code.startsWith('OPT_OUT_');

interface ImportOutcomeProps {
  readonly answer: Output<'POST /uploads/{upload}/opt-outs'>;
  readonly isDryRun: boolean;
}

export function ImportOutcome({ answer, isDryRun }: ImportOutcomeProps) {
  const { t } = useTranslation('opt-outs');
  const format = useFormat();
  const { added, known, withdrawn, rejected, rejectedRows } = answer;
  const save = () => {
    const lines = rejected.map(({ row, code, reason }) => csvLine([row, code, reason]));
    saveCsv('rejected-opt-outs.csv', [csvLine(['row', 'code', 'reason']), ...lines].join(''));
  };
  return (
    <Stack gap="sm" role="status">
      <Section
        title={t(isDryRun ? 'outcome.dryRun' : 'outcome.done')}
        about={isDryRun && t('outcome.nothingYet')}
      >
        <Facts
          facts={[
            [t(isDryRun ? 'outcome.toAdd' : 'outcome.added'), format.count(added)],
            [t('outcome.known'), format.count(known)],
            [t('outcome.withdrawn'), format.count(withdrawn)],
            [t('outcome.rejected'), format.count(rejectedRows)],
          ]}
        />
      </Section>
      {rejectedRows > 0 && (
        <Section
          title={t('outcome.rejectedRows')}
          about={t('outcome.rowHelp')}
          actions={
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconDownload size={14} aria-hidden />}
              onClick={save}
            >
              CSV
            </Button>
          }
          flush
        >
          <ul className={listStyles.list} data-dense>
            {rejected.slice(0, SHOWN).map(({ row, code, reason }) => (
              <li key={row}>
                <Group gap="xs" wrap="nowrap" align="baseline">
                  <Text span size="sm" fw={550} style={{ whiteSpace: 'nowrap' }}>
                    {t('outcome.row', { row: format.count(row) })}
                  </Text>
                  <span className={textStyles.small}>
                    <Reason code={code} reason={hasOwnWords(code) ? null : reason} />
                  </span>
                </Group>
              </li>
            ))}
          </ul>
          {rejectedRows > SHOWN && (
            <p className={listStyles.note}>
              {t(rejectedRows > rejected.length ? 'outcome.cut' : 'outcome.more', {
                shown: format.count(SHOWN),
                listed: format.count(rejected.length),
                rows: format.count(rejectedRows),
              })}
            </p>
          )}
        </Section>
      )}
    </Stack>
  );
}
