// One conversation: who it is with, what the ledger knows of its messages, and a form to answer.

import { Button, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient, useMay } from '../../api/session.tsx';
import { useCall } from '../../api/use-call.ts';
import { newKey } from '../../parts/new-key.ts';
import { Facts } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { Reveal } from '../../parts/reveal/reveal.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import { Messages } from './messages.tsx';
import { useSend } from './use-send.ts';

type Detail = Output<'GET /conversations/{account}/{conversation}'>;

const MESSAGES = 50;

interface ConversationPanelProps {
  readonly account: string;
  readonly conversation: number;
  readonly isOpen: boolean;
  onClose(): void;
}

export function ConversationPanel({ account, conversation, isOpen, onClose }: ConversationPanelProps) {
  const { t } = useTranslation('conversations');
  const client = useClient();
  const input = { account, conversation, limit: MESSAGES };
  const found = useCall('GET /conversations/{account}/{conversation}', input, {
    enabled: isOpen,
    topics: ['events'],
  });
  const [plain, setPlain] = useState<Detail | null>(null);
  const read = () =>
    client.call('GET /conversations/{account}/{conversation}', {
      account,
      conversation,
      limit: MESSAGES,
      unmask: true,
    });
  return (
    <SidePanel title={t('panel.title', { id: conversation })} isOpen={isOpen} onClose={onClose}>
      <Loaded of={found}>
        {(masked) => {
          const shown = plain ?? masked;
          return (
            <>
              <Facts
                facts={[
                  [t('recent.contact'), shown.name ?? '–'],
                  [t('recent.number'), shown.number ?? '–'],
                  [t('recent.connection'), `${shown.connection.name} (${shown.channel})`],
                  [t('recent.inbound'), <Time key="inbound" at={masked.inboundAt} as="moment" />],
                  [t('panel.window'), <WindowState key="window" window={masked.window} />],
                  [t('panel.last'), shown.lastMessage ?? '–'],
                ]}
              />
              {plain === null && <Reveal what={t('panel.personal')} read={read} onRevealed={setPlain} />}
              <Messages conversation={masked} texts={plain} />
              <Answer account={account} conversation={conversation} />
            </>
          );
        }}
      </Loaded>
    </SidePanel>
  );
}

/** Whether free text is delivered now. */
function WindowState({ window: { state, at, why } }: { readonly window: Detail['window'] }) {
  const { t } = useTranslation('conversations');
  return (
    <>
      {t(`window.${state}`)}
      {at !== null && (
        <>
          {' '}
          {t(state === 'open' ? 'window.until' : 'window.since')} <Time at={at} as="moment" />
        </>
      )}
      {why !== null && `: ${why}`}
    </>
  );
}

function Answer({ account, conversation }: { readonly account: string; readonly conversation: number }) {
  const { t } = useTranslation('conversations');
  const may = useMay('operator');
  const [text, setText] = useState('');
  // The same key until it was accepted: a second click after a lost answer sends nothing twice.
  const [key, setKey] = useState(newKey);
  const [event, setEvent] = useState<string | null>(null);
  const send = useSend((accepted) => {
    setEvent(accepted);
    setText('');
    setKey(newKey());
  });
  if (!may) return null;
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    send.run({
      account,
      key,
      request: { type: 'message', to: { conversation }, text, saveOnTicket: true, outsideWindow: 'refuse' },
    });
  };
  return (
    <form onSubmit={submit}>
      <Textarea
        label={t('answer.label')}
        description={t('answer.about')}
        autosize
        minRows={3}
        maxLength={4096}
        value={text}
        onChange={(changed) => setText(changed.currentTarget.value)}
      />
      <Button type="submit" mt="xs" loading={send.isPending} disabled={text.trim() === ''}>
        {t('answer.send')}
      </Button>
      {event !== null && <Outcome event={event} />}
    </form>
  );
}

/** What became of the answer. */
function Outcome({ event }: { readonly event: string }) {
  const { t } = useTranslation('conversations');
  const found = useCall('GET /events/{event}', { event }, { everyMs: 3000 });
  const { outcome, blocked, code, reason, messages } = found.data ?? {
    outcome: null,
    blocked: null,
    code: null,
    reason: null,
    messages: [],
  };
  const why = blocked ?? (code === null ? null : { code, reason });
  return (
    <p role="status" className={textStyles.small}>
      {t(outcome === null ? 'answer.waiting' : outcome === 'done' ? 'answer.done' : 'answer.failed')}
      {messages.map(({ message, status }) => ` · ${message.slice(0, 8)}: ${status}`)}
      {why !== null && <Reason code={why.code} reason={why.reason} />}{' '}
      <Link to="/events" search={{ event } as never}>
        {t('answer.event')}
      </Link>
    </p>
  );
}
