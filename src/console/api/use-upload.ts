// Sends a file that somebody chose or dropped.
import type { Output } from './client.ts';
import { useCommand } from './use-command.ts';

/** @param onDone receives what Sluice recognized, and the name of the file */
export function useUpload(onDone: (made: Output<'POST /uploads'>, name: string) => void) {
  const { run, isPending } = useCommand('POST /uploads', {
    onDone: (made, { name }) => onDone(made, name),
  });
  return {
    isPending,
    send: (file: File) =>
      void file.arrayBuffer().then((bytes) => run({ name: file.name, file: new Uint8Array(bytes) })),
  };
}
