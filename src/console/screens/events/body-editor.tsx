// The body of a refused request, to correct: checked while typing, tried with a dry run, and compared with the original.
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from '../../api/session.tsx';
import { notifyError } from '../../app/notify.ts';
import { Diff } from '../../parts/diff.tsx';
import textStyles from '../../parts/text.module.css';
import classes from './events.module.css';
import { changesBetween, readJson } from './json-text.ts';
import { OutcomeDiff } from './outcome-diff.tsx';

interface BodyEditorProps {
  readonly id: string;
  readonly then: { readonly code: string; readonly reason: string };
  /** As it arrived. */
  readonly body: string;
  readonly text: string;
  onChange(text: string): void;
  readonly isReplaying: boolean;
  onReplay(text: string): void;
}

export function BodyEditor({ id, then, body, text, onChange, isReplaying, onReplay }: BodyEditorProps) {
  const { t } = useTranslation('events');
  const { t: common } = useTranslation('common');
  const client = useClient();
  const check = useMutation({
    mutationFn: (tried: string) =>
      client.call('POST /refused-requests/{id}/dry-run', { id, body: tried, unmask: true }),
    onError: (error) => notifyError(error, common),
  });
  const { fault } = useMemo(() => readJson(text), [text]);
  const changes = useMemo(() => changesBetween(body, text, t('refused.body')), [body, text, t]);
  const isChanged = text !== body;
  return (
    <div className={classes.stack}>
      <Textarea
        label={t('refused.edit')}
        description={t('refused.editAbout')}
        autosize
        minRows={6}
        maxRows={24}
        maxLength={1_000_000}
        spellCheck={false}
        autoComplete="off"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={text}
        error={fault !== null && t(fault.ended ? 'refused.jsonEnded' : 'refused.jsonFault', { ...fault })}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div className={classes.line}>
        <Button
          variant="default"
          disabled={fault !== null}
          loading={check.isPending}
          onClick={() => check.mutate(text)}
        >
          {t('refused.check')}
        </Button>
        <Button disabled={fault !== null || !isChanged} loading={isReplaying} onClick={() => onReplay(text)}>
          {t('refused.replayCorrected')}
        </Button>
        <Button variant="subtle" disabled={!isChanged} onClick={() => onChange(body)}>
          {t('refused.reset')}
        </Button>
      </div>
      {check.data !== undefined && check.variables === text && (
        <div role="status">
          <p className={textStyles.small}>{t('refused.checked')}</p>
          <OutcomeDiff then={then} now={check.data.now} label={t('refused.checked')} />
        </div>
      )}
      {isChanged && changes.length > 0 && (
        <div>
          <p className={textStyles.small}>{t('refused.changes')}</p>
          <Diff label={t('refused.changes')} changes={changes} />
        </div>
      )}
    </div>
  );
}
