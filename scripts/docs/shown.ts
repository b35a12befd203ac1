// Compares the output that a document shows with what its commands print. Times differ from run to run, counts do not.

const plain = (line: string) =>
  line
    .replaceAll(/\/\S*\/(?=my-crm\b|examples\b)/g, '')
    .replaceAll(/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?/g, 'TIME')
    .replaceAll(/\b\d\d:\d\d(?::\d\d)?\b/g, 'TIME')
    .replaceAll(/(?:\d+(?:\.\d+)? (?:ms|s|min|h)\b ?)+/g, 'DURATION ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/**
 * Lines of an `output` block that were not printed. A line with … stands for one that has the parts around it, and a line
 * of … alone for any lines.
 */
export function linesMissing(shown: string, printed: string): string[] {
  const lines = printed.split('\n').map(plain);
  return shown.split('\n').filter((line) => {
    const parts = plain(line)
      .split('…')
      .map((part) => part.trim());
    return !lines.some((other) => hasInOrder(other, parts));
  });
}

function hasInOrder(line: string, parts: readonly string[]): boolean {
  if (parts.length === 1) return line === parts[0];
  let from = 0;
  for (const part of parts) {
    const at = line.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
