// Who the campaign reaches: one group of fields for each part.
import { Button, Fieldset, NativeSelect, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { valueAt } from '../../../parts/draft/yaml-draft.ts';
import classes from '../campaigns.module.css';
import { AudienceFile } from './audience-file.tsx';
import { Choice, Field, useForm, useProblem } from './fields.tsx';
import type { Choices, Lists } from './lists.ts';
import { PipelineFields } from './pipeline-fields.tsx';

const KINDS = ['contacts', 'cards', 'source', 'ledger'] as const;
type Kind = (typeof KINDS)[number];

/** Filters that the form shows; others are edited as YAML. */
const SHOWN: Readonly<Record<Kind, readonly string[]>> = {
  contacts: ['tags', 'channel', 'search'],
  cards: ['pipeline', 'stage', 'status', 'tags', 'withoutTags', 'inStageSince'],
  source: ['source', 'number', 'country'],
  ledger: ['tags', 'createdBy', 'silentFor', 'campaign'],
};

interface Props {
  readonly choices: Choices;
  readonly lists: Lists | null;
}

export function AudienceParts({ choices, lists }: Props) {
  const { t } = useTranslation('campaign-form');
  const { value, set } = useForm();
  const error = useProblem(['audience'], false);
  const parts = valueAt(value, ['audience']);
  const list: readonly unknown[] = Array.isArray(parts) ? parts : [];
  return (
    <div className={classes.stack}>
      {error !== null && (
        <Text c="var(--mantine-color-error)" size="sm" role="alert">
          {error}
        </Text>
      )}
      {list.map((part, index) => (
        <Part
          // Parts have no name but their place.
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          index={index}
          part={part}
          choices={choices}
          lists={lists}
          isOnly={list.length === 1}
        />
      ))}
      <div>
        <Button
          variant="default"
          size="xs"
          onClick={() =>
            list.length === 0
              ? set(['audience'], [{ from: 'contacts' }])
              : set(['audience', list.length], { from: 'contacts' })
          }
        >
          {t('draft.addPart')}
        </Button>
      </div>
    </div>
  );
}

interface PartProps extends Props {
  readonly index: number;
  readonly part: unknown;
  readonly isOnly: boolean;
}

function Part({ index, part, choices, lists, isOnly }: PartProps) {
  const { t } = useTranslation('campaign-form');
  const { set } = useForm();
  const at = (...keys: string[]) => ['audience', index, ...keys];
  const from = String(valueAt(part, ['from']) ?? '');
  const kind = KINDS.find((each) => each === from) ?? null;
  const keys = typeof part === 'object' && part !== null ? Object.keys(part) : [];
  // A new part has no filter yet. The list beside the form says that it needs one.
  const error = useProblem(at(), false, keys.length <= 1);
  const others = kind === null ? keys : keys.filter((key) => key !== 'from' && !SHOWN[kind].includes(key));
  return (
    <Fieldset legend={t('draft.part', { number: index + 1 })} className={classes.part}>
      <div className={classes.fields}>
        <NativeSelect
          label={t('draft.from')}
          value={from}
          data={[
            ...KINDS.map((each) => ({ value: each, label: t(`draft.kind.${each}`) })),
            ...(kind === null ? [{ value: from, label: from }] : []),
          ]}
          // Filters of one kind mean nothing to another.
          onChange={(event) => set(at(), { from: event.currentTarget.value })}
        />
        {kind === 'contacts' && <ContactFields at={at} lists={lists} />}
        {kind === 'cards' && <CardFields at={at} lists={lists} />}
        {kind === 'source' && <SourceFields at={at} choices={choices} />}
        {kind === 'ledger' && <LedgerFields at={at} choices={choices} />}
      </div>
      {error !== null && (
        <Text c="var(--mantine-color-error)" size="sm" mt="xs">
          {error}
        </Text>
      )}
      {others.length > 0 && (
        <Text c="dimmed" size="xs" mt="xs">
          {t('draft.others', { keys: others.join(', ') })}
        </Text>
      )}
      {!isOnly && (
        <Button variant="subtle" size="compact-xs" mt="xs" onClick={() => set(at(), undefined)}>
          {t('draft.removePart', { number: index + 1 })}
        </Button>
      )}
    </Fieldset>
  );
}

interface FilterProps extends Partial<Props> {
  at(...keys: string[]): (string | number)[];
}

const namesOf = (items: readonly { readonly name: string | null }[] | undefined) =>
  (items ?? []).flatMap(({ name }) => (name === null ? [] : [name]));

function ContactFields({ at, lists }: FilterProps) {
  const { t } = useTranslation('campaign-form');
  return (
    <>
      <Field
        at={at('tags')}
        kind="list"
        label={t('draft.tags')}
        description={t('draft.anyTag')}
        options={namesOf(lists?.tags.items)}
      />
      <Field at={at('channel')} label={t('draft.channel')} placeholder="whatsapp" />
      <Field at={at('search')} label={t('draft.search')} />
    </>
  );
}

function CardFields({ at, lists }: FilterProps) {
  const { t } = useTranslation('campaign-form');
  return (
    <>
      <PipelineFields
        pipeline={{ at: at('pipeline'), label: t('draft.pipeline') }}
        stage={{ at: at('stage'), label: t('draft.stage') }}
        none={t('draft.any')}
        lists={lists ?? null}
      />
      <Field at={at('status')} kind="list" label={t('draft.status')} placeholder="open, won, lost" />
      <Field at={at('tags')} kind="list" label={t('draft.tags')} options={namesOf(lists?.tags.items)} />
      <Field
        at={at('withoutTags')}
        kind="list"
        label={t('draft.withoutTags')}
        options={namesOf(lists?.tags.items)}
      />
      <Field at={at('inStageSince', 'before')} label={t('draft.inStage')} placeholder="30d" />
    </>
  );
}

function SourceFields({ at, choices }: FilterProps) {
  const { t } = useTranslation('campaign-form');
  const { value } = useForm();
  const chosen = valueAt(value, at('source'));
  const columns = choices?.sources.find(({ source }) => source === chosen)?.columns ?? [];
  const options = (choices?.sources ?? []).map(({ source, type }) => ({
    value: source,
    label: `${source} (${type})`,
  }));
  return (
    <>
      <Choice at={at('source')} label={t('draft.source')} options={options} />
      <Field
        at={at('number')}
        label={t('draft.number')}
        description={t('draft.numberHint')}
        options={columns}
      />
      <Field at={at('country')} label={t('file.countryColumn')} options={columns} />
      <AudienceFile at={at()} names={options.map(({ value: name }) => name)} />
    </>
  );
}

function LedgerFields({ at, choices }: FilterProps) {
  const { t } = useTranslation('campaign-form');
  const { value } = useForm();
  const account = valueAt(value, ['account']);
  const syncs = (choices?.syncs ?? []).filter((sync) => sync.account === account);
  const campaigns = (choices?.campaigns ?? []).filter((campaign) => campaign.account === account);
  return (
    <>
      <Field at={at('tags')} kind="list" label={t('draft.ownTags')} />
      <Choice
        at={at('createdBy')}
        label={t('draft.createdBy')}
        none={t('draft.any')}
        options={syncs.map(({ sync }) => ({ value: sync, label: sync }))}
      />
      <Field at={at('silentFor')} label={t('draft.silentFor')} placeholder="60d" />
      <Choice
        at={at('campaign', 'name')}
        label={t('draft.reachedBy')}
        none={t('draft.any')}
        options={campaigns.map(({ campaign }) => ({ value: campaign, label: campaign }))}
      />
    </>
  );
}
