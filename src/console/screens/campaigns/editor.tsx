// Creates or edits a campaign of sluice.yaml: a form and its YAML edit one draft, beside the live count of its audience. The
// server checks the whole file before it replaces it.
import { Button, Group, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OperatorError } from '../../../operator/error.ts';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { RestoredDraft } from '../../parts/draft/restored-draft.tsx';
import { useDraft } from '../../parts/draft/use-draft.ts';
import { isSameAt, parseDraft, valueAt, withValue } from '../../parts/draft/yaml-draft.ts';
import { YamlField } from '../../parts/draft/yaml-field.tsx';
import { Section } from '../../parts/page.tsx';
import { ErrorText } from '../../parts/reason/error-text.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import classes from './campaigns.module.css';
import { TOPICS } from './data.ts';
import { CampaignForm } from './draft/campaign-form.tsx';
import { FormProvider, isShownAt, type Place } from './draft/fields.tsx';
import { FileActions } from './draft/file-actions.tsx';
import type { Choices } from './draft/lists.ts';
import { Headline, LiveCount } from './draft/live-count.tsx';
import { hasPhoneNumbers } from './draft/phone-numbers.ts';
import { TestSend } from './draft/test-send.tsx';
import { VariablePreview } from './draft/variable-preview.tsx';
import { WithoutApprover } from './draft/without-approver.tsx';

/** Edits have settled when nothing changes for this long. */
const SETTLE_MS = 700;
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const TEMPLATE = `flow: 1
connection: 1
audience:
  - from: contacts
windows:
  days:
    mon: ["09:00-18:00"]
    tue: ["09:00-18:00"]
    wed: ["09:00-18:00"]
    thu: ["09:00-18:00"]
    fri: ["09:00-18:00"]
waves: { canary: 20, size: 200 }
stop: { failed: 0.1 }
`;
const APPROVAL = 'approval: second-person\n';

/** With a second person where there is one, or where the server would refuse a campaign without it. */
function templateOf({ accounts, needsApproval }: Choices, hasApprover: boolean): string {
  const text = `account: main\n${TEMPLATE}${needsApproval || hasApprover ? APPROVAL : ''}`;
  return withValue(text, ['account'], accounts[0]?.account ?? 'main');
}

interface Props {
  /** Null: a new one, whose name is asked for. */
  readonly campaign: string | null;
  /** The campaign that a new one is a copy of. */
  readonly copyOf?: string | undefined;
}

export function Editor({ campaign, copyOf }: Props) {
  const { t } = useTranslation('campaign-form');
  const origin = campaign ?? copyOf ?? null;
  const source = useCall('GET /campaigns/{campaign}/source', { campaign: origin ?? 'new' });
  const choices = useCall('GET /campaign-drafts/choices', {});
  const approval = useCall('GET /campaign-approvers', {}, { topics: ['session'] });
  return (
    <Loaded of={source}>
      {({ yaml, hash, file }) => (
        <Loaded of={choices}>
          {(found) => (
            <Loaded of={approval}>
              {({ approvers }) =>
                origin !== null && yaml === null ? (
                  <Section title={t('edit.title')}>
                    <EmptyState
                      title={t('edit.gone', { campaign: origin })}
                      text={t('edit.goneText', { file })}
                    />
                  </Section>
                ) : (
                  <DraftEditor
                    choices={found}
                    // What somebody types must survive a change of the file by others: saving then says so.
                    key={`${campaign ?? ''} ${origin ?? ''}`}
                    campaign={campaign}
                    copyOf={copyOf ?? null}
                    file={file}
                    hash={hash}
                    yaml={yaml ?? templateOf(found, approvers.length > 0)}
                  />
                )
              }
            </Loaded>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

interface DraftProps {
  readonly choices: Choices;
  readonly campaign: string | null;
  readonly copyOf: string | null;
  readonly file: string;
  readonly hash: string;
  readonly yaml: string;
}

function DraftEditor({ choices, campaign, copyOf, file, hash, yaml }: DraftProps) {
  const { t } = useTranslation('campaign-form');
  const [, setUrl] = useUrlState();
  /** `base`: hash of the file that the draft began with, or that was saved last. */
  const draft = useDraft(
    `campaigns/${campaign ?? `new ${copyOf ?? ''}`}`,
    { given: '', text: yaml, base: hash },
    (now) => !hasPhoneNumbers(now.text),
  );
  const { given, text, base } = draft.value;
  const setText = (change: (now: string) => string) =>
    draft.set((now) => ({ ...now, text: change(now.text) }));
  const name = campaign ?? given;
  const isName = NAME.test(name);
  const { value, problem } = useMemo(() => parseDraft(text), [text]);
  const asked = useMemo(
    () => ({ campaign: isName ? name : 'new', config: value ?? {} }),
    [isName, name, value],
  );
  const [settled] = useDebouncedValue(asked, SETTLE_MS);
  const counted = useCall('POST /campaign-drafts/audience', settled, { enabled: value !== null });
  const isOld = settled !== asked || counted.isPlaceholderData;
  const save = useCommand('PUT /campaigns/{campaign}/source', {
    topics: TOPICS,
    showsError: true,
    done: ({ active }) => t(active ? 'edit.saved' : 'edit.savedRestart'),
    onDone: (saved) => {
      draft.done((now) => ({ ...now, base: saved.hash }));
      setUrl({ campaign: name, new: null, copy: null });
    },
  });
  // What was counted last. A problem of a place that has changed since then is out of date.
  const [answered, setAnswered] = useState<unknown>(null);
  if (counted.data !== undefined && !counted.isPlaceholderData && answered !== settled.config)
    setAnswered(settled.config);
  const problems = (counted.data?.problems ?? []).filter(
    ({ path }) => !isOld || path === null || isSameAt(value, answered, path),
  );
  // The fields on the screen, which show their problems themselves.
  const [places, setPlaces] = useState<readonly Place[]>([]);
  const claim = useCallback((place: Place) => {
    setPlaces((now) => [...now, place]);
    return () => setPlaces((now) => now.filter((each) => each !== place));
  }, []);
  const hasField = ({ path }: { readonly path: string | null }) =>
    places.some((place) => isShownAt(path, place));
  // The same mistakes again, as one text.
  const isSaidByFields =
    save.error instanceof OperatorError && save.error.code === 'CONFIG' && problems.some(hasField);
  return (
    <div className={classes.editor}>
      <Section
        title={titleOf(t, campaign, copyOf)}
        about={t('edit.about')}
        actions={campaign !== null && <FileActions campaign={campaign} hash={base} />}
      >
        <Stack gap="sm">
          <RestoredDraft draft={draft} />
          {text !== yaml && hasPhoneNumbers(text) && (
            <Text size="sm" c="dimmed">
              {t('edit.notKept')}
            </Text>
          )}
          {campaign === null && (
            <TextInput
              label={t('edit.name')}
              description={t('edit.nameRule')}
              value={given}
              maw="24rem"
              error={given !== '' && !isName ? t('edit.nameRule') : undefined}
              onChange={(event) => {
                const { value: typed } = event.currentTarget;
                draft.set((now) => ({ ...now, given: typed }));
              }}
            />
          )}
          <Tabs defaultValue="form" keepMounted={false}>
            <Tabs.List aria-label={t('edit.views')} mb="md">
              <Tabs.Tab value="form">{t('edit.form')}</Tabs.Tab>
              <Tabs.Tab value="yaml">YAML</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="form">
              {value === null ? (
                <Text size="sm">{problem ?? t('count.unreadable')}</Text>
              ) : (
                <FormProvider
                  value={{
                    value,
                    problems,
                    claim,
                    set: (path, next) => setText((now) => withValue(now, path, next)),
                  }}
                >
                  <CampaignForm
                    choices={choices}
                    preview={
                      <VariablePreview
                        asked={settled}
                        audience={counted.data?.audience ?? null}
                        isOld={isOld}
                      />
                    }
                  />
                </FormProvider>
              )}
            </Tabs.Panel>
            <Tabs.Panel value="yaml">
              <YamlField
                label={t('edit.yaml', { file })}
                value={text}
                problem={problem}
                rows={[12, 40]}
                onChange={(typed) => setText(() => typed)}
              />
            </Tabs.Panel>
          </Tabs>
          <Group justify="space-between" className={classes.bar}>
            {save.error !== null && !isSaidByFields && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert" w="100%">
                <ErrorText error={save.error} />
              </Text>
            )}
            {valueAt(value, ['approval']) === 'second-person' && <WithoutApprover />}
            <div>
              {value !== null && counted.data?.audience != null && (
                <Headline audience={counted.data.audience} isOld={isOld} />
              )}
            </div>
            <Group gap="xs">
              {value !== null && <TestSend campaign={asked.campaign} draft={value} />}
              <Button
                loading={save.isPending}
                disabled={!isName || text === ''}
                onClick={() => save.run({ campaign: name, yaml: text, hash: base, isNew: campaign === null })}
              >
                {t('edit.save')}
              </Button>
            </Group>
          </Group>
        </Stack>
      </Section>
      <div className={classes.aside}>
        <Section title={t('count.title')} about={t('count.about')}>
          <LiveCount
            counted={value === null ? null : counted.data}
            error={counted.error}
            isOld={isOld}
            hasField={hasField}
            onRetry={() => void counted.refetch()}
          />
        </Section>
      </div>
    </div>
  );
}

function titleOf(
  t: ReturnType<typeof useTranslation<'campaign-form'>>['t'],
  campaign: string | null,
  copyOf: string | null,
): string {
  if (campaign !== null) return t('edit.title');
  return copyOf === null ? t('edit.new') : t('edit.copy', { campaign: copyOf });
}
