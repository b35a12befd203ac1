// Counts by outcome, those that matter first. Zeros are left out.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../format/use-format.ts';
import { Status } from '../../../parts/status.tsx';
import { None } from '../../../parts/values.tsx';
import { OUTCOMES, type RunSummary } from '../data.ts';
import classes from '../syncs.module.css';

export function Outcomes({ run }: { readonly run: Pick<RunSummary, 'outcomes' | 'pending'> }) {
  const { t } = useTranslation('outcomes');
  const format = useFormat();
  const counts = { ...run.outcomes, pending: run.pending };
  const some = OUTCOMES.filter((outcome) => (counts[outcome] ?? 0) > 0);
  if (some.length === 0) return <None />;
  return (
    <span className={classes.outcomes}>
      {some.map((outcome) => (
        <Status
          key={outcome}
          of={outcome}
          label={t(outcome, {
            count: counts[outcome] ?? 0,
            shown: format.count(counts[outcome] ?? 0),
          })}
        />
      ))}
    </span>
  );
}
