// The waves of a run, newest first.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import { Section } from '../../parts/page.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { Count, Time } from '../../parts/values.tsx';
import classes from './campaigns.module.css';
import { type Report, sumOf } from './data.ts';

/** More waves than these are in the report, and in `sluice campaign export`. */
const SHOWN = 50;

type Wave = Report['waves'][number];

export function Waves({ report }: { readonly report: Report }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const waves = report.waves.toReversed().slice(0, SHOWN);
  return (
    <Section title={t('waves.title')} flush>
      {waves.length === 0 ? (
        <EmptyState title={t('waves.none')} />
      ) : (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('waves.label')}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{t('waves.wave')}</th>
                <th scope="col">{t('waves.state')}</th>
                <th scope="col" data-wide>
                  {t('waves.begun')}
                </th>
                {(['members', 'triggered', 'replied', 'failed'] as const).map((name) => (
                  <th key={name} scope="col" data-align="end">
                    {t(`waves.${name}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {waves.map((wave) => (
                <tr key={wave.wave}>
                  <th scope="row">
                    {format.count(wave.wave)} {wave.kind !== 'wave' && t(`waves.${wave.kind}`)}
                  </th>
                  <td>
                    <WaveState wave={wave} />
                  </td>
                  <td data-wide>
                    <Time at={wave.startedAt} as="moment" />
                  </td>
                  {[
                    wave.audience,
                    wave.triggered,
                    // That nobody replied is not known.
                    report.replies === 'known' ? wave.replied : null,
                    sumOf(wave.failed),
                  ].map((count, index) => (
                    // The columns never change their order.
                    <td key={['members', 'triggered', 'replied', 'failed'][index]} data-align="end">
                      <Count of={count} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function WaveState({ wave }: { readonly wave: Wave }) {
  const { t } = useTranslation('campaigns');
  const { endedAt, judgedAt, isEvaluated, broken } = wave;
  if (endedAt === null) return <Status of="running" label={t('waves.active')} />;
  if (broken.length > 0)
    return (
      <span title={broken.map(({ reason }) => reason).join('; ')}>
        <Status of="failed" label={t('waves.broke')} />
      </span>
    );
  const word = judgedAt === null ? 'ended' : isEvaluated ? 'judged' : 'tooSmall';
  return <Status of="done" label={t(`waves.${word}`)} />;
}
