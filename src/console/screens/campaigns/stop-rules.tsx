// The rules that pause a campaign, with what the last judged wave had.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../format/use-format.ts';
import { Facts, Section } from '../../parts/page.tsx';
import { EmptyState } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import classes from './campaigns.module.css';
import { type Report, type Rules, sumOf } from './data.ts';

const RULES = ['failed', 'unknown', 'humanService', 'optOut', 'replies'] as const;
type Wave = Report['waves'][number];

export function StopRules({ rules, waves }: { readonly rules: Rules; readonly waves: Report['waves'] }) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const { stop } = rules;
  const judged = waves.findLast(({ isEvaluated }) => isEvaluated);
  const set = RULES.flatMap((rule) => {
    const share = stop[rule];
    return share === undefined ? [] : [{ rule, share }];
  });
  const about = set.length === 0 ? undefined : t('stop.about', { count: stop.atLeast });
  return (
    <Section title={t('stop.title')} about={about}>
      {set.length === 0 ? (
        <EmptyState title={t('stop.none')} />
      ) : (
        <Facts
          facts={set.map(({ rule, share }) => {
            const shown = format.percent(share);
            const limit = t(rule === 'replies' ? 'stop.below' : 'stop.above', { share: shown });
            const now = judged === undefined ? null : shareOf(judged, rule);
            return [
              t(`stop.${rule}`),
              <span key={rule} className={classes.stacked}>
                {limit}
                {now !== null && (
                  <span className={textStyles.muted}>{t('stop.now', { share: format.percent(now) })}</span>
                )}
              </span>,
            ] as const;
          })}
        />
      )}
    </Section>
  );
}

/** Of the members that the wave tried. */
function shareOf(wave: Wave, rule: (typeof RULES)[number]): number | null {
  const human = wave.skipped.HUMAN_SERVICE ?? 0;
  const tried = wave.triggered + sumOf(wave.failed) + wave.unknown + human;
  if (tried === 0) return null;
  const counts = {
    failed: sumOf(wave.failed),
    unknown: wave.unknown,
    humanService: human,
    optOut: wave.optedOut,
    replies: wave.replied,
  };
  return counts[rule] / tried;
}
