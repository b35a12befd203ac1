// What a refusal would come to if it were replayed now, compared with what happened then.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useCodeWords } from '../../app/code-words.ts';
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
  const { t, i18n } = useTranslation('events');
  const words = useCodeWords();
  // Before and after would be the same sentence.
  if (now.outcome === 'refused' && now.code === then.code && now.reason === then.reason)
    return <p role="status">{t('dead.again')}</p>;
  const refused = ({ code, reason }: OutcomeDiffProps['then']) => {
    const translated = i18n.language === 'en' ? null : words(code);
    return t('dead.refused', { code, why: translated === null ? reason : `${translated} (${reason})` });
  };
  const after =
    now.outcome === 'refused'
      ? refused(now)
      : now.outcome === 'accepted'
        ? t('dead.accepted')
        : t(now.outcome === 'skipped' ? 'dead.skipped' : 'dead.noRoute');
  const events = now.outcome === 'accepted' ? now.events : [];
  const fields = events.flatMap(({ request }, at) =>
    flatten(request, events.length > 1 ? String(at + 1) : ''),
  );
  const changes: FieldChange[] = [
    { field: t('dead.outcome'), before: refused(then), after },
    ...fields.map(([field, value]) => ({ field, before: null, after: value })),
  ];
  return <Diff label={label} changes={changes} />;
}
