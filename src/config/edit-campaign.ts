// Reads and replaces one campaign in sluice.yaml. Comments and the order of other entries stay.
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

const SECTION = 'campaigns';
const MAX_ALIASES = 100;
/** For a campaign that somebody sends. Numbers to exclude are the longest list. */
const MAX_ENTRIES = 20_000;
const MAX_KEYS = 1000;
const MAX_DEPTH = 64;

/** Thrown when the configuration or the new text is not a mapping in YAML. */
export class EditCampaignError extends Error {
  override readonly name = 'EditCampaignError';
}

/** Thrown when a new campaign would replace another one, or when there is none to remove. */
export class CampaignNameError extends Error {
  override readonly name = 'CampaignNameError';
  readonly code: 'NAME_TAKEN' | 'NO_SUCH_CAMPAIGN';

  constructor(code: CampaignNameError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The campaign as it is written, with its aliases written out: what they stand for may lie elsewhere in the file. Null when
 * the file has no campaign of this name.
 */
export function readCampaign(text: string, name: string): string | null {
  const document = parsed(text, 'the configuration');
  const found = document.getIn([SECTION, name], true);
  if (!isNode(found)) return null;
  return new Document(writeOut(document, found)).toString({ lineWidth: 0 });
}

/**
 * @param text of the file
 * @param campaign YAML of the campaign alone
 * @returns the text with the campaign in its place, or at the end of its section. What other entries share with the replaced
 * campaign stays as it was for them.
 * @param isNew refuse to replace a campaign
 * @throws EditCampaignError, CampaignNameError
 */
export function writeCampaign(text: string, name: string, campaign: string, isNew = false): string {
  const document = parsed(text, 'the configuration');
  if (isNew && document.hasIn([SECTION, name]))
    throw new CampaignNameError(
      'NAME_TAKEN',
      `the configuration has a campaign "${name}"; choose another name`,
    );
  // To compare all keys with each other takes 5 s for a mapping of 16,000 keys. The campaign is checked when the file is
  // loaded.
  const draft = parsed(campaign, 'the campaign', { uniqueKeys: false });
  requireSmall(draft);
  if (!isMap(draft.contents)) throw new EditCampaignError('the campaign is not a mapping');
  const contents = writeOut(draft, draft.contents);
  // `campaigns:` without entries is null.
  if ((document.get(SECTION) ?? null) === null) document.delete(SECTION);
  const before = document.getIn([SECTION, name], true);
  if (isNode(before)) moveAnchors(document, before);
  document.setIn([SECTION, name], contents);
  return document.toString({ lineWidth: 0 });
}

/**
 * @returns the text without the campaign. What other entries share with it stays as it was for them.
 * @throws EditCampaignError, CampaignNameError
 */
export function removeCampaign(text: string, name: string): string {
  const document = parsed(text, 'the configuration');
  const found = document.getIn([SECTION, name], true);
  if (!isNode(found))
    throw new CampaignNameError('NO_SUCH_CAMPAIGN', `the configuration has no campaign "${name}"`);
  moveAnchors(document, found);
  document.deleteIn([SECTION, name]);
  return document.toString({ lineWidth: 0 });
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
    if (/call stack/.test(error.message)) throw new EditCampaignError(`${what} is nested too deeply`);
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new EditCampaignError(`${what} can't be read: ${error.message} at line ${line}, column ${col}`);
  }
  if (document.contents !== null && !isMap(document.contents))
    throw new EditCampaignError(`${what} is not a mapping`);
  return document;
}

/**
 * Refuses a campaign that takes long to write out: a few lines of aliases of aliases stand for billions of entries. It
 * counts them without writing them out.
 */
function requireSmall(document: Document.Parsed): void {
  const sizes = new Map<Node, number>();
  const anchors = new Map<string, Node>();
  let aliases = 0;
  const refuse = (problem: string): never => {
    throw new EditCampaignError(`the campaign ${problem}`);
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

/** Aliases elsewhere may stand for a part of a campaign that is about to be replaced: the first one gets the anchor. */
function moveAnchors(document: Parsed, campaign: Node): void {
  const inside = new Set<Node>();
  visit(campaign, { Node: (_, node) => void inside.add(node) });
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
  if (source === undefined) throw new EditCampaignError(`the anchor &${name} that *${name} names is missing`);
  try {
    const value: unknown = source.toJS(document, { maxAliasCount: MAX_ALIASES });
    return document.createNode(value, { aliasDuplicateObjects: false }) as Exclude<Node, { source: string }>;
  } catch (error) {
    // The library reports an alias inside its own anchor, or too many of them.
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    throw new EditCampaignError(`*${name} can't be resolved: ${error.message}`, { cause: error });
  }
}
