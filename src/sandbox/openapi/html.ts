// HTML as tagged templates: every value is escaped unless it is a piece of HTML itself.

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | null | readonly Piece[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const render = (piece: Piece): string => {
  if (piece instanceof Html) return piece.text;
  if (piece === null) return '';
  if (typeof piece === 'object') return piece.map(render).join('');
  return String(piece).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
};

/** @example html`<b>${name}</b>` */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(strings.reduce((text, part, i) => text + render(pieces[i - 1] ?? null) + part));
}
