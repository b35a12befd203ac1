// Where somebody is logged in. Viewers end sessions of their own; admins those of any user.
import { Button } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { usePages } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { Section } from '../../parts/page.tsx';
import { Chip } from '../../parts/status.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { timeColumn } from '../../parts/table/makers.tsx';
import classes from './settings.module.css';

type Session = Output<'GET /sessions'>['sessions'][number];

export function OwnSessions() {
  const { t } = useTranslation('settings');
  const endOthers = useCommand('POST /sessions/end-others', {
    done: ({ ended }) => t('sessions.othersEnded', { count: ended }),
    topics: ['audit'],
  });
  const ask = () =>
    endOthers.ask(() => ({}), {
      title: t('sessions.endOthersTitle'),
      effects: t('sessions.endOthersText'),
      verb: t('sessions.endOthers'),
      dangerous: true,
    });
  return (
    <Section
      title={t('sessions.title')}
      about={t('sessions.about')}
      actions={
        <Button
          variant="danger"
          leftSection={<IconLogout size={14} aria-hidden />}
          loading={endOthers.isPending}
          onClick={ask}
        >
          {t('sessions.endOthers')}
        </Button>
      }
      flush
    >
      <SessionTable label={t('sessions.title')} />
    </Section>
  );
}

/** @param user whose sessions; undefined: the viewer's own */
export function SessionTable({ label, user }: { readonly label: string; readonly user?: string }) {
  const { t } = useTranslation('settings');
  const sessions = usePages('GET /sessions', { user }, 'sessions', { cursor: 'before' });
  return (
    <DataTable
      label={label}
      pages={sessions}
      columns={useColumns(user !== undefined)}
      rowId={({ id }) => String(id)}
      empty={{ title: t('sessions.none') }}
    />
  );
}

/** @param isShort for a narrow panel: the browser, its last request, and the button */
function useColumns(isShort: boolean): readonly Column<Session>[] {
  const { t } = useTranslation('settings');
  const agent: Column<Session> = {
    id: 'agent',
    header: t('sessions.agent'),
    width: 'minmax(10rem, 3fr)',
    cell: (session) => (
      <>
        <span className={classes.name}>{session.agent || t('sessions.noAgent')}</span>{' '}
        {session.isCurrent && (
          <span className={classes.current}>
            <Chip tone="info">{t('sessions.current')}</Chip>
          </span>
        )}
      </>
    ),
  };
  const lastSeen: Column<Session> = timeColumn('lastSeenAt', t('sessions.lastSeen'), { width: '8rem' });
  const end: Column<Session> = {
    id: 'end',
    header: '',
    width: '7rem',
    align: 'end',
    cell: (session) => (session.isCurrent ? null : <End session={session} />),
  };
  if (isShort) return [agent, lastSeen, end];
  return [
    agent,
    { id: 'via', header: t('sessions.via'), width: '9rem', cell: ({ via }) => t(`sessions.viaOf.${via}`) },
    timeColumn('createdAt', t('sessions.created'), { width: '8rem' }),
    lastSeen,
    timeColumn('endsAt', t('sessions.ends'), { width: '8rem' }),
    end,
  ];
}

function End({ session: { id, agent } }: { readonly session: Session }) {
  const { t } = useTranslation('settings');
  const end = useCommand('POST /sessions/{session}/end', {
    done: () => t('sessions.ended'),
    topics: ['audit'],
  });
  return (
    <Button
      variant="danger"
      size="compact-xs"
      loading={end.isPending}
      aria-label={`${t('sessions.end')}: ${agent || t('sessions.noAgent')}`}
      onClick={() => end.run({ session: id })}
    >
      {t('sessions.end')}
    </Button>
  );
}
