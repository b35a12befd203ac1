// Reads, replaces and removes one entry of sluice.yaml, for example a campaign. Comments and the order of other entries stay.
import {
  Document,
  isAlias,
  isMap,
  isNode,
  isSeq,
  LineCounter,
  type Node,
  type ParseOptions,
  parseDocument,
  visit,
} from 'yaml';

import { keepText, written } from './keep-text.ts';

const NOUNS = { campaigns: 'campaign', syncs: 'sync', mappings: 'mapping', sources: 'source' } as const;
/** Where the entry is. */
export interface EntryPlace {
  readonly section: keyof typeof NOUNS;
  readonly name: string;
}

const MAX_ALIASES = 100;
/** For an entry that somebody sends. Numbers to exclude are the longest list. */
const MAX_ENTRIES = 20_000;
const MAX_KEYS = 1000;
const MAX_DEPTH = 64;

/** Thrown when the configuration or the new text is not a mapping in YAML. */
export class EditEntryError extends Error {
  override readonly name = 'EditEntryError';
}

/** Thrown when a new entry would replace another one, or when there is none to remove. */
export class EntryNameError extends Error {
  override readonly name = 'EntryNameError';
  readonly code: 'NAME_TAKEN' | 'NO_SUCH_CAMPAIGN' | 'UNKNOWN_NAME';

  constructor(code: EntryNameError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The entry as it is written, with its aliases written out: what they stand for may lie elsewhere in the file. Null when
 * the file has no entry of this name.
 */
export function readEntry(text: string, { section, name }: EntryPlace): string | null {
  const document = parsed(text, 'the configuration');
  const found = document.getIn([section, name], true);
  if (!isNode(found)) return null;
  return new Document(writeOut(document, found)).toString({ lineWidth: 0 });
}

/**
 * @param text of the file
 * @param yaml of the entry alone
 * @returns the text with the entry in its place, or at the end of its section. What other entries share with the replaced
 * entry stays as it was for them.
 * @param isNew refuse to replace an entry
 * @throws EditEntryError, EntryNameError
 */
export function writeEntry(text: string, place: EntryPlace, yaml: string, isNew = false): string {
  const { section, name } = place;
  const noun = NOUNS[section];
  const document = parsed(text, 'the configuration');
  if (isNew && document.hasIn([section, name]))
    throw new EntryNameError('NAME_TAKEN', `the configuration has a ${noun} "${name}"; choose another name`);
  // To compare all keys with each other takes 5 s for a mapping of 16,000 keys. The entry is checked when the file is
  // loaded.
  const draft = parsed(yaml, `the ${noun}`, { uniqueKeys: false });
  requireSmall(draft, noun);
  if (!isMap(draft.contents)) throw new EditEntryError(`the ${noun} is not a mapping in YAML`);
  const contents = writeOut(draft, draft.contents);
  // `campaigns:` without entries is null.
  if ((document.get(section) ?? null) === null) document.delete(section);
  const before = document.getIn([section, name], true);
  if (isNode(before)) moveAnchors(document, before);
  document.setIn([section, name], contents);
  return keepText(text, written(document, text));
}

/**
 * @returns the text without the entry. What other entries share with it stays as it was for them.
 * @throws EditEntryError, EntryNameError
 */
export function removeEntry(text: string, { section, name }: EntryPlace): string {
  const document = parsed(text, 'the configuration');
  const found = document.getIn([section, name], true);
  if (!isNode(found))
    throw new EntryNameError(
      section === 'campaigns' ? 'NO_SUCH_CAMPAIGN' : 'UNKNOWN_NAME',
      `the configuration has no ${NOUNS[section]} "${name}"`,
    );
  moveAnchors(document, found);
  document.deleteIn([section, name]);
  return keepText(text, written(document, text));
}

function parsed(text: string, what: string, options: ParseOptions = {}) {
  // The library would quote the text for each error: a text of 260 kB with an error a byte took it 35 s.
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    ...options,
    lineCounter,
    prettyErrors: false,
    resolveKnownTags: false,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    if (/call stack/.test(error.message)) throw new EditEntryError(`${what} is nested too deeply`);
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new EditEntryError(`${what} can't be read: ${error.message} at line ${line}, column ${col}`);
  }
  if (document.contents !== null && !isMap(document.contents))
    throw new EditEntryError(`${what} is not a mapping`);
  return document;
}

/**
 * Refuses an entry that takes long to write out: a few lines of aliases of aliases stand for billions of entries. It
 * counts them without writing them out.
 */
function requireSmall(document: Document.Parsed, noun: string): void {
  const sizes = new Map<Node, number>();
  const anchors = new Map<string, Node>();
  let aliases = 0;
  const refuse = (problem: string): never => {
    throw new EditEntryError(`the ${noun} ${problem}`);
  };
  const sizeOf = (node: unknown, depth: number): number => {
    if (!isNode(node)) return 0;
    if (depth > MAX_DEPTH) refuse(`is nested more than ${MAX_DEPTH} levels deep`);
    // An alias stands for the last node before it with this anchor, and nodes come in the order of the text.
    if (isAlias(node)) {
      if (++aliases > MAX_ALIASES) refuse(`has more than ${MAX_ALIASES} aliases`);
      return sizes.get(anchors.get(node.source) as Node) ?? 1;
    }
    if ('anchor' in node && node.anchor !== undefined) anchors.set(node.anchor, node);
    let size = 1;
    if (isMap(node)) {
      if (node.items.length > MAX_KEYS) refuse(`has a mapping with more than ${MAX_KEYS} keys`);
      for (const { key, value } of node.items) size += sizeOf(key, depth + 1) + sizeOf(value, depth + 1);
    }
    if (isSeq(node)) for (const item of node.items) size += sizeOf(item, depth + 1);
    sizes.set(node, size);
    if (size > MAX_ENTRIES) refuse(`has more than ${MAX_ENTRIES} entries, those of its aliases included`);
    return size;
  };
  sizeOf(document.contents, 0);
}

type Parsed = ReturnType<typeof parsed>;

/** Replaces the aliases below a node by what they stand for, and removes its anchors. */
function writeOut(document: Parsed, node: Node): Node {
  const root = isAlias(node) ? valueOf(document, node.source, node.resolve(document)) : node;
  visit(root, { Alias: (_, alias) => valueOf(document, alias.source, alias.resolve(document)) });
  visit(root, {
    Value(_, each) {
      delete each.anchor;
    },
  });
  return root;
}

/** Aliases elsewhere may stand for a part of an entry that is about to be replaced: the first one gets the anchor. */
function moveAnchors(document: Parsed, entry: Node): void {
  const inside = new Set<Node>();
  visit(entry, { Node: (_, node) => void inside.add(node) });
  visit(document, {
    Alias(_, alias) {
      const source = alias.resolve(document);
      if (source === undefined || !inside.has(source) || inside.has(alias)) return undefined;
      const moved = valueOf(document, alias.source, source);
      moved.anchor = alias.source;
      return moved;
    },
  });
}

function valueOf(document: Parsed, name: string, source: Node | undefined) {
  if (source === undefined) throw new EditEntryError(`the anchor &${name} that *${name} names is missing`);
  try {
    const value: unknown = source.toJS(document, { maxAliasCount: MAX_ALIASES });
    return document.createNode(value, { aliasDuplicateObjects: false }) as Exclude<Node, { source: string }>;
  } catch (error) {
    // The library reports an alias inside its own anchor, or too many of them.
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    throw new EditEntryError(`*${name} can't be resolved: ${error.message}`, { cause: error });
  }
}
