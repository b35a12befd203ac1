// How is Sluice set up, and who may do what? One part a tab; the tab is in the address.
import { Tabs } from '@mantine/core';
import {
  IconClockX,
  IconDevices,
  IconFileText,
  IconHistory,
  IconKey,
  IconLock,
  IconPlugConnected,
  IconQuestionMark,
  IconShieldLock,
  IconStethoscope,
  IconUsers,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/session.tsx';
import { useUrlState } from '../../app/use-url-state.ts';
import { Page, Section } from '../../parts/page.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Accounts } from './accounts.tsx';
import { Assumptions } from './assumptions.tsx';
import { Audit } from './audit.tsx';
import { ChangePassword } from './change-password.tsx';
import { Configuration } from './configuration.tsx';
import { Doctor } from './doctor.tsx';
import { Retention } from './retention.tsx';
import { SecondFactor } from './second-factor.tsx';
import { OwnSessions } from './sessions.tsx';
import classes from './settings.module.css';
import { AccessTokens } from './tokens.tsx';
import { Users } from './users.tsx';

interface Tab {
  readonly id:
    | 'configuration'
    | 'assumptions'
    | 'doctor'
    | 'retention'
    | 'accounts'
    | 'users'
    | 'tokens'
    | 'sessions'
    | 'password'
    | 'secondFactor'
    | 'audit';
  readonly icon: typeof IconKey;
  readonly part: ComponentType;
  readonly isForAdmins: boolean;
}

const TABS: readonly Tab[] = [
  { id: 'configuration', icon: IconFileText, part: Configuration, isForAdmins: false },
  { id: 'assumptions', icon: IconQuestionMark, part: Assumptions, isForAdmins: false },
  { id: 'doctor', icon: IconStethoscope, part: Doctor, isForAdmins: false },
  { id: 'retention', icon: IconClockX, part: Retention, isForAdmins: false },
  { id: 'accounts', icon: IconPlugConnected, part: Accounts, isForAdmins: false },
  { id: 'users', icon: IconUsers, part: Users, isForAdmins: true },
  { id: 'tokens', icon: IconKey, part: AccessTokens, isForAdmins: false },
  { id: 'sessions', icon: IconDevices, part: OwnSessions, isForAdmins: false },
  { id: 'password', icon: IconLock, part: ChangePassword, isForAdmins: false },
  { id: 'secondFactor', icon: IconShieldLock, part: SecondFactor, isForAdmins: false },
  { id: 'audit', icon: IconHistory, part: Audit, isForAdmins: true },
];

/** The chosen tab may be beyond the end of the line. */
function intoSight(chosen: HTMLElement | null): void {
  chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

export default function SettingsScreen() {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  const [state] = useUrlState();
  const isAdmin = useMay('admin');
  const tab = TABS.find(({ id }) => id === state['tab']) ?? (TABS[0] as Tab);
  // Filters belong to their tab: another tab begins without.
  const open = (id: string | null) =>
    void navigate({ to: '.', search: (id === TABS[0]?.id ? {} : { tab: id }) as never, resetScroll: false });
  const Part = tab.part;
  return (
    <Page title={t('title')}>
      <Tabs value={tab.id} onChange={open} keepMounted={false} classNames={{ tabSection: classes.tabIcon }}>
        <Tabs.List aria-label={t('tabs')}>
          {TABS.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map(({ id, icon: Icon }) => (
            <Tabs.Tab
              key={id}
              value={id}
              ref={id === tab.id ? intoSight : null}
              leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
            >
              {t(`tab.${id}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab.id} className={classes.panel}>
          {tab.isForAdmins && !isAdmin ? (
            <Section title={t(`tab.${tab.id}`)} flush>
              <EmptyState title={t('needsAdmin')} text={t('needsAdminText')} />
            </Section>
          ) : (
            <Part />
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
