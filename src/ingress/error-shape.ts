// What may be told of an error that nobody expected: its text could quote what somebody sent, its frames can't.

export function errorShape(error: unknown): { name: string; at: readonly string[] } {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const stack = error.stack ?? '';
  const frames = stack.slice(stack.indexOf(error.message) + error.message.length);
  const at = frames.split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, at: at.slice(0, 10).map((line) => line.trim()) };
}
