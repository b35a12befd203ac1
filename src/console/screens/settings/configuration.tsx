// The configuration as it is loaded: what it defines, its text, and what is wrong with the file on the disk.
import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconFileDiff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useCall } from '../../api/use-call.ts';
import { useFormat } from '../../format/use-format.ts';
import listStyles from '../../parts/list.module.css';
import { Facts, Section } from '../../parts/page.tsx';
import { Original } from '../../parts/reason/original.tsx';
import { useSentence } from '../../parts/reason/reason.tsx';
import { ServerText } from '../../parts/reason/server-text.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import textStyles from '../../parts/text.module.css';
import { Time } from '../../parts/values.tsx';
import classes from './settings.module.css';

type Loading = Output<'GET /configuration'>;
type Entry = Loading['entries'][number];

/** Nothing announces that somebody edits the file. */
const EVERY_MS = 30_000;

export function Configuration() {
  const { t } = useTranslation('settings');
  const configuration = useCall('GET /configuration', {}, { everyMs: EVERY_MS });
  return (
    <Loaded of={configuration}>
      {({ file, loadedAt, changed, problems, needsRestart, text, entries }) => (
        <>
          {problems.length > 0 ? (
            <Problems problems={problems} />
          ) : (
            changed && (
              <Alert
                color="yellow"
                className={classes.warnGround}
                icon={<IconFileDiff aria-hidden />}
                title={t('configuration.changed')}
                role="status"
              >
                {t('configuration.changedText')}
              </Alert>
            )
          )}
          {needsRestart.length > 0 && (
            <Alert
              color="yellow"
              className={classes.warnGround}
              icon={<IconAlertTriangle aria-hidden />}
              title={t('configuration.restart')}
              role="status"
            >
              {t('configuration.restartText', { keys: needsRestart.join(', ') })}
            </Alert>
          )}
          <Section title={t('configuration.loaded')}>
            <Facts
              facts={[
                [t('configuration.file'), <code key="file">{file}</code>],
                [t('configuration.loadedAt'), <Time key="at" at={loadedAt} as="moment" />],
                [
                  t('configuration.state'),
                  <Status
                    key="state"
                    of={problems.length > 0 ? 'failed' : changed ? 'degraded' : 'ok'}
                    label={t(changed ? 'configuration.differs' : 'configuration.same')}
                  />,
                ],
              ]}
            />
          </Section>
          <Entries entries={entries} />
          <Text text={text} bad={changed ? [] : problems.map(({ line }) => line)} />
        </>
      )}
    </Loaded>
  );
}

function Problems({ problems }: { readonly problems: Loading['problems'] }) {
  const { t } = useTranslation('settings');
  return (
    <Alert
      color="red"
      className={classes.badGround}
      icon={<IconAlertTriangle aria-hidden />}
      title={t('configuration.problems', { count: problems.length })}
    >
      <p>{t('configuration.problemsText')}</p>
      <ul>
        {problems.map(({ file, line, column, path, message, hint, note }) => (
          <li key={`${line} ${column} ${path} ${message}`}>
            <div className={classes.name}>
              <Problem message={message} note={note} />
            </div>
            {hint !== null && (
              <div>
                <ServerText text={hint} />
              </div>
            )}
            <div className={textStyles.small}>
              {path !== '' && <code>{path}</code>} {t('configuration.place', { file, line, column })}
            </div>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

/** The server's own sentence says more than that of the note, so a page in English shows it. */
function Problem({ message, note }: Pick<Loading['problems'][number], 'message' | 'note'>) {
  const { i18n } = useTranslation();
  const sentence = useSentence()(note?.code ?? null, note?.params);
  if (sentence === null || i18n.language === 'en') return <ServerText text={message} />;
  return (
    <>
      {sentence}
      <Original text={message} />
    </>
  );
}

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  const { t } = useTranslation('settings');
  const kinds = [...new Set(entries.map(({ kind }) => kind))];
  return (
    <Section
      title={t('configuration.entries')}
      about={t('configuration.entriesAbout', { count: entries.length })}
      flush
    >
      {entries.length === 0 && (
        <EmptyState title={t('configuration.none')} text={t('configuration.noneText')} />
      )}
      {kinds.map((kind) => (
        <div key={kind} className={classes.kind}>
          <h3>{t(`configuration.kind.${kind}`)}</h3>
          <ul className={listStyles.list} data-dense="true">
            {entries
              .filter((entry) => entry.kind === kind)
              .map(({ name, about, notes }) => (
                <li key={name}>
                  <div className={classes.entry}>
                    <span className={classes.name}>{name}</span>
                    <span className={textStyles.small}>{about}</span>
                  </div>
                  {notes.map((note) => (
                    <div key={note} className={classes.warn}>
                      <ServerText text={note} />
                    </div>
                  ))}
                </li>
              ))}
          </ul>
        </div>
      ))}
    </Section>
  );
}

function Text({ text, bad }: { readonly text: string; readonly bad: readonly number[] }) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <Section title={t('configuration.text')} about={t('configuration.textAbout')} flush>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it */}
      <pre className={classes.text} tabIndex={0} role="region" aria-label={t('configuration.text')}>
        {lines.map((line, index) => {
          const number = index + 1;
          return (
            <span key={`line ${number}`} className={classes.textLine} data-bad={bad.includes(number)}>
              <span className={classes.lineNumber} aria-hidden>
                {format.count(number)}
              </span>
              {line}
              {'\n'}
            </span>
          );
        })}
      </pre>
    </Section>
  );
}
