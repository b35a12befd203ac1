// What a refusal would come to if it were replayed now, compared with what happened then.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { Diff } from '../../parts/diff/diff.tsx';
import type { FieldChange } from '../../parts/diff/field-change.ts';
import { flatten } from './json-text.ts';

type DryRun = Output<'POST /dead-letters/dry-run'>['results'][number];

interface OutcomeDiffProps {
  readonly then: Pick<DryRun['then'], 'code' | 'reason'>;
  readonly now: DryRun['now'];
  readonly label: string;
}

export function OutcomeDiff({ then, now, label }: OutcomeDiffProps) {
  const { t } = useTranslation('events');
  // Before and after would be the same sentence.
  if (now.outcome === 'refused' && now.code === then.code && now.reason === then.reason)
    return <p role="status">{t('dead.again')}</p>;
  return <Diff label={label} changes={changesOf(then, now, t('dead.outcome'))} />;
}

/** What happened then, and what would happen now, field by field. */
function changesOf(then: OutcomeDiffProps['then'], now: DryRun['now'], outcome: string): FieldChange[] {
  const after =
    now.outcome === 'accepted'
      ? 'accepted'
      : now.outcome === 'refused'
        ? `refused ${now.code}: ${now.reason}`
        : `${now.outcome}: ${now.reason}`;
  const events = now.outcome === 'accepted' ? now.events : [];
  const fields = events.flatMap(({ request }, at) =>
    flatten(request, events.length > 1 ? String(at + 1) : ''),
  );
  return [
    { field: outcome, before: `refused ${then.code}: ${then.reason}`, after },
    ...fields.map(([field, value]) => ({ field, before: null, after: value })),
  ];
}
