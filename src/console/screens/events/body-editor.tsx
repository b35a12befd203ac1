// JSON to correct: checked while typing, tried with a dry run, and compared with the original.
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { notifyError } from '../../app/notify.ts';
import { Diff } from '../../parts/diff/diff.tsx';
import textStyles from '../../parts/text.module.css';
import classes from './events.module.css';
import { changesBetween, readJson } from './json-text.ts';
import { OutcomeDiff } from './outcome-diff.tsx';

type DryRunNow = Output<'POST /refused-requests/{id}/dry-run'>['now'];

interface BodyEditorProps {
  /** What is corrected, in words. */
  readonly words: {
    readonly edit: string;
    readonly about: string;
    readonly checked: string;
    readonly changes: string;
    /** All of it. */
    readonly whole: string;
  };
  readonly then: { readonly code: string; readonly reason: string };
  /** As it arrived. */
  readonly body: string;
  readonly text: string;
  onChange(text: string): void;
  /** What it would come to. */
  check(text: string): Promise<{ readonly now: DryRunNow }>;
  readonly isReplaying: boolean;
  onReplay(text: string): void;
}

export function BodyEditor(props: BodyEditorProps) {
  const { words, then, body, text, onChange, isReplaying, onReplay } = props;
  const { t } = useTranslation('events');
  const { t: common } = useTranslation('common');
  const check = useMutation({
    mutationFn: (tried: string) => props.check(tried),
    onError: (error) => notifyError(error, common),
  });
  const { fault } = useMemo(() => readJson(text), [text]);
  const changes = useMemo(() => changesBetween(body, text, words.whole), [body, text, words.whole]);
  const isChanged = text !== body;
  return (
    <div className={classes.stack}>
      <Textarea
        label={words.edit}
        description={words.about}
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
          <p className={textStyles.small}>{words.checked}</p>
          <OutcomeDiff then={then} now={check.data.now} label={words.checked} />
        </div>
      )}
      {isChanged && changes.length > 0 && (
        <div>
          <p className={textStyles.small}>{words.changes}</p>
          <Diff label={words.changes} changes={changes} />
        </div>
      )}
    </div>
  );
}
