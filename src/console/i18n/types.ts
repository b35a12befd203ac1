// Makes `t('overview:title')` a compile error when the English catalog has no such key. A new screen adds its catalog here.
import 'i18next';
import type approval from './en/approval.ts';
import type assumptions from './en/assumptions.ts';
import type audit from './en/audit.ts';
import type budget from './en/budget.ts';
import type campaignForm from './en/campaign-form.ts';
import type campaigns from './en/campaigns.ts';
import type codes from './en/codes.ts';
import type common from './en/common.ts';
import type conversations from './en/conversations.ts';
import type doctor from './en/doctor.ts';
import type events from './en/events.ts';
import type failures from './en/failures.ts';
import type firstSync from './en/first-sync.ts';
import type login from './en/login.ts';
import type optOuts from './en/opt-outs.ts';
import type outcomes from './en/outcomes.ts';
import type overview from './en/overview.ts';
import type pause from './en/pause.ts';
import type people from './en/people.ts';
import type reasons from './en/reasons.ts';
import type refusals from './en/refusals.ts';
import type settings from './en/settings.ts';
import type syncs from './en/syncs.ts';
import type table from './en/table.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    returnNull: false;
    resources: {
      approval: typeof approval;
      assumptions: typeof assumptions;
      audit: typeof audit;
      budget: typeof budget;
      'campaign-form': typeof campaignForm;
      campaigns: typeof campaigns;
      codes: typeof codes;
      common: typeof common;
      conversations: typeof conversations;
      doctor: typeof doctor;
      events: typeof events;
      failures: typeof failures;
      'first-sync': typeof firstSync;
      login: typeof login;
      'opt-outs': typeof optOuts;
      outcomes: typeof outcomes;
      overview: typeof overview;
      pause: typeof pause;
      people: typeof people;
      reasons: typeof reasons;
      refusals: typeof refusals;
      settings: typeof settings;
      syncs: typeof syncs;
      table: typeof table;
    };
  }
}
