// Which fields of a contact are written, under every rule, for everything that was sent before and is there now.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ContactChange,
  changesNothing,
  contactChange,
  type SentMarks,
} from '../../../../activities/records/contact-change.ts';
import type { CrmRecord } from '../../../../src/core/record.ts';
import type { SeenContact } from '../../../../src/core/store/people.ts';
import { CONTACT_FIELDS, type ContactField } from '../../../../src/jobs/sync/config.ts';
import { fields, optionsOf, US } from './arbitraries.ts';

type Contact = CrmRecord['contact'];
type Rules = Parameters<typeof contactChange>[3];

const EMPTY: SeenContact = {
  number: US,
  name: US,
  email: null,
  document: null,
  disableBot: false,
  tags: [],
  extraInfo: null,
};
const rulesOf = (email: Rules['fields']['email'], conflict: Rules['conflict'] = 'overwrite'): Rules =>
  optionsOf({ conflict, fields: email === undefined ? {} : { email } });
const wanted = (email: string | undefined): Contact => ({
  number: US,
  ...(email === undefined ? {} : { email }),
});
/** Marks of a contact of which Sluice wrote this address. */
const sentBefore = (email: string | null, rules = rulesOf('always')): SentMarks =>
  email === null ? {} : contactChange(wanted(email), {}, null, rules, true).sent;

const CLEAR = { write: 'always', clear: true } as const;
const FILL_CLEAR = { write: 'if-empty', clear: true } as const;

describe('one field', () => {
  /** Rule, conflict, what the source says, what Sluice wrote before, what the service shows (undefined: nobody looked). */
  type Case = [
    name: string,
    rules: Rules,
    source: string | undefined,
    sent: string | null,
    shown: string | null | undefined,
    expected: 'write' | 'clear' | 'nothing' | 'conflict' | 'look',
  ];
  it.each<Case>([
    ['a first value', rulesOf('always'), 'a', null, undefined, 'write'],
    ['a first value over another', rulesOf('always'), 'a', null, 'x', 'write'],
    ['a first value that is there', rulesOf('always'), 'a', null, 'a', 'nothing'],
    ['the value that was sent', rulesOf('always'), 'a', 'a', undefined, 'nothing'],
    ['the value that was sent, changed since', rulesOf('always'), 'a', 'a', 'x', 'nothing'],
    ['a new value', rulesOf('always'), 'b', 'a', undefined, 'write'],
    ['a new value over that of people', rulesOf('always'), 'b', 'a', 'x', 'write'],
    ['a new value that people wrote as well', rulesOf('always'), 'b', 'a', 'b', 'nothing'],
    ['no value', rulesOf('always'), undefined, 'a', 'a', 'nothing'],

    ['never: a first value', rulesOf('never'), 'a', null, null, 'nothing'],
    ['never: a new value', rulesOf('never'), 'b', 'a', 'a', 'nothing'],

    ['if-empty: a first value asks for a check', rulesOf('if-empty'), 'a', null, undefined, 'look'],
    ['if-empty: into an empty field', rulesOf('if-empty'), 'a', null, null, 'write'],
    ['if-empty: into a field of spaces gone', rulesOf('if-empty'), 'a', null, '', 'write'],
    ['if-empty: beside another value', rulesOf('if-empty'), 'a', null, 'x', 'nothing'],
    ['if-empty: a new value beside the own old one', rulesOf('if-empty'), 'b', 'a', 'a', 'nothing'],
    [
      'if-empty: what was sent under always needs no check',
      rulesOf('if-empty'),
      'a',
      'a',
      undefined,
      'nothing',
    ],

    ['clear: a value that Sluice wrote', rulesOf(CLEAR), undefined, 'a', undefined, 'clear'],
    ['clear: one that is gone already', rulesOf(CLEAR), undefined, 'a', null, 'nothing'],
    ['clear: one that Sluice never wrote', rulesOf(CLEAR), undefined, null, 'x', 'nothing'],
    ['clear: one that people wrote over, overwriting', rulesOf(CLEAR), undefined, 'a', 'x', 'clear'],
    ['clear: one that people wrote over, keeping', rulesOf(CLEAR, 'keep'), undefined, 'a', 'x', 'nothing'],
    ['clear: the own one, keeping', rulesOf(CLEAR, 'keep'), undefined, 'a', 'a', 'clear'],
    ['clear: unseen, keeping', rulesOf(CLEAR, 'keep'), undefined, 'a', undefined, 'look'],
    ['clear: one that people wrote over, failing', rulesOf(CLEAR, 'fail'), undefined, 'a', 'x', 'conflict'],
    ['clear and if-empty: the own one', rulesOf(FILL_CLEAR), undefined, 'a', 'a', 'clear'],
    ['clear and if-empty: unseen', rulesOf(FILL_CLEAR), undefined, 'a', undefined, 'clear'],

    ['keep: a new value over the own one', rulesOf('always', 'keep'), 'b', 'a', 'a', 'write'],
    ['keep: a new value, unseen', rulesOf('always', 'keep'), 'b', 'a', undefined, 'look'],
    ['keep: a new value over that of people', rulesOf('always', 'keep'), 'b', 'a', 'x', 'nothing'],
    [
      'keep: a new value where people emptied the field',
      rulesOf('always', 'keep'),
      'b',
      'a',
      null,
      'nothing',
    ],
    ['keep: a first value', rulesOf('always', 'keep'), 'b', null, 'x', 'write'],
    ['keep: a first value, unseen', rulesOf('always', 'keep'), 'b', null, undefined, 'write'],
    ['fail: a new value over that of people', rulesOf('always', 'fail'), 'b', 'a', 'x', 'conflict'],
    ['fail: a new value that people wrote as well', rulesOf('always', 'fail'), 'b', 'a', 'b', 'nothing'],
    ['fail: a new value over the own one', rulesOf('always', 'fail'), 'b', 'a', 'a', 'write'],
    ['fail: the value that was sent', rulesOf('always', 'fail'), 'a', 'a', 'x', 'nothing'],
  ])('%s', (_, rules, source, sent, shown, expected) => {
    const seen = shown === undefined ? null : { ...EMPTY, email: shown };
    const change = contactChange(wanted(source), sentBefore(sent), seen, rules, false);
    const done = change.mustRead
      ? 'look'
      : change.conflicts.length > 0
        ? 'conflict'
        : change.clear.length > 0
          ? 'clear'
          : 'email' in change.write
            ? 'write'
            : 'nothing';
    expect(done).toBe(expected);
    if (expected === 'write') expect(change.write).toEqual({ email: source });
    if (expected === 'clear') expect(change).toMatchObject({ write: {}, clear: ['email'] });
    if (expected === 'conflict') expect(change.conflicts).toEqual(['email']);
  });

  it('a new contact gets all values except those that are never written, and is not checked', () => {
    const rules = optionsOf({ conflict: 'fail', fields: { name: 'if-empty', document: 'never' } });
    const contact = { number: US, name: 'A', email: 'a', document: '1', disableBot: false };
    const change = contactChange(contact, {}, null, rules, true);
    expect(change).toMatchObject({
      write: { name: 'A', email: 'a', disableBot: false },
      clear: [],
      mustRead: false,
    });
    expect(change.write).not.toHaveProperty('document');
  });

  it('a name equal to the number counts as empty, and the bot switch is never empty', () => {
    const rules = optionsOf({ fields: { name: 'if-empty', disableBot: 'if-empty' } });
    const contact = { number: US, name: 'A', disableBot: true };
    expect(contactChange(contact, {}, EMPTY, rules, false).write).toEqual({ name: 'A' });
  });

  it('a value that was not written is written once the rule is always, and is never cleared', () => {
    const left = contactChange(wanted('a'), {}, { ...EMPTY, email: 'x' }, rulesOf('if-empty'), false).sent;
    expect(contactChange(wanted('a'), left, null, rulesOf('if-empty'), false).mustRead).toBe(false);
    expect(contactChange(wanted('a'), left, null, rulesOf('always'), false).write).toEqual({ email: 'a' });
    expect(changesNothing(contactChange(wanted(undefined), left, null, rulesOf(FILL_CLEAR), false))).toBe(
      true,
    );
  });
});

describe('any history of source, people and runs', () => {
  const value = fc.constantFrom('a', 'b', 'c');
  const source = fc.record(
    { name: value, email: value, document: value, disableBot: fc.boolean() },
    { requiredKeys: [] },
  );
  const edit = fc.record(
    {
      name: value,
      email: fc.option(value),
      document: fc.option(value),
      disableBot: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const history = fc.array(fc.record({ source, edit, snapshot: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  });
  const conflict = fc.constantFrom('overwrite' as const, 'keep' as const, 'fail' as const);

  type Shown = Pick<SeenContact, ContactField>;
  interface Change {
    readonly contact: Contact;
    readonly before: Shown;
    readonly after: Shown;
    readonly change: ContactChange;
    /** Fields that Sluice wrote, and whose value is neither that one now nor what the source said last. */
    readonly touched: ReadonlySet<ContactField>;
    /** Fields that Sluice has written, or found to be what the source said. */
    readonly filled: ReadonlySet<ContactField>;
    /** Marks before and after. */
    readonly was: SentMarks;
    readonly sent: SentMarks;
  }

  /** Plays runs of one sync over one contact; a run checks when it must, or because a snapshot showed the contact. */
  function play(
    rules: Rules,
    start: Shown | null,
    steps: { source: Omit<Contact, 'number'>; edit: Partial<Shown>; snapshot: boolean }[],
  ): Change[] {
    let shown: Shown = start ?? EMPTY;
    let isNew = start === null;
    let sent: SentMarks = {};
    const written = new Map<ContactField, unknown>();
    const said = new Map<ContactField, unknown>();
    const filled = new Set<ContactField>();
    return steps.map(({ source, edit, snapshot }, n) => {
      if (!isNew && n > 0) shown = { ...shown, ...edit };
      const contact = { number: US, ...source };
      const before = shown;
      const touched = new Set(
        [...written]
          .filter(([field, own]) => ![own, said.get(field)].includes(before[field]))
          .map(([field]) => field),
      );
      const seen: SeenContact = { ...EMPTY, ...shown };
      let change = contactChange(contact, sent, snapshot && !isNew ? seen : null, rules, isNew);
      if (change.mustRead) change = contactChange(contact, sent, seen, rules, isNew);
      expect(change.mustRead).toBe(false);
      const mine = new Set(filled);
      const was = sent;
      if (change.conflicts.length === 0) {
        const cleared = Object.fromEntries(change.clear.map((field) => [field, null]));
        shown = { ...shown, ...change.write, ...cleared };
        for (const field of CONTACT_FIELDS) {
          // What people wrote and the source says as well is the source's from then on.
          const agreed = change.sent[field] !== sent[field] && shown[field] === contact[field];
          if (field in change.write || agreed) written.set(field, contact[field]);
          if (change.sent[field] === undefined) written.delete(field);
          if (agreed) filled.add(field);
        }
        for (const [field, value] of Object.entries(source)) said.set(field as ContactField, value);
        sent = change.sent;
        isNew = false;
      }
      return { contact, before, after: shown, change, touched, filled: mine, was, sent };
    });
  }
  const start = fc.option(
    fc.record({ name: value, email: fc.option(value), document: fc.option(value), disableBot: fc.boolean() }),
  );
  const check = (rules: fc.Arbitrary<Rules>, each: (step: Change, rules: Rules) => void) =>
    fc.assert(
      fc.property(rules, start, history, (r, from, steps) => {
        for (const step of play(r, from, steps)) each(step, r);
      }),
      { numRuns: 400 },
    );
  const rules = fc.record({ fields, conflict });

  it('never: nothing is written', () => {
    const never = fc.record({
      conflict,
      fields: fc.constant({ name: 'never', email: 'never', document: 'never', disableBot: 'never' } as const),
    });
    check(never, ({ change }) => expect(changesNothing(change)).toBe(true));
  });

  it('overwrite and always: what the source changed is what the service has', () => {
    check(fc.constant({ fields: {}, conflict: 'overwrite' }), ({ contact, after, change, was }) => {
      for (const field of CONTACT_FIELDS) {
        if (contact[field] === undefined) expect(change.sent[field]).toBe(was[field]);
        else expect(change.sent[field]).toBeDefined();
        if (change.sent[field] !== was[field]) expect(after[field]).toBe(contact[field]);
      }
    });
  });

  /** An empty field is filled by its own rule. */
  const stands = (field: ContactField, { fields }: Rules, before: Shown) => {
    const rule = fields[field];
    const fills = rule === 'if-empty' || (typeof rule === 'object' && rule.write === 'if-empty');
    return !(fills && before[field] === null);
  };

  it('keep: no field that people changed is overwritten, cleared, or filled again', () => {
    check(fc.record({ fields, conflict: fc.constant('keep' as const) }), ({ before, after, touched }, r) => {
      for (const field of touched) if (stands(field, r, before)) expect(after[field]).toBe(before[field]);
    });
  });

  it('fail: nothing at all is written to a contact with a conflict', () => {
    check(
      fc.record({ fields, conflict: fc.constant('fail' as const) }),
      ({ before, after, change, touched }, r) => {
        if (change.conflicts.length > 0) expect(after).toEqual(before);
        for (const field of touched) if (stands(field, r, before)) expect(after[field]).toBe(before[field]);
      },
    );
  });

  it('if-empty: no value of the service is replaced', () => {
    const fills = fc.record({
      conflict,
      fields: fc.constant({
        name: 'if-empty',
        email: 'if-empty',
        document: 'if-empty',
        disableBot: 'if-empty',
      } as const),
    });
    check(fills, ({ before, after, change }) => {
      if (before === after || changesNothing(change)) return;
      for (const field of CONTACT_FIELDS) {
        const was = before[field];
        const empty = was === null || was === US || before === EMPTY;
        if (!empty) expect(after[field]).toBe(was);
      }
    });
  });

  it('clear empties only fields that Sluice filled, and only if the rule says so', () => {
    check(rules, ({ change, filled, contact }, { fields }) => {
      for (const field of change.clear) {
        expect(filled).toContain(field);
        expect(contact[field]).toBeUndefined();
        expect(fields[field]).toMatchObject({ clear: true });
      }
    });
  });

  it('the same source again causes no change, whatever people do meanwhile', () => {
    check(rules, ({ contact, change, sent }, r) => {
      if (change.conflicts.length > 0) return;
      expect(changesNothing(contactChange(contact, sent, null, r, false))).toBe(true);
      expect(
        changesNothing(contactChange(contact, sent, { ...EMPTY, name: 'x', email: 'x' }, r, false)),
      ).toBe(true);
    });
  });
});
