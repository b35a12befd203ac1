// The messages of a conversation: what the ledger knows, or the last ones as the service has them now.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useClient } from '../../api/session.tsx';
import { Reveal } from '../../parts/reveal/reveal.tsx';
import { EmptyState } from '../../parts/states.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import classes from './conversations.module.css';

type Detail = Output<'GET /conversations/{account}/{conversation}'>;
type Live = Output<'POST /conversations/{account}/{conversation}/messages'>;

interface MessagesProps {
  readonly conversation: Detail;
  /** Null: masked. */
  readonly texts: Detail | null;
}

export function Messages({ conversation, texts }: MessagesProps) {
  const { t } = useTranslation('conversations');
  const client = useClient();
  const [live, setLive] = useState<Live | null>(null);
  const { account, id } = conversation;
  const read = () =>
    client.call('POST /conversations/{account}/{conversation}/messages', { account, conversation: id });
  return (
    <section aria-label={t('panel.messages')}>
      <div className={classes.row}>
        <Reveal what={t(live === null ? 'panel.live' : 'panel.liveAgain')} read={read} onRevealed={setLive} />
        <span className={textStyles.small}>{t('panel.liveCost')}</span>
      </div>
      {live === null ? <Known conversation={conversation} texts={texts} /> : <OfService live={live} />}
      <SentBySluice sent={conversation.sent} />
    </section>
  );
}

function OfService({ live }: { readonly live: Live }) {
  const { t } = useTranslation('conversations');
  const { messages, unreadable, more, readAt } = live;
  return (
    <>
      <p className={textStyles.small}>
        {t('panel.readAt')} <Time at={readAt} as="moment" />
        {more && ` · ${t('panel.more')}`}
        {unreadable > 0 && ` · ${t('panel.unreadable', { count: unreadable })}`}
      </p>
      {messages.length === 0 && <EmptyState title={t('panel.none')} text={t('panel.noneThere')} />}
      <ol className={classes.messages}>
        {messages.map(({ id, at, fromMe, status, text, template }, place) => (
          <li key={id ?? `place ${place}`} className={classes.message} data-mine={fromMe}>
            <div>
              {text ?? (
                <span className={textStyles.small}>
                  {template === null ? t('panel.noTextThere') : t('panel.template', { name: template })}
                </span>
              )}
            </div>
            <div className={textStyles.small}>
              {t(fromMe ? 'panel.out' : 'panel.in')} · <Time at={at} as="moment" />
              {status !== null && ` · ${status}`}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

function Known({ conversation, texts }: MessagesProps) {
  const { t } = useTranslation('conversations');
  const { messages } = conversation;
  const textOf = new Map((texts ?? conversation).messages.map(({ seq, text }) => [seq, text]));
  if (messages.length === 0) return <EmptyState title={t('panel.none')} text={t('panel.noneText')} />;
  return (
    <>
      <p className={textStyles.small}>{t('panel.about')}</p>
      <ol className={classes.messages}>
        {messages.toReversed().map(({ seq, at, fromMe, status, published }) => (
          <li key={seq} className={classes.message} data-mine={fromMe === true}>
            <div>{textOf.get(seq) ?? <span className={textStyles.small}>{t('panel.noText')}</span>}</div>
            <div className={textStyles.small}>
              {t(fromMe === null ? 'panel.unknown' : fromMe ? 'panel.out' : 'panel.in')} ·{' '}
              <Time at={at} as="moment" />
              {status !== null && ` · ${status}`}
              {!published && ` · ${t('panel.staged')}`}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

function SentBySluice({ sent }: Pick<Detail, 'sent'>) {
  const { t } = useTranslation('conversations');
  if (sent.length === 0) return null;
  return (
    <ul className={classes.messages} aria-label={t('panel.sent')}>
      {sent.map(({ message, event, status, sentAt }) => (
        <li key={message} className={textStyles.small}>
          <Link to="/events" search={{ event } as never}>
            {t('panel.sentBy')}
          </Link>{' '}
          · {status} · <Time at={sentAt} as="moment" />
        </li>
      ))}
    </ul>
  );
}
