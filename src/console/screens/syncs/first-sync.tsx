// The guided first sync: upload, check what was recognized, map with a live preview, dry run, write.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useMay } from '../../api/session.tsx';
import { useUpload } from '../../api/use-upload.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import { Facts, Page, Section } from '../../parts/page.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { DropZone } from './drop-zone.tsx';
import { DryRunPanel } from './dry-run.tsx';
import { FinishSync } from './finish-sync.tsx';
import { type Draft, draftOf, mappingOf } from './mapping-draft.ts';
import { MappingEditor } from './mapping-editor.tsx';
import { MappingPreview } from './mapping-preview.tsx';
import classes from './syncs.module.css';

type Upload = Output<'POST /uploads'>;

export function FirstSync() {
  const { t } = useTranslation('syncs');
  const mayWrite = useMay('editor');
  const [{ plan }] = useUrlState();
  const [name, setName] = useState('');
  const [draft, setDraft] = useState<Draft | null>(null);
  const [uploaded, setUploaded] = useState<Upload | null>(null);
  const upload = useUpload((made) => {
    setUploaded(made);
    setDraft(draftOf(made.recognized.mapping));
  });
  const send = (file: File) => {
    setName(file.name);
    upload.send(file);
  };
  const mapping = draft === null ? null : mappingOf(draft);
  return (
    <Page
      title={t('first.title')}
      lead={t('first.lead')}
      trail={[
        <Anchor key="all" component={Link} to="/syncs" search={{} as never} fz="xs">
          {t('all')}
        </Anchor>,
      ]}
    >
      {!mayWrite ? (
        <EmptyState title={t('first.title')} text={t('first.admin')} />
      ) : (
        <>
          <Section title={t('first.upload')} about={uploaded === null ? undefined : name}>
            <DropZone isBusy={upload.isPending} isFirst={uploaded === null} onFile={send} />
          </Section>
          {uploaded !== null && draft !== null && (
            <>
              <Section title={t('first.recognized')}>
                <Recognized upload={uploaded} />
              </Section>
              <Section title={t('first.mapping')} about={t('first.mappingText')}>
                <MappingEditor
                  columns={uploaded.recognized.columns.map((column) => column.name)}
                  draft={draft}
                  onChange={setDraft}
                />
              </Section>
              {mapping !== null && (
                <>
                  <Section title={t('first.preview')}>
                    <MappingPreview of={{ upload: uploaded.upload }} mapping={mapping} />
                  </Section>
                  <Section title={t('first.finish')}>
                    <FinishSync upload={uploaded.upload} account={draft.account} mapping={mapping} />
                  </Section>
                </>
              )}
            </>
          )}
          {plan !== undefined && <DryRunPanel plan={plan} />}
        </>
      )}
    </Page>
  );
}

function Recognized({ upload }: { readonly upload: Upload }) {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  const { delimiter, encoding, header, preset, country, columns, notes } = upload.recognized;
  const sure = (name: string, confidence: number) =>
    t('first.sure', { name, percent: format.percent(confidence) });
  return (
    <div className={classes.stack}>
      {!header && (
        <p className={classes.notice} data-tone="bad" role="alert">
          {t('first.header')}
        </p>
      )}
      <Facts
        facts={[
          [
            t('first.delimiter'),
            delimiter === '\t' ? t('first.tab') : <code key="delimiter">{delimiter}</code>,
          ],
          [t('first.encoding'), sure(encoding.name, encoding.confidence)],
          [t('first.preset'), preset === null ? t('first.presetNone') : sure(preset.name, preset.confidence)],
          [
            t('first.country'),
            country.country === null ? t('first.countryAny') : sure(country.country, country.confidence),
          ],
          [t('first.columns'), format.count(columns.length)],
        ]}
      />
      {notes.map(({ code, reason }) => (
        <p key={`${code} ${reason}`} className={classes.notice}>
          {reason}
        </p>
      ))}
    </div>
  );
}
