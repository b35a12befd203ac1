// A failed event to correct: what it asks for as JSON, and a new event in its place.
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { useConfirm } from '../../parts/confirm.tsx';
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
  const confirm = useConfirm();
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
  async function ask(corrected: string) {
    const answer = await confirm({
      title: t('correct.ask'),
      effects: t('correct.effect'),
      verb: t('correct.verb'),
    });
    if (answer !== null) replay.run({ event, request: JSON.parse(corrected) });
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
      onReplay={(corrected) => void ask(corrected)}
    />
  );
}
