// Returns what may be logged of an unexpected error: its type and frames. Its message could quote what a sender wrote.

export function errorShape(error: unknown): { name: string; at: readonly string[] } {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const stack = error.stack ?? '';
  const frames = stack.slice(stack.indexOf(error.message) + error.message.length);
  const at = frames.split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, at: at.slice(0, 10).map((line) => line.trim()) };
}
