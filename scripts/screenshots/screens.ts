// The screens that have a picture, and when each is ready for it.
import type { Page } from 'playwright-core';

type Language = 'en-US' | 'pt-BR';

export interface Screen {
  /** Beginning of the names of its files. */
  readonly name: string;
  /** Heading in docs/console/README.md. */
  readonly title: string;
  /** What a person sees there. */
  readonly about: string;
  /** `person`: the person that the pictures ask about. */
  readonly path: string;
  readonly languages: readonly Language[];
  readonly isLoggedOut?: boolean;
  ready(page: Page): Promise<void>;
}

const text = (shown: string) => (page: Page) => page.getByText(shown).first().waitFor();
const chart = (page: Page) => page.locator('.uplot canvas').first().waitFor();
const rows = (page: Page) => page.getByRole('row').nth(2).waitFor();

const EXPORT = [
  'Nome;Telefone;E-mail',
  'Ana Souza;(11) 97555-0001;ana@example.com',
  'Bruno Lima;(21) 97555-0002;bruno@example.com',
  'Elisa Reis;9555;elisa@example.com',
  '',
].join('\r\n');

async function firstSync(page: Page): Promise<void> {
  const file = { name: 'leads.csv', mimeType: 'text/csv', buffer: Buffer.from(EXPORT) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('Mapped: 2').waitFor();
}

const ENGLISH = ['en-US'] as const;

export const SCREENS: readonly Screen[] = [
  {
    name: 'overview',
    title: 'Overview',
    about: 'Is all well, what needs you, and how the budget of each token is used.',
    path: '/',
    languages: ['en-US', 'pt-BR'],
    ready: chart,
  },
  {
    name: 'syncs',
    title: 'Syncs',
    about: 'Each sync with its last and next run.',
    path: '/syncs',
    languages: ENGLISH,
    ready: rows,
  },
  {
    name: 'sync',
    title: 'A sync and its run',
    about: 'Progress, outcomes and rows of a run, and why rows did not pass.',
    path: '/syncs?name=leads',
    languages: ENGLISH,
    ready: text('Why rows did not pass'),
  },
  {
    name: 'first-sync',
    title: 'First sync from a CSV',
    about:
      'Upload an export, check the mapping against its first rows, choose the pipeline, and try it without a call.',
    path: '/syncs?view=first',
    languages: ENGLISH,
    ready: firstSync,
  },
  {
    name: 'campaigns',
    title: 'Campaigns',
    about: 'Each campaign with its state and reach.',
    path: '/campaigns',
    languages: ENGLISH,
    ready: rows,
  },
  {
    name: 'campaign',
    title: 'A running campaign',
    about: 'Waves, funnel, outcomes and pace, and the remaining members beside the plan.',
    path: '/campaigns?campaign=autumn-offer',
    languages: ENGLISH,
    ready: chart,
  },
  {
    name: 'campaign-plan',
    title: 'A plan',
    about: 'Who a campaign reaches, what it costs, and when it ends. A second person approves it.',
    path: '/campaigns?campaign=trial-ends&tab=plan',
    languages: ENGLISH,
    ready: text('Excluded, by reason'),
  },
  {
    name: 'campaign-members',
    title: 'Members of a run',
    about: 'Search and filter the members. Numbers are masked until you ask for one.',
    path: '/campaigns?campaign=autumn-offer&tab=members',
    languages: ENGLISH,
    ready: rows,
  },
  {
    name: 'conversations',
    title: 'Conversations',
    about: 'Pollers, sinks and recent conversations.',
    path: '/conversations',
    languages: ENGLISH,
    ready: rows,
  },
  {
    name: 'events',
    title: 'Events',
    about: 'Recent events with their outcome.',
    path: '/events',
    languages: ENGLISH,
    ready: rows,
  },
  {
    name: 'dead-letters',
    title: 'Dead letters',
    about: 'Kafka records that no route could process, with what a replay would do.',
    path: '/events?tab=dead',
    languages: ENGLISH,
    ready: text('SCHEMA'),
  },
  {
    name: 'person',
    title: 'A person',
    about: 'Why a person got no message, and everything that happened to them.',
    path: 'person',
    languages: ENGLISH,
    ready: text('excluded the person'),
  },
  {
    name: 'configuration',
    title: 'Configuration',
    about: 'The configuration as it is loaded, with its problems. Secrets are references.',
    path: '/settings',
    languages: ENGLISH,
    ready: text('crm-export'),
  },
  {
    name: 'users',
    title: 'Users',
    about: 'Who may log in, and with which role.',
    path: '/settings?tab=users',
    languages: ENGLISH,
    ready: rows,
  },
  {
    name: 'audit',
    title: 'Audit log',
    about: 'Who did what, and who saw personal data.',
    path: '/settings?tab=audit',
    languages: ENGLISH,
    ready: rows,
  },
  {
    name: 'login',
    title: 'Login',
    about: 'A password, or the identity provider of your company.',
    path: '/',
    languages: ENGLISH,
    isLoggedOut: true,
    ready: text('Log in to Sluice'),
  },
];
