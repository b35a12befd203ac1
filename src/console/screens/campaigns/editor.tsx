// Creates or edits a campaign as it is written in sluice.yaml. The server checks the whole file before it replaces it.
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { TOPICS } from './data.ts';

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const TEMPLATE = `account: main
flow: 1
connection: 1
variables:
  name: contact.name
audience:
  - from: contacts
    tags: [lead]
windows:
  days:
    mon: ["09:00-18:00"]
    tue: ["09:00-18:00"]
    wed: ["09:00-18:00"]
    thu: ["09:00-18:00"]
    fri: ["09:00-18:00"]
waves: { canary: 20, size: 200 }
stop: { failed: 0.1, optOut: 0.05 }
approval: second-person
`;

/** @param campaign null: a new one, whose name is asked for */
export function Editor({ campaign }: { readonly campaign: string | null }) {
  const { t } = useTranslation('campaigns');
  const [given, setGiven] = useState('');
  const name = campaign ?? given;
  const isName = NAME.test(name);
  const asked = campaign ?? 'new';
  const source = useCall('GET /campaigns/{campaign}/source', { campaign: asked });
  return (
    <Section title={t(campaign === null ? 'edit.new' : 'edit.title')} about={t('edit.about')}>
      <Stack gap="sm">
        {campaign === null && (
          <TextInput
            label={t('edit.name')}
            description={t('edit.nameRule')}
            value={given}
            maw="24rem"
            error={given !== '' && !isName ? t('edit.nameRule') : undefined}
            onChange={(event) => setGiven(event.currentTarget.value)}
          />
        )}
        <Loaded of={source}>
          {({ yaml, hash, file }) => (
            <Text
              key={hash}
              name={name}
              isName={isName}
              file={file}
              hash={hash}
              yaml={campaign === null ? TEMPLATE : (yaml ?? TEMPLATE)}
            />
          )}
        </Loaded>
      </Stack>
    </Section>
  );
}

interface TextProps {
  readonly name: string;
  readonly isName: boolean;
  readonly file: string;
  readonly hash: string;
  readonly yaml: string;
}

function Text({ name, isName, file, hash, yaml }: TextProps) {
  const { t } = useTranslation('campaigns');
  const [, setUrl] = useUrlState();
  const [text, setText] = useState(yaml);
  const save = useCommand('PUT /campaigns/{campaign}/source', {
    topics: TOPICS,
    done: ({ active }) => t(active ? 'edit.saved' : 'edit.savedRestart'),
    onDone: () => setUrl({ campaign: name, new: null }),
  });
  return (
    <>
      <Textarea
        label={t('edit.yaml', { file })}
        value={text}
        autosize
        minRows={12}
        maxRows={40}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={save.error?.message}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button
          loading={save.isPending}
          disabled={!isName || text === ''}
          onClick={() => save.run({ campaign: name, yaml: text, hash })}
        >
          {t('edit.save')}
        </Button>
      </Group>
    </>
  );
}
