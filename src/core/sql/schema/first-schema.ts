// The first schema: the tables of the ledger as they were before the first release. It never changes. What comes after is
// a migration.
import { statementsOf } from '../migrations/statements.ts';
import { ATTENTION_TABLES } from './attention.ts';
import { BUDGET_TABLES } from './budget.ts';
import { BUDGET_FUNCTIONS } from './budget-functions.ts';
import { CAMPAIGN_TABLES } from './campaigns.ts';
import { CONVERSATION_TABLES } from './conversations.ts';
import { EVENT_TABLES } from './events.ts';
import { OPERATOR_TABLES } from './operator.ts';
import { OPT_OUT_TABLES } from './opt-outs.ts';
import { OUTBOX_TABLES } from './outbox.ts';
import { PEOPLE_TABLES, SEARCH_FUNCTIONS } from './people.ts';
import { PLANNING_TABLES } from './planning.ts';
import { PROTECTION_TABLES } from './protection.ts';
import { ROW_TABLES } from './rows.ts';
import { RUN_TABLES } from './runs.ts';
import { SERVICE_TABLES } from './service.ts';

/** Statement by statement. Tables come after those that they refer to. */
export const FIRST_SCHEMA: readonly string[] = [
  SEARCH_FUNCTIONS,
  PEOPLE_TABLES,
  OPT_OUT_TABLES,
  RUN_TABLES,
  ROW_TABLES,
  PLANNING_TABLES,
  SERVICE_TABLES,
  BUDGET_TABLES,
  BUDGET_FUNCTIONS,
  EVENT_TABLES,
  CONVERSATION_TABLES,
  OUTBOX_TABLES,
  CAMPAIGN_TABLES,
  OPERATOR_TABLES,
  ATTENTION_TABLES,
  PROTECTION_TABLES,
].flatMap(statementsOf);
