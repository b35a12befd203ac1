// Every error code with what it means and what to do, by area: the one list of codes. A test compares it with the sources.
import type { CodeArea } from './area.ts';
import { CAMPAIGNS_CODES } from './campaigns.ts';
import { CONVERSATIONS_CODES } from './conversations.ts';
import { DOCTOR_CODES } from './doctor.ts';
import { EVENTS_CODES } from './events.ts';
import { OPERATOR_CODES } from './operator.ts';
import { PEOPLE_CODES } from './people.ts';
import { SERVICE_CODES } from './service.ts';
import { SOURCES_CODES } from './sources.ts';
import { SYNCS_CODES } from './syncs.ts';

export const CODE_AREAS: readonly CodeArea[] = [
  ...SOURCES_CODES,
  ...SYNCS_CODES,
  ...EVENTS_CODES,
  ...CONVERSATIONS_CODES,
  ...CAMPAIGNS_CODES,
  ...PEOPLE_CODES,
  ...SERVICE_CODES,
  ...OPERATOR_CODES,
  ...DOCTOR_CODES,
];
