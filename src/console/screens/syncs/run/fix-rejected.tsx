// Fix and retry: the rejected rows of a run leave as CSV, and the corrected ones come back as a run of their own.
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useCommand } from '../../../api/use-command.ts';
import { useUpload } from '../../../api/use-upload.ts';
import { saveCsv } from '../../../app/save-file.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { useFormat } from '../../../format/use-format.ts';
import { Section } from '../../../parts/page.tsx';
import { DropZone } from '../drop-zone.tsx';
import classes from '../syncs.module.css';

export function FixRejected({ sync, run }: { readonly sync: string; readonly run: string }) {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  const [, change] = useUrlState();
  const [uploaded, setUploaded] = useState<Output<'POST /uploads'> | null>(null);
  const download = useCommand('POST /syncs/{sync}/runs/{run}/rejected-rows', {
    done: ({ rows, more }) => t(more ? 'fix.savedFirst' : 'fix.saved', { count: rows }),
    onDone: ({ csv }) => saveCsv(`${sync}-rejected.csv`, csv),
  });
  const upload = useUpload(setUploaded);
  const begin = useCommand('POST /uploads/{upload}/corrections', {
    topics: ['syncs'],
    done: ({ rows, workers }) => t(workers ? 'fix.started' : 'fix.waits', { count: rows }),
    onDone: () => change({ view: null, run: null, outcome: null, code: null }),
  });
  const send = (file: File) => {
    setUploaded(null);
    upload.send(file);
  };
  return (
    <Section
      title={t('fix.title')}
      about={t('fix.about')}
      actions={
        <Button variant="default" size="compact-sm" onClick={() => change({ view: null })}>
          {t('fix.cancel')}
        </Button>
      }
    >
      <ol className={classes.steps}>
        <li>
          <div>{t('fix.download')}</div>
          <Button
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
            loading={download.isPending}
            onClick={() => download.run({ sync, run })}
          >
            {t('fix.save')}
          </Button>
        </li>
        <li>{t('fix.correct')}</li>
        <li>
          <div>{t('fix.upload')}</div>
          <DropZone isBusy={upload.isPending} isFirst={uploaded === null} onFile={send} />
        </li>
      </ol>
      {uploaded !== null && (
        <div className={classes.line}>
          <Button loading={begin.isPending} onClick={() => begin.run({ upload: uploaded.upload, sync })}>
            {t('fix.start', { bytes: format.bytes(uploaded.bytes) })}
          </Button>
        </div>
      )}
    </Section>
  );
}
