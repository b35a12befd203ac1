// Erases a person's events from the files of the configured JSONL sinks.
import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { eraseLines } from '../connectors/sinks/jsonl-erase.ts';
import { conversationSource } from '../jobs/conversations/contract/envelope.ts';
import type { OpenErasure } from '../protect/person/open-erasures.ts';

/** Sinks that publish nothing any more may still have a file, so all JSONL sinks count. */
export async function eraseFromSinkFiles(
  { config, dir }: LoadedConfig,
  account: string,
  { conversations, streams }: Pick<OpenErasure, 'conversations' | 'streams'>,
): Promise<{ sink: string; events: number | null }[]> {
  const marks = [
    ...conversations.map((id) => ['source', conversationSource(account, id)] as const),
    ...streams.map((stream) => ['partitionkey', stream] as const),
  ];
  const erased: { sink: string; events: number | null }[] = [];
  for (const [sink, target] of Object.entries(config.sinks)) {
    if (target.type !== 'jsonl') continue;
    erased.push({ sink, events: await eraseLines(resolve(dir, target.path), marks) });
  }
  return erased;
}
