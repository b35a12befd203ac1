// Changes a sync of sluice.yaml: its schedule and its mapping in a form, and everything in YAML. Both edit one draft.
import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../../api/client.ts';
import { useMay } from '../../../api/session.tsx';
import { useCall } from '../../../api/use-call.ts';
import { useCommand } from '../../../api/use-command.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { RestoredDraft } from '../../../parts/draft/restored-draft.tsx';
import { useDraft } from '../../../parts/draft/use-draft.ts';
import { parseDraft, withValue } from '../../../parts/draft/yaml-draft.ts';
import { YamlField } from '../../../parts/draft/yaml-field.tsx';
import { Section } from '../../../parts/page.tsx';
import { ErrorText } from '../../../parts/reason/error-text.tsx';
import { EmptyState, Loaded } from '../../../parts/states.tsx';
import type { SyncEntry } from '../data.ts';
import { draftOf, type Mapping, withDraft } from '../mapping/mapping-draft.ts';
import { MappingFields } from '../mapping/mapping-editor.tsx';
import { MappingPreview } from '../mapping/mapping-preview.tsx';
import classes from '../syncs.module.css';
import { DeleteSync } from './delete-sync.tsx';
import { ScheduleFields } from './schedule-fields.tsx';

type Definition = Output<'GET /syncs/{sync}/definition'>;

const ROWS = [6, 30] as const;

export function EditSync({ entry }: { readonly entry: SyncEntry }) {
  const { t } = useTranslation('syncs');
  const query = useCall('GET /syncs/{sync}/definition', { sync: entry.sync });
  return (
    <Loaded of={query}>
      {(definition) =>
        definition.yaml === null ? (
          <Section title={t('edit.title', { sync: entry.sync })}>
            <EmptyState
              title={t('edit.elsewhere')}
              text={t('edit.elsewhereText', { file: definition.file })}
            />
          </Section>
        ) : (
          // What somebody types must survive a change of the file by others: saving then says so.
          <DraftEditor key={entry.sync} entry={entry} definition={definition} yaml={definition.yaml} />
        )
      }
    </Loaded>
  );
}

interface Props {
  readonly entry: SyncEntry;
  readonly definition: Definition;
  readonly yaml: string;
}

function DraftEditor({ entry: { sync, source }, definition, yaml }: Props) {
  const { t } = useTranslation('syncs');
  const [, change] = useUrlState();
  const mayStart = useMay('operator');
  /** `base`: hash of the file that the draft began with, or that was saved last. */
  const draft = useDraft(`syncs/edit/${sync}`, {
    sync: yaml,
    mapping: definition.mapping?.yaml ?? null,
    base: definition.hash,
  });
  const { sync: syncText, mapping: mappingText, base } = draft.value;
  const setSyncText = (text: string) => draft.set((now) => ({ ...now, sync: text }));
  const setMappingText = (text: string) => draft.set((now) => ({ ...now, mapping: text }));
  const apply = useCommand('POST /schedules/apply', {
    topics: ['syncs'],
    done: () => t('edit.applied'),
  });
  const save = useCommand('PUT /syncs/{sync}/definition', {
    topics: ['syncs'],
    showsError: true,
    done: ({ active }) => t(active ? 'edit.saved' : 'edit.savedElsewhere'),
    onDone: ({ hash, rescheduled }) => {
      draft.done((now) => ({ ...now, base: hash }));
      if (rescheduled) apply.run({ jobs: ['sync'] });
    },
  });
  const parsedSync = useMemo(() => parseDraft(syncText), [syncText]);
  const parsedMapping = useMemo(() => parseDraft(mappingText ?? ''), [mappingText]);
  const mapping = mappingText === null ? null : (parsedMapping.value as Mapping | null);
  const written = useMemo(
    () => draftOf(parseDraft(definition.mapping?.yaml ?? '').value as Mapping | null).fields,
    [definition.mapping?.yaml],
  );
  const isReadable = parsedSync.problem === null && (mappingText === null || parsedMapping.problem === null);
  return (
    <Section
      title={t('edit.title', { sync })}
      about={t('edit.about')}
      actions={
        <>
          <Button variant="default" size="compact-sm" onClick={() => change({ view: null })}>
            {t('edit.close')}
          </Button>
        </>
      }
    >
      <Stack gap="md">
        <RestoredDraft draft={draft} />
        <Tabs defaultValue="form" keepMounted={false}>
          <Tabs.List aria-label={t('edit.views')} mb="md">
            <Tabs.Tab value="form">{t('edit.form')}</Tabs.Tab>
            <Tabs.Tab value="yaml">YAML</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form">
            <Stack gap="lg">
              {parsedSync.value !== null && (
                <ScheduleFields
                  value={parsedSync.value}
                  mayStart={mayStart}
                  onChange={(path, value) => setSyncText(withValue(syncText, path, value))}
                />
              )}
              {definition.mapping !== null && mappingText !== null && (
                <UsedBy mapping={definition.mapping.name} users={definition.mapping.usedBy} />
              )}
              {mappingText !== null && mapping?.contact !== undefined && (
                <>
                  <MappingFields
                    columns={definition.columns}
                    isStored
                    draft={{ ...draftOf(mapping), recognized: written }}
                    onChange={(next) => setMappingText(withDraft(mappingText, next))}
                  />
                  <Text size="sm" c="dimmed">
                    {t('edit.more')}
                  </Text>
                  {source.uploaded && <MappingPreview of={{ sync }} mapping={mapping} />}
                </>
              )}
              {(!isReadable || mapping?.contact === undefined) && (
                <Text size="sm">{t('edit.onlyYaml', { file: definition.file })}</Text>
              )}
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="yaml">
            <Stack gap="md">
              <YamlField
                label={t('edit.syncYaml', { sync })}
                value={syncText}
                problem={parsedSync.problem}
                rows={ROWS}
                onChange={setSyncText}
              />
              {mappingText !== null && (
                <YamlField
                  label={t('edit.mappingYaml', { mapping: definition.mapping?.name ?? '' })}
                  value={mappingText}
                  problem={parsedMapping.problem}
                  rows={ROWS}
                  onChange={setMappingText}
                />
              )}
            </Stack>
          </Tabs.Panel>
        </Tabs>
        {save.error !== null && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            <ErrorText error={save.error} />
          </Text>
        )}
        <Group justify="space-between">
          <Button
            loading={save.isPending || apply.isPending}
            disabled={!isReadable || syncText === ''}
            onClick={() => save.run({ sync, yaml: syncText, mapping: mappingText, hash: base })}
          >
            {t('edit.save')}
          </Button>
          <DeleteSync sync={sync} hash={base} removal={definition.removal} onDeleted={() => draft.done()} />
        </Group>
      </Stack>
    </Section>
  );
}

type Users = NonNullable<Definition['mapping']>['usedBy'];

function UsedBy({ mapping, users }: { readonly mapping: string; readonly users: Users }) {
  const { t } = useTranslation('syncs');
  if (users.length === 0) return null;
  const names = users.map(({ kind, name }) => t(`edit.user.${kind}`, { name })).join(', ');
  return <p className={classes.notice}>{t('edit.usedBy', { mapping, names })}</p>;
}
