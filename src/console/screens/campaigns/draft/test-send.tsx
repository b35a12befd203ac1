// A test send: triggers the flow of a campaign once, for a number that somebody types, and shows what became of it.
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OperatorError } from '../../../../operator/error.ts';
import type { Input, Output } from '../../../api/client.ts';
import { useMay } from '../../../api/session.tsx';
import { useCall } from '../../../api/use-call.ts';
import { useCommand } from '../../../api/use-command.ts';
import { parseDraft, valueAt } from '../../../parts/draft/yaml-draft.ts';
import { newKey } from '../../../parts/new-key.ts';
import { Reason } from '../../../parts/reason/reason.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { TestOutcome } from './test-outcome.tsx';

type Test = Input<'POST /campaign-drafts/test'>;
type Draft = Pick<Test, 'campaign' | 'config'>;
type Accepted = Output<'POST /campaign-drafts/test'>;
type Sample = NonNullable<Output<'POST /campaign-drafts/audience'>['audience']>['sample'];

const TYPED = 'typed';

interface TestSendProps {
  readonly campaign: string;
  /** Null: the campaign as the configuration has it. */
  readonly draft: Draft['config'] | null;
}

export function TestSend({ campaign, draft }: TestSendProps) {
  const { t } = useTranslation('campaign-form');
  const may = useMay('operator');
  const [isOpen, setOpen] = useState(false);
  // The same key until somebody asks for another test: a second click sends nothing twice, also in a dialog that was
  // closed and opened again.
  const [key, setKey] = useState(newKey);
  const [accepted, setAccepted] = useState<Accepted | null>(null);
  const [number, setNumber] = useState('');
  if (!may) return null;
  const state = {
    campaign,
    testKey: key,
    accepted,
    number,
    onNumber: setNumber,
    onAccepted: setAccepted,
    onAgain() {
      setKey(newKey());
      setAccepted(null);
    },
    onClose: () => setOpen(false),
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t(draft === null ? 'test.button' : 'test.draft')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t('test.title', { campaign })}
        closeButtonProps={{ 'aria-label': t('test.close') }}
      >
        {draft === null ? <SavedTest {...state} /> : <SampledTest {...state} config={draft} />}
      </Modal>
    </>
  );
}

interface TestState {
  readonly campaign: string;
  readonly testKey: string;
  /** Null: the test has not been sent. */
  readonly accepted: Accepted | null;
  /** As it is typed. It outlasts the dialog, and not the page. */
  readonly number: string;
  onNumber(typed: string): void;
  onAccepted(accepted: Accepted): void;
  onAgain(): void;
  onClose(): void;
}

function SavedTest(state: TestState) {
  const { t } = useTranslation('campaign-form');
  const source = useCall('GET /campaigns/{campaign}/source', { campaign: state.campaign });
  return (
    <Loaded of={source}>
      {({ yaml }) => {
        const { value } = parseDraft(yaml ?? '');
        return value === null ? (
          <Text size="sm">{t('test.unreadable')}</Text>
        ) : (
          <SampledTest {...state} config={value} />
        );
      }}
    </Loaded>
  );
}

function SampledTest({ config, ...state }: TestState & Pick<Draft, 'config'>) {
  const { campaign } = state;
  const names = Object.keys((valueAt(config, ['variables']) as object | undefined) ?? {});
  const counted = useCall(
    'POST /campaign-drafts/audience',
    { campaign, config },
    { enabled: names.length > 0 },
  );
  const form = (sample: Sample) => <TestForm {...state} config={config} names={names} sample={sample} />;
  if (names.length === 0) return form([]);
  return <Loaded of={counted}>{({ audience }) => form(audience?.sample ?? [])}</Loaded>;
}

interface TestFormProps extends TestState {
  readonly config: Draft['config'];
  /** Variables of the flow. */
  readonly names: readonly string[];
  /** People whose values the flow can get. */
  readonly sample: Sample;
}

function TestForm({ campaign, config, names, sample, testKey, accepted, number, ...on }: TestFormProps) {
  const { t } = useTranslation('campaign-form');
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const send = useCommand('POST /campaign-drafts/test', {
    topics: ['events'],
    onDone: on.onAccepted,
    showsError: true,
  });
  // Whoever lacks a value gets nothing from the campaign either.
  const people = sample.filter(({ isExcluded }) => !isExcluded);
  const choice = chosen ?? (people.length === 0 ? TYPED : '0');
  const person = people[Number(choice)];
  const isTyped = person === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const test = { campaign, config, number, key: testKey };
    if (person === undefined)
      send.run({ ...test, variables: Object.fromEntries(names.map((name) => [name, typed[name] ?? ''])) });
    else {
      const { part, contact, row } = person;
      send.run({ ...test, member: { part, contact, row } });
    }
  };
  const isReady =
    number.trim() !== '' && (!isTyped || names.every((name) => (typed[name] ?? '').trim() !== ''));
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          {t('test.about')} <ContactRule account={String(valueAt(config, ['account']) ?? '')} />
        </Text>
        <TextInput
          label={t('test.number')}
          description={t('test.numberHint')}
          type="tel"
          autoComplete="tel"
          maxLength={100}
          required
          data-autofocus
          disabled={accepted !== null}
          value={number}
          onChange={(event) => on.onNumber(event.currentTarget.value)}
        />
        {names.length > 0 && (
          <NativeSelect
            label={t('test.values')}
            description={people.length === 0 ? t('test.noSample') : undefined}
            disabled={accepted !== null}
            value={choice}
            data={[
              ...people.map((each, n) => ({
                value: String(n),
                label: t('test.valuesOf', { number: each.number }),
              })),
              { value: TYPED, label: t('test.typed') },
            ]}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        )}
        {isTyped &&
          names.map((name) => (
            <TextInput
              key={name}
              label={name}
              required
              maxLength={4096}
              autoComplete="off"
              disabled={accepted !== null}
              value={typed[name] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setTyped((now) => ({ ...now, [name]: value }));
              }}
            />
          ))}
        {send.error !== null && accepted === null && (
          <Text size="sm" role="alert">
            {t('test.failed')}{' '}
            <Reason
              code={send.error instanceof OperatorError ? (send.error.code ?? null) : null}
              reason={send.error.message}
            />
          </Text>
        )}
        {accepted !== null && <TestOutcome {...accepted} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={on.onClose}>
            {t('test.close')}
          </Button>
          {accepted === null ? (
            // Two buttons: one that became the other would submit the form with the click that asked for another test.
            <Button key="send" type="submit" loading={send.isPending} disabled={!isReady}>
              {t('test.send')}
            </Button>
          ) : (
            <Button
              key="again"
              type="button"
              onClick={() => {
                send.reset();
                on.onAgain();
              }}
            >
              {t('test.again')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** Whether a test needs a contact: the account says whether its flows get the id of one, or the number. */
function ContactRule({ account }: { readonly account: string }) {
  const { t } = useTranslation('campaign-form');
  const { data } = useCall('GET /assumptions', {});
  const rule = data?.assumptions.find(
    (each) => each.account === account && each.key === 'flows.contactIdentity',
  );
  if (rule === undefined) return null;
  return t(JSON.parse(rule.value) === 'number' ? 'test.byNumber' : 'test.needsContact');
}
