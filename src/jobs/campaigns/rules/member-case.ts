// Names the case in which a campaign left a member out, so that the console can say it in its language. The ledger
// stores the code and the sentence, also of earlier releases, so the case is read from the sentence.
import type { NoteParams } from '../../../core/endpoint.ts';
import type { MemberCode } from '../constants.ts';

/** After the code, the names are keys of the console's sentences; the groups are their figures and names. */
type Cases = Readonly<Record<string, RegExp>>;

const TAGS: Cases = {
  tag: /^(?:has|they have|they now have) the tag (?<tags>".+")$/s,
  given: /^Sluice gave them the tag (?<tags>".+")$/s,
};
const REACHED = /^the campaign "(?<campaign>.+)" reached them on (?<reachedAt>\S+)$/s;

const CASES: Partial<Record<MemberCode, Cases>> = {
  VARIABLE_MISSING: { names: /^no value for (?<names>".+")$/s },
  OPTED_OUT: {
    ...TAGS,
    tagSeen: /^a tag that says so was seen on (?<seenAt>\S+)$/,
    recorded: /^an operator recorded an opt-out of (?<optedOutAt>\S+)$/,
    imported: /^an imported list has an opt-out of (?<optedOutAt>\S+)$/,
    said: /^they said so on (?<optedOutAt>\S+)$/,
    before: /^they have opted out of campaigns$/,
  },
  EXCLUDED_NUMBER: { listed: /^the number is one of exclude\.numbers$/ },
  EXCLUDED_TAG: TAGS,
  EXCLUDED_CAMPAIGN: {
    reached: REACHED,
    since: /^the campaign "(?<campaign>.+)" has reached them since the plan was made$/s,
  },
  CONTACTED_LATELY: {
    reached: REACHED,
    message: /^a message went out to them on (?<sentAt>\S+)$/,
    event: /^an event sent them a message or a flow on (?<sentAt>\S+)$/,
  },
  OPEN_CONVERSATION: {
    seen: /^has the open conversation (?<conversation>\d+), as it was seen last: updated on (?<updatedAt>\S+)$/,
    now: /^their conversation (?<conversation>\d+) is open$/,
  },
  HUMAN_SERVICE: {
    seen: /^a person serves conversation (?<conversation>\d+), as it was seen last: updated on (?<updatedAt>\S+)$/,
    now: /^a person is serving them in conversation (?<conversation>\d+)$/,
  },
  FREQUENCY_CAP: {
    once: /^the campaign "(?<campaign>.+)" reached them once within (?<within>\S+), on (?<reachedAt>\S+)$/s,
    often:
      /^campaigns reached them (?<times>\d+) times within (?<within>\S+), last "(?<campaign>.+)" on (?<reachedAt>\S+)$/s,
    some: /^campaigns have reached them within (?<within>\S+)$/,
  },
  NO_COMMON_WINDOW: { never: /^no window is ever open in all of (?<zones>.+)$/ },
};

/** Undefined: the code has no cases, or the sentence is none of them. */
export function memberCase(code: string | null, reason: string | null): NoteParams | undefined {
  if (code === null || reason === null || !Object.hasOwn(CASES, code)) return undefined;
  for (const [which, sentence] of Object.entries(CASES[code as MemberCode] ?? {})) {
    const found = sentence.exec(reason);
    if (found !== null) return { which: [which], ...found.groups };
  }
  return undefined;
}
