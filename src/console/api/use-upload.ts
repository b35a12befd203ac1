// Sends a file that somebody chose or dropped.
import type { Output } from './client.ts';
import { useCommand } from './use-command.ts';

/** @param onDone hears what Sluice recognized */
export function useUpload(onDone: (made: Output<'POST /uploads'>) => void) {
  const { run, isPending } = useCommand('POST /uploads', { onDone });
  return {
    isPending,
    send: (file: File) =>
      void file.arrayBuffer().then((bytes) => run({ name: file.name, file: new Uint8Array(bytes) })),
  };
}
