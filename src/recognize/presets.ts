// Recognizes the export of a CRM that Sluice has a mapping for, by the names of its columns.
import type { RecognizedFile } from '../jobs/sync/contract/first-sync.ts';
import { plainName } from '../mapping/column-names.ts';

/** Folders of `examples/` with a mapping. */
export const PRESETS = [
  'google-contacts',
  'hubspot',
  'kommo',
  'pipedrive',
  'rdstation',
  'salesforce',
] as const;
export type Preset = (typeof PRESETS)[number];

export type PresetGuess = NonNullable<RecognizedFile['preset']> & { readonly name: Preset };

/** Names that hardly any other program uses, in English and Portuguese, in the form of `plainName`. */
const SIGNS: Readonly<Record<Preset, RegExp>> = {
  'google-contacts':
    /^(?:(?:phone|e mail|organization|address|relation|custom field) \d+ (?:value|label|type|name)|phonetic (?:first|given) name|given name yomi|group membership|file as|labels|organization (?:name|title))$/,
  hubspot:
    /^(?:record id|id do registro|lifecycle stage|fase do ciclo de vida|contact owner|proprietario do contato|lead status|status do lead|marketing contact status|original (?:traffic )?source|fonte original do trafego|unsubscribed from all email|associated company|whatsapp phone number|last activity date)$/,
  kommo:
    /^(?:lead (?:titulo|title|stage|tags|status)|empresa lead s|contato principal|main contact|usuario responsavel|responsible user|etapa do lead|data criada|empresa do contato|.* (?:contato|contact))$/,
  pipedrive: /^(?:deal|person|negocio|pessoa|organization|organizacao) (?!name$).+$/,
  rdstation:
    /^(?:qualificacao|motivo de perda|valor unico|valor recorrente|pausada|previsao de fechamento|funil de vendas|nao contatar|anotacoes|contatos|data de criacao|responsavel|campanha|fonte)$/,
  salesforce:
    /^(?:contact id|id do contato|salutation|account name|accountid|nome da conta|mailing .*|mobilephone|homephone|otherphone|firstname|lastname|lead ?source|opportunity name|stagename|closedate|donotcall|do not call|contact owner)$/,
};

const ENOUGH = 3;
const CERTAIN = 5;

/** Null when fewer than three columns speak for one, or two are equal. */
export function guessPreset(header: readonly string[]): PresetGuess | null {
  const names = header.map(plainName);
  const found = PRESETS.map((name) => ({
    name,
    // Pipedrive writes what a column belongs to before each name: `Deal - ID`.
    count: header.filter(
      (column, at) => SIGNS[name].test(names[at] ?? '') && (name !== 'pipedrive' || column.includes(' - ')),
    ).length,
  })).toSorted((a, b) => b.count - a.count);
  const [best, next] = found;
  if (best === undefined || best.count < ENOUGH || best.count === next?.count) return null;
  const certain = Math.min(1, best.count / CERTAIN);
  const alone = 1 - (next?.count ?? 0) / best.count / 2;
  return { name: best.name, confidence: Math.round(certain * alone * 100) / 100 };
}
