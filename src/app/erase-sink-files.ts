// Erases conversations from the files of the configured JSONL sinks.
import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { eraseLines } from '../connectors/sinks/jsonl-erase.ts';
import { conversationSource } from '../jobs/conversations/contract/envelope.ts';

/** Sinks that publish nothing any more may still have a file, so all JSONL sinks count. */
export async function eraseFromSinkFiles(
  { config, dir }: LoadedConfig,
  account: string,
  conversations: readonly number[],
): Promise<{ sink: string; events: number | null }[]> {
  const sources = conversations.map((id) => conversationSource(account, id));
  const erased: { sink: string; events: number | null }[] = [];
  for (const [sink, target] of Object.entries(config.sinks)) {
    if (target.type !== 'jsonl') continue;
    erased.push({ sink, events: await eraseLines(resolve(dir, target.path), sources) });
  }
  return erased;
}
