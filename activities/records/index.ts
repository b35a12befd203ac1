// All steps of a record, by name.
import type { Step } from '../../src/jobs/sync/constants.ts';
import type { Deps } from '../shared/deps.ts';
import { createCard, findCard, readBackCard } from './create-card.ts';
import { lookup, readExtraInfo } from './look-up.ts';
import { moveStage, readBackStage } from './move-stage.ts';
import type { StepContext, StepResult } from './record-step.ts';
import { setTags } from './set-tags.ts';
import { upsertContact } from './upsert-contact.ts';

export const STEPS: Readonly<Record<Step, (deps: Deps, c: StepContext) => Promise<StepResult>>> = {
  lookup,
  readExtraInfo,
  upsertContact,
  setTags,
  findCard,
  createCard,
  readBackCard,
  moveStage,
  readBackStage,
};
