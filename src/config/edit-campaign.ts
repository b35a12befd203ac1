// Reads and replaces one campaign in sluice.yaml. Comments and the order of other entries stay.
import { Document, isAlias, isMap, isNode, type Node, parseDocument, visit } from 'yaml';

const SECTION = 'campaigns';
const MAX_ALIASES = 100;

/** Thrown when the configuration or the new text is not a mapping in YAML. */
export class EditCampaignError extends Error {
  override readonly name = 'EditCampaignError';
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
 * @throws EditCampaignError
 */
export function writeCampaign(text: string, name: string, campaign: string): string {
  const document = parsed(text, 'the configuration');
  const draft = parsed(campaign, 'the campaign');
  if (!isMap(draft.contents)) throw new EditCampaignError('the campaign is not a mapping');
  const contents = writeOut(draft, draft.contents);
  // `campaigns:` without entries is null.
  if ((document.get(SECTION) ?? null) === null) document.delete(SECTION);
  const before = document.getIn([SECTION, name], true);
  if (isNode(before)) moveAnchors(document, before);
  document.setIn([SECTION, name], contents);
  return document.toString({ lineWidth: 0 });
}

function parsed(text: string, what: string) {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new EditCampaignError(`${what} can't be read: ${error.message}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new EditCampaignError(`${what} is not a mapping`);
  return document;
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
