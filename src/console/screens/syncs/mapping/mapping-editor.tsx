// Which column is what, and where cards go: pipelines and stages come from the account.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useCall } from '../../../api/use-call.ts';
import { useCommand } from '../../../api/use-command.ts';
import textStyles from '../../../parts/text.module.css';
import classes from '../syncs.module.css';
import { columnOf, type Draft, FIELDS, type Field, readColumn } from './mapping-draft.ts';

const RECOGNIZED = '\u0000recognized';

interface Props {
  readonly columns: readonly string[];
  readonly draft: Draft;
  /** The mapping is that of the configuration, and not one that was recognized. */
  readonly isStored?: boolean;
  onChange(draft: Draft): void;
}

export function MappingEditor(props: Props) {
  const { draft, onChange } = props;
  return (
    <div className={classes.stack}>
      <MappingFields {...props} />
      <CardFields draft={draft} onChange={onChange} />
    </div>
  );
}

/** The fields of the contact and its tags. */
export function MappingFields({ columns, draft, onChange, isStored = false }: Props) {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const choose = (field: Field, value: string) => {
    const expression =
      value === '' ? null : value === RECOGNIZED ? draft.recognized[field] : readColumn(value);
    onChange({ ...draft, fields: Object.assign({}, draft.fields, { [field]: expression }) });
  };
  return (
    <div className={classes.stack}>
      {draft.fields.number === null && (
        <p className={classes.notice} data-tone="bad" role="alert">
          {t('first-sync:noNumber')}
        </p>
      )}
      <div className={classes.fields}>
        {FIELDS.map((field) => {
          const now = draft.fields[field];
          const recognized = draft.recognized[field];
          const isComplex = recognized !== null && columnOf(recognized, columns) === null;
          const value = now === null ? '' : (columnOf(now, columns) ?? RECOGNIZED);
          return (
            <NativeSelect
              key={field}
              label={t(field === 'country' ? 'first-sync:countryColumn' : `first-sync:${field}`)}
              value={value}
              onChange={(event) => choose(field, event.currentTarget.value)}
              data={[
                { value: '', label: t('first-sync:nothing') },
                ...(isComplex || value === RECOGNIZED
                  ? [
                      {
                        value: RECOGNIZED,
                        label: t(isStored ? 'edit.asWritten' : 'first-sync:asRecognized', {
                          text: textOf(recognized ?? now),
                        }),
                      },
                    ]
                  : []),
                ...columns.map((column) => ({ value: column, label: column })),
              ]}
            />
          );
        })}
        <TextInput
          label={t(draft.fields.country === null ? 'first-sync:country' : 'first-sync:countryElse')}
          maxLength={2}
          value={draft.base.defaultCountry ?? ''}
          onChange={(event) => {
            const { defaultCountry: _, ...base } = draft.base;
            const country = event.currentTarget.value.toUpperCase();
            onChange({ ...draft, base: country === '' ? base : { ...base, defaultCountry: country } });
          }}
        />
      </div>
    </div>
  );
}

/** An expression in one line. */
function textOf(expression: unknown): string {
  if (typeof expression === 'string') return expression;
  if (Array.isArray(expression)) return expression.join(' / ');
  const { path, first } = expression as { path?: string; first?: readonly string[] };
  return path ?? first?.join(' / ') ?? JSON.stringify(expression);
}

type Pipeline = Output<'POST /accounts/{account}/lists'>['pipelines']['items'][number];

function CardFields({ draft, onChange }: Pick<Props, 'draft' | 'onChange'>) {
  const { t } = useTranslation(['syncs', 'first-sync']);
  const accounts = useCall('GET /accounts', {});
  const names = accounts.data?.accounts.map(({ account }) => account) ?? [];
  const account = draft.account || (names[0] ?? '');
  const [pipelines, setPipelines] = useState<readonly Pipeline[] | null>(null);
  const lists = useCommand('POST /accounts/{account}/lists', {
    onDone: (found) => setPipelines(found.pipelines.items),
  });
  const pipeline = pipelines?.find(({ name }) => name === draft.card?.pipeline);
  return (
    <>
      <div className={classes.fields}>
        <NativeSelect
          label={t('first-sync:account')}
          value={account}
          data={names}
          onChange={(event) => {
            setPipelines(null);
            onChange({ ...draft, account: event.currentTarget.value, card: null });
          }}
        />
        <NativeSelect
          label={t('first-sync:pipeline')}
          value={draft.card?.pipeline ?? ''}
          disabled={pipelines === null}
          data={[
            { value: '', label: t('first-sync:noCard') },
            ...(pipelines ?? []).map(({ name }) => ({ value: name, label: name })),
          ]}
          onChange={(event) => {
            const chosen = pipelines?.find(({ name }) => name === event.currentTarget.value);
            const stage = chosen?.stages[0]?.name;
            const card =
              chosen === undefined || stage === undefined ? null : { pipeline: chosen.name, stage };
            onChange({ ...draft, account, card });
          }}
        />
        <NativeSelect
          label={t('first-sync:stage')}
          description={t('first-sync:stageHint')}
          inputWrapperOrder={['label', 'input', 'description']}
          value={draft.card?.stage ?? ''}
          disabled={pipeline === undefined}
          data={pipeline?.stages.map(({ name }) => name) ?? []}
          onChange={(event) => {
            if (draft.card === null) return;
            onChange({
              ...draft,
              card: { pipeline: draft.card.pipeline, stage: event.currentTarget.value },
            });
          }}
        />
      </div>
      <div className={classes.line}>
        <Button
          variant="default"
          disabled={account === ''}
          loading={lists.isPending}
          onClick={() => lists.run({ account })}
        >
          {t('first-sync:readAccount')}
        </Button>
        <span className={textStyles.small}>{t('first-sync:readCalls')}</span>
      </div>
    </>
  );
}
