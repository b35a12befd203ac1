// The guided first sync: upload, check what was recognized, map with a live preview, dry run, write.
import { useTranslation } from 'react-i18next';
import { OperatorError } from '../../../../operator/error.ts';
import { useMay } from '../../../api/session.tsx';
import { useCall } from '../../../api/use-call.ts';
import { useUpload } from '../../../api/use-upload.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { RestoredDraft } from '../../../parts/draft/restored-draft.tsx';
import { type Draft, useDraft } from '../../../parts/draft/use-draft.ts';
import { Page, Section } from '../../../parts/page.tsx';
import { ScreenLink } from '../../../parts/screen-link.tsx';
import { EmptyState, Loaded } from '../../../parts/states.tsx';
import { DropZone } from '../drop-zone.tsx';
import { DryRunPanel } from '../dry-run.tsx';
import {
  type Choices,
  choicesOf,
  draftOf,
  mappingOf,
  NO_CHOICES,
  withChoices,
} from '../mapping/mapping-draft.ts';
import { MappingEditor } from '../mapping/mapping-editor.tsx';
import { MappingPreview } from '../mapping/mapping-preview.tsx';
import classes from '../syncs.module.css';
import { FinishSync } from './finish-sync.tsx';
import { EncodingField, type Recognized, RecognizedFacts } from './recognized-file.tsx';

/** What somebody chose. The file itself stays with the server, for an hour. */
interface Chosen {
  /** Name of the file; empty before the first upload. */
  readonly file: string;
  readonly upload: string | null;
  /** `auto`: as it is recognized. */
  readonly encoding: string;
  readonly choices: Choices;
  readonly sync: string;
}
const NOTHING: Chosen = { file: '', upload: null, encoding: 'auto', choices: NO_CHOICES, sync: '' };

export function FirstSync() {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const mayWrite = useMay('editor');
  return (
    <Page
      title={t('first-sync:title')}
      lead={t('first-sync:lead')}
      trail={[<ScreenLink key="syncs" to="syncs" />]}
    >
      {mayWrite ? <Steps /> : <EmptyState title={t('first-sync:title')} text={t('first-sync:admin')} />}
    </Page>
  );
}

function Steps() {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const [{ plan }] = useUrlState();
  const draft = useDraft('syncs/first', NOTHING);
  const { file, upload } = draft.value;
  const sending = useUpload((made, name) =>
    draft.set((now) => {
      // The same file again continues; another one begins with what is recognized in it.
      const choices = name === now.file ? now.choices : NO_CHOICES;
      return { ...now, file: name, upload: made.upload, encoding: 'auto', choices };
    }),
  );
  return (
    <>
      <RestoredDraft draft={draft} />
      <Section title={t('first-sync:upload')} about={upload === null ? undefined : file}>
        <DropZone isBusy={sending.isPending} isFirst={upload === null} onFile={sending.send} />
      </Section>
      {upload !== null && <Uploaded draft={draft} upload={upload} />}
      {plan !== undefined && <DryRunPanel plan={plan} />}
    </>
  );
}

interface UploadedProps {
  readonly draft: Draft<Chosen>;
  readonly upload: string;
}

function Uploaded({ draft, upload }: UploadedProps) {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const { encoding, file } = draft.value;
  const found = useCall('POST /uploads/{upload}/recognize', { upload, encoding: 'auto' });
  const read = useCall('POST /uploads/{upload}/recognize', { upload, encoding });
  const isGone = found.error instanceof OperatorError && found.error.code === 'NO_UPLOAD';
  if (isGone)
    return (
      <p className={classes.notice} data-tone="bad" role="alert">
        {t('first-sync:gone', { file })}
      </p>
    );
  return (
    <>
      <Section title={t('first-sync:recognized')}>
        <div className={classes.stack}>
          <EncodingField
            found={found.data?.recognized.encoding ?? null}
            value={encoding}
            error={encoding === 'auto' ? null : (read.error?.message ?? null)}
            onChange={(chosen) => draft.set((now) => ({ ...now, encoding: chosen }))}
          />
          {(encoding === 'auto' || read.error === null) && (
            <Loaded of={read}>{({ recognized }) => <RecognizedFacts recognized={recognized} />}</Loaded>
          )}
        </div>
      </Section>
      {read.data !== undefined && !read.isPlaceholderData && (
        <Mapped draft={draft} upload={upload} recognized={read.data.recognized} />
      )}
    </>
  );
}

function Mapped({ draft, upload, recognized }: UploadedProps & { readonly recognized: Recognized }) {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const { encoding, choices, sync } = draft.value;
  const columns = recognized.columns.map((column) => column.name);
  const chosen = withChoices(draftOf(recognized.mapping), choices, columns);
  const mapping = mappingOf(chosen);
  return (
    <>
      <Section title={t('first-sync:mapping')} about={t('first-sync:mappingText')}>
        <MappingEditor
          columns={columns}
          draft={chosen}
          onChange={(next) =>
            draft.set((now) => ({ ...now, choices: choicesOf(next, draftOf(recognized.mapping)) }))
          }
        />
      </Section>
      {mapping !== null && (
        <>
          <Section title={t('first-sync:preview')}>
            <MappingPreview of={{ upload, encoding }} mapping={mapping} />
          </Section>
          <Section title={t('first-sync:finish')}>
            <FinishSync
              upload={upload}
              encoding={encoding}
              account={chosen.account}
              mapping={mapping}
              sync={sync}
              onName={(name) => draft.set((now) => ({ ...now, sync: name }))}
              onWritten={() => draft.done(() => NOTHING)}
            />
          </Section>
        </>
      )}
    </>
  );
}
