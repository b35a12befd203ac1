// What a user asks of the configuration file. It runs in a thread, see `edit-thread.ts`.

import { AddEntriesError, addEntries, type NewEntries } from '../../config/edit/add-entries.ts';
import { checkDraft } from '../../config/edit/check-draft.ts';
import {
  EditEntryError,
  EntryNameError,
  type EntryPlace,
  removeEntry,
  writeEntry,
} from '../../config/edit/edit-entry.ts';
import { SetSyncLaneError, setSyncLane } from '../../config/edit/set-sync-lane.ts';
import { type LoadOptions, loadConfigText } from '../../config/load.ts';
import { ConfigError, nameProblem } from '../../core/config/errors.ts';
import type { DraftProblem } from '../../jobs/campaigns/contract/campaign-drafts.ts';
import type { SyncConfig } from '../../jobs/sync/config.ts';
import { CONFIG_CHECKS } from '../config-checks.ts';

export type ConfigEdit =
  | {
      readonly kind: 'campaign';
      readonly campaign: string;
      readonly yaml: string;
      /** Refuse to replace a campaign. */
      readonly isNew: boolean;
    }
  | { readonly kind: 'campaign-removal'; readonly campaign: string }
  | { readonly kind: 'entries'; readonly entries: NewEntries }
  | {
      readonly kind: 'sync';
      readonly sync: string;
      readonly yaml: string;
      /** Null: the mapping stays as it is. */
      readonly mapping: { readonly name: string; readonly yaml: string } | null;
    }
  | { readonly kind: 'sync-removal'; readonly entries: readonly EntryPlace[] }
  | { readonly kind: 'sync-lane'; readonly sync: string; readonly lane: SyncConfig['lane'] };

export interface DraftCheck {
  readonly kind: 'draft';
  readonly campaign: string;
  readonly config: Readonly<Record<string, unknown>>;
}

export interface EditInput {
  readonly work: ConfigEdit | DraftCheck;
  /** The configuration file and its text. The file itself is not read. */
  readonly file: string;
  readonly text: string;
}

/** Of an edit: the new text of a valid configuration. Of a check: the problems of the draft. */
export type EditAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'problems'; readonly problems: DraftProblem[] }
  | {
      readonly kind: 'refused';
      readonly code:
        | 'YAML'
        | 'NAME_TAKEN'
        | 'NO_SUCH_CAMPAIGN'
        | 'UNKNOWN_NAME'
        | 'SYNC_ELSEWHERE'
        | 'SYNC_SHARED'
        | 'CONFIG';
      readonly message: string;
    };

/** No edit changes a secret, so none is read, and no command runs. The process that uses it checks it. */
export const NO_SECRETS = { env: {}, secretsOf: [] } as const satisfies LoadOptions;

export async function answerEdit({ work, file, text }: EditInput): Promise<EditAnswer> {
  const options = { ...NO_SECRETS, ...CONFIG_CHECKS };
  try {
    if (work.kind === 'draft') {
      const problems = await checkDraft({ file, text }, work.campaign, work.config, options);
      return { kind: 'problems', problems };
    }
    const edited = edit(text, work);
    await loadConfigText(file, edited, options);
    return { kind: 'text', text: edited };
  } catch (error) {
    const code = codeOf(error);
    if (code === null) throw error;
    const message =
      error instanceof ConfigError ? error.problems.map(nameProblem).join('\n') : (error as Error).message;
    return { kind: 'refused', code, message };
  }
}

function edit(text: string, work: ConfigEdit): string {
  switch (work.kind) {
    case 'entries':
      return addEntries(text, work.entries);
    case 'campaign':
      return writeEntry(text, { section: 'campaigns', name: work.campaign }, work.yaml, work.isNew);
    case 'campaign-removal':
      return removeEntry(text, { section: 'campaigns', name: work.campaign });
    case 'sync': {
      const { sync, yaml, mapping } = work;
      const written = writeEntry(text, { section: 'syncs', name: sync }, yaml);
      return mapping === null
        ? written
        : writeEntry(written, { section: 'mappings', name: mapping.name }, mapping.yaml);
    }
    case 'sync-removal':
      return work.entries.reduce((now, place) => removeEntry(now, place), text);
    case 'sync-lane':
      return setSyncLane(text, work.sync, work.lane);
  }
}

function codeOf(error: unknown) {
  if (error instanceof EditEntryError) return 'YAML';
  if (error instanceof EntryNameError) return error.code;
  if (error instanceof SetSyncLaneError) return error.code;
  if (error instanceof AddEntriesError) return 'NAME_TAKEN';
  return error instanceof ConfigError ? 'CONFIG' : null;
}
