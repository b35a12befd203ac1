// From the audience to replies: how many remain at each step.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import { Section } from '../../parts/page.tsx';
import classes from './campaigns.module.css';
import type { Report } from './data.ts';

const STEPS = ['audience', 'eligible', 'triggered', 'delivered', 'read', 'replied', 'optedOut'] as const;

type FunnelProps = Pick<Report, 'total' | 'deliveries' | 'replies'>;

export function Funnel({ total, deliveries, replies }: FunnelProps) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const most = Math.max(1, total.audience);
  return (
    <Section title={t('funnel.title')}>
      <ol className={classes.bars} aria-label={t('funnel.label')}>
        {STEPS.map((step) => {
          const count = total[step];
          const isUnseen =
            (deliveries !== 'known' && (step === 'delivered' || step === 'read')) ||
            (replies !== 'known' && (step === 'replied' || (step === 'optedOut' && count === 0)));
          if (isUnseen)
            return (
              <li key={step}>
                <span>{t(`funnel.${step}`)}</span>
                <small>{t(`funnel.${whyUnseen(step, deliveries)}`)}</small>
                <span className={classes.barValue}>–</span>
              </li>
            );
          return (
            <li key={step}>
              <span>{t(`funnel.${step}`)}</span>
              <span className={classes.barTrack} aria-hidden>
                <span className={classes.barFill} style={{ width: `${(count / most) * 100}%` }} />
              </span>
              <span className={classes.barValue}>
                {format.count(count)} <small>{format.percent(count / most)}</small>
              </span>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

function whyUnseen(
  step: (typeof STEPS)[number],
  deliveries: Report['deliveries'],
): 'noReplies' | 'notReported' | 'noPoller' {
  if (step === 'replied' || step === 'optedOut') return 'noReplies';
  return deliveries === 'not-reported' ? 'notReported' : 'noPoller';
}
