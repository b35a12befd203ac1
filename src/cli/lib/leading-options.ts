// Options that nearly all commands have may stand before the command: `sluice --config other.yaml status`.

const WITH_VALUE = new Set(['--config', '--state', '--server', '--account']);
const FLAGS = new Set(['--utc', '--json']);

/**
 * Moves leading options behind the other words, before `--`.
 * @param words the command line without the program
 */
export function moveLeadingOptions(words: readonly string[]): string[] {
  let at = 0;
  for (let word = words[0]; word !== undefined; word = words[at]) {
    if (WITH_VALUE.has(word) && at + 1 < words.length) at += 2;
    else if (FLAGS.has(word) || [...WITH_VALUE].some((name) => word?.startsWith(`${name}=`))) at += 1;
    else break;
  }
  const [leading, rest] = [words.slice(0, at), words.slice(at)];
  if (rest.length === 0) return [...words];
  const end = rest.indexOf('--');
  return end < 0 ? [...rest, ...leading] : [...rest.slice(0, end), ...leading, ...rest.slice(end)];
}
