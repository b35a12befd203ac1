// Keeps the text of sluice.yaml where an edit did not change it. The library writes a document as a whole, with its own
// spaces and quotes, also where nobody touched it.
import { isNode, parseDocument, visit } from 'yaml';

const OPTIONS = { prettyErrors: false, uniqueKeys: false, resolveKnownTags: false };

const parsed = (text: string) => parseDocument(text, OPTIONS);

/**
 * A document as the library writes it.
 * @param text of its file, whose indentation it gets
 */
export function written(document: ReturnType<typeof parseDocument>, text: string): string {
  const indent = /^[^\s#][^\n]*:[^\n]*\n(?:\s*\n|\s*#[^\n]*\n)*( +)[^\s#]/m.exec(text)?.[1]?.length ?? 2;
  return document.toString({ lineWidth: 0, indent });
}

/**
 * @param text of the file before the edit
 * @param edited the whole file after it, as the library writes it
 * @returns `text` with only the keys that differ. `edited` where the two texts have no such keys in common: the content is the same.
 */
export function keepText(text: string, edited: string): string {
  const plain = written(parsed(text), text);
  if (plain === edited) return text;
  const [before, after] = [plain.split('\n'), edited.split('\n')];
  let first = 0;
  while (first < before.length && before[first] === after[first]) first++;
  let rest = 0;
  const most = Math.min(before.length, after.length) - first;
  while (rest < most && before.at(-1 - rest) === after.at(-1 - rest)) rest++;
  const [ours, theirs] = [keyLines(text), keyLines(plain)];
  if (ours.length !== theirs.length) return edited;
  const from = theirs.findLastIndex((line) => line <= first);
  const to = theirs.findIndex((line) => line >= before.length - rest);
  const lines = text.split('\n');
  const merged = [
    ...lines.slice(0, from === -1 ? 0 : ours[from]),
    ...after.slice(
      from === -1 ? 0 : theirs[from],
      to === -1 ? undefined : after.length - before.length + (theirs[to] ?? 0),
    ),
    ...(to === -1 ? [] : lines.slice(ours[to])),
  ].join('\n');
  const result = parsed(merged);
  const isSame = result.errors.length === 0 && written(result, text) === written(parsed(edited), text);
  return isSame ? merged : edited;
}

/** Numbers of the lines, from 0, that begin with a key: the same keys in each text of a document. */
function keyLines(text: string): number[] {
  const starts: number[] = [];
  for (let at = 0; at !== -1; at = text.indexOf('\n', at) + 1 || -1) starts.push(at);
  const lines: number[] = [];
  let line = 0;
  visit(parsed(text), {
    Pair(_, { key }) {
      const at = isNode(key) ? (key.range?.[0] ?? 0) : 0;
      while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= at) line++;
      if (text.slice(starts[line], at).trim() === '') lines.push(line);
    },
  });
  return lines;
}
