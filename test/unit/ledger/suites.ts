// All suites of the ledger, run on each engine: one SQL, two engines.
import { dueRecordsSuite } from './due-records-suite.ts';
import { effectsSuite } from './effects-suite.ts';
import { engineSuite } from './engine-suite.ts';
import { eventsSuite } from './events-suite.ts';
import { intentsSuite } from './intents-suite.ts';
import { outcomesSuite } from './outcomes-suite.ts';
import { peopleSuite } from './people-suite.ts';
import { recordsSuite } from './records-suite.ts';
import { runsSuite } from './runs-suite.ts';
import type { Engine } from './support.ts';
import { surveySuite } from './survey-suite.ts';

export function ledgerSuites(engine: Engine): void {
  engineSuite(engine);
  runsSuite(engine);
  recordsSuite(engine);
  dueRecordsSuite(engine);
  intentsSuite(engine);
  outcomesSuite(engine);
  eventsSuite(engine);
  peopleSuite(engine);
  surveySuite(engine);
  effectsSuite(engine);
}
