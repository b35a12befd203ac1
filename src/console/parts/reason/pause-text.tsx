// Why a run of a sync or of a campaign stands still.
import { useTranslation } from 'react-i18next';
import type { Pause } from '../../../core/pause.ts';
import { actorName } from '../../format/actor.ts';
import { useFormat } from '../../format/use-format.ts';
import { useNow } from '../../format/use-now.ts';
import { Reason } from './reason.tsx';

/** A resume that the same refusal ended at once is said, so that it looks neither like nothing nor like a success. */
export function PauseText({ pause: { by, reason, code, at, again } }: { readonly pause: Pause }) {
  const { t } = useTranslation('pause');
  const format = useFormat();
  const now = useNow();
  if (code === undefined || at === undefined)
    return t('pausedBy', { by: actorName(by), reason: reason || t('noReason') });
  const [resumed, blocked] = format.span(again?.at ?? at, at, now);
  return (
    <>
      {again === undefined
        ? t('blocked', { at: blocked })
        : t('blockedAgain', { by: actorName(again.by), resumed, at: blocked })}{' '}
      <Reason code={code} reason={reason} />
    </>
  );
}
