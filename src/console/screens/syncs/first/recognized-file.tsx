// What Sluice recognized in an uploaded file, and the encoding in which it is read.
import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useFormat } from '../../../format/use-format.ts';
import { Facts } from '../../../parts/page.tsx';
import { Reason } from '../../../parts/reason/reason.tsx';
import classes from '../syncs.module.css';

export type Recognized = Output<'POST /uploads/{upload}/recognize'>['recognized'];

/** Offered beside the recognized one: what spreadsheets and CRMs write. */
const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const;
/** Below this confidence, the viewer is asked to compare the preview. */
const SURE = 0.8;

interface EncodingProps {
  /** As the file was recognized without a choice; null until the answer is there. */
  readonly found: Recognized['encoding'] | null;
  /** `auto`: as it is recognized. */
  readonly value: string;
  /** Why the file can't be read in this encoding. */
  readonly error: string | null;
  onChange(encoding: string): void;
}

export function EncodingField({ found, value, error, onChange }: EncodingProps) {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const format = useFormat();
  const isDoubtful = value === 'auto' && found !== null && found.confidence < SURE;
  return (
    <div className={classes.fields}>
      <NativeSelect
        label={t('first-sync:encoding')}
        description={t(isDoubtful ? 'first-sync:encodingDoubtful' : 'first-sync:encodingHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={value}
        error={error}
        data={[
          {
            value: 'auto',
            label:
              found === null
                ? t('first-sync:encodingAuto')
                : t('first-sync:encodingFound', {
                    name: found.name,
                    percent: format.percent(found.confidence),
                  }),
          },
          ...ENCODINGS.map((name) => ({ value: name, label: name })),
        ]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

export function RecognizedFacts({ recognized }: { readonly recognized: Recognized }) {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const format = useFormat();
  const { delimiter, header, preset, country, columns, notes } = recognized;
  const sure = (name: string, confidence: number) =>
    t('first-sync:sure', { name, percent: format.percent(confidence) });
  return (
    <div className={classes.stack}>
      {!header && (
        <p className={classes.notice} data-tone="bad" role="alert">
          {t('first-sync:header')}
        </p>
      )}
      <Facts
        facts={[
          [
            t('first-sync:delimiter'),
            delimiter === '\t' ? t('first-sync:tab') : <code key="delimiter">{delimiter}</code>,
          ],
          [
            t('first-sync:preset'),
            preset === null ? t('first-sync:presetNone') : sure(preset.name, preset.confidence),
          ],
          [
            t('first-sync:country'),
            country.country === null ? t('first-sync:countryAny') : sure(country.country, country.confidence),
          ],
          [t('first-sync:columns'), format.count(columns.length)],
        ]}
      />
      {notes.map(({ code, reason, params }) => (
        <p key={`${code} ${reason}`} className={classes.notice}>
          <Reason code={code} reason={reason} params={params} />
        </p>
      ))}
    </div>
  );
}
