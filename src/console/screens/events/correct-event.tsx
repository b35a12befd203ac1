// A failed event to correct: what it asks for as JSON, and a new event in its place.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { BodyEditor } from './body-editor.tsx';

type Detail = Output<'GET /events/{event}'>;

interface CorrectEventProps {
  /** Unmasked. */
  readonly event: Detail;
  /** What somebody has corrected so far. */
  readonly draft: string | null;
  onDraft(text: string): void;
  /** @param id of the new event */
  onReplaced(id: string): void;
}

export function CorrectEvent({ event: failed, draft, onDraft, onReplaced }: CorrectEventProps) {
  const { t } = useTranslation('events');
  const client = useClient();
  const { id: event, code, reason } = failed;
  const replay = useCommand('POST /events/{event}/replay', {
    done: ({ result }) =>
      result.outcome === 'accepted' ? t('correct.done') : t('correct.refused', { reason: result.reason }),
    onDone: ({ result }) => {
      if (result.outcome === 'accepted') onReplaced(result.events[0]?.id ?? event);
    },
  });
  const body = JSON.stringify(failed.request, null, 2);
  const text = draft ?? body;
  function ask(corrected: string) {
    replay.ask(() => ({ event, request: JSON.parse(corrected) }), {
      title: t('correct.ask'),
      effects: t('correct.effect'),
      verb: t('correct.verb'),
    });
  }
  return (
    <BodyEditor
      words={{
        edit: t('correct.edit'),
        about: t('correct.about'),
        checked: t('correct.checked'),
        changes: t('correct.changes'),
        whole: t('panel.request'),
      }}
      then={{ code: code ?? '', reason: reason ?? '' }}
      check={(tried) =>
        client.call('POST /events/{event}/dry-run', { event, request: JSON.parse(tried), unmask: true })
      }
      body={body}
      text={text}
      onChange={onDraft}
      isReplaying={replay.isPending}
      onReplay={ask}
    />
  );
}
