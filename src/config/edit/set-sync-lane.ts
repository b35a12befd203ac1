// Sets the lane of one sync in sluice.yaml. Comments, the order of entries, and everything else of the sync stay.
import { isAlias, isMap, type Node, parseDocument, visit } from 'yaml';
import type { SyncConfig } from '../../jobs/sync/config.ts';
import { keepText, written } from './keep-text.ts';

type Lane = SyncConfig['lane'];

/** Thrown when the file does not have the sync, or shares what it says with other entries. */
export class SetSyncLaneError extends Error {
  override readonly name = 'SetSyncLaneError';
  readonly code: 'YAML' | 'SYNC_ELSEWHERE' | 'SYNC_SHARED';

  constructor(code: SetSyncLaneError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * @param text of the file
 * @throws SetSyncLaneError
 */
export function setSyncLane(text: string, sync: string, lane: Lane): string {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined)
    throw new SetSyncLaneError('YAML', `the configuration can't be read: ${error.message}`);
  const entry = isMap(document.contents) ? document.getIn(['syncs', sync], true) : undefined;
  if (entry === undefined)
    throw new SetSyncLaneError(
      'SYNC_ELSEWHERE',
      `the configuration file does not have the sync "${sync}"; set its \`lane\` in the file that has it`,
    );
  if (!isMap(entry) || isShared(document, entry))
    throw new SetSyncLaneError(
      'SYNC_SHARED',
      `the sync "${sync}" shares its entry with others by an anchor; set \`lane: ${lane}\` in the file`,
    );
  entry.set('lane', lane);
  return keepText(text, written(document, text));
}

/** Whether an alias elsewhere stands for the entry, and so would change with it. */
function isShared(document: ReturnType<typeof parseDocument>, entry: Node): boolean {
  let found = false;
  visit(document, {
    Alias(_, alias) {
      if (!isAlias(alias) || alias.resolve(document) !== entry) return undefined;
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}
