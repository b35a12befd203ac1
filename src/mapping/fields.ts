// The parts of a record: contact, tags, extra fields and card, each compiled to a function over the row.

import type { CrmRecord, ExtraField, RecordCard } from '../core/record.ts';
import { requireSafeName } from './columns.ts';
import type { MappingConfig } from './config.ts';
import { toDate } from './dates.ts';
import { type ExpressionCompiler, type RowView, tableReader } from './expression/expression.ts';
import { compileNumber } from './number.ts';
import { field, line, type Part, type Report } from './parts.ts';
import type { PhoneRules } from './phone/index.ts';
import { byCodeUnit, isEmpty, oneLine, toText } from './text.ts';
import { isYes, sortedUnique, toBoolean, toCustomValue, toEmail, toId, toStage, toTexts } from './values.ts';

/** The number is empty if it is unreadable, which is always reported: it is the identity. */
export function compileContact(
  config: MappingConfig['contact'],
  rules: PhoneRules,
  compiler: ExpressionCompiler,
): Part<CrmRecord['contact']> {
  const optional = <T>(
    key: 'name' | 'email' | 'document' | 'disableBot',
    convert: (value: unknown) => T,
    kind?: 'warning',
  ) => {
    const expression = config[key];
    return expression === undefined
      ? undefined
      : field(`contact.${key}`, compiler.compile(expression, ['contact', key]), convert, kind);
  };
  const number = compileNumber(config, ['contact'], rules, compiler);
  const name = optional('name', line);
  const email = optional('email', toEmail, 'warning');
  const document = optional('document', line);
  const disableBot = optional('disableBot', toBoolean);
  return (row, report) => {
    const contact: CrmRecord['contact'] = { number: number(row, report) ?? '' };
    const found = {
      name: name?.(row, report),
      email: email?.(row, report),
      document: document?.(row, report),
      disableBot: disableBot?.(row, report),
    };
    if (found.name !== undefined) contact.name = found.name;
    if (found.email !== undefined) contact.email = found.email;
    if (found.document !== undefined) contact.document = found.document;
    if (found.disableBot !== undefined) contact.disableBot = found.disableBot;
    return contact;
  };
}

/** Each entry yields one or more tags. `split` comes before `map`, so that each part is looked up by itself. */
export function compileTags(
  entries: MappingConfig['tags'],
  compiler: ExpressionCompiler,
  key = 'tags',
): Part<string[]> {
  const parts = entries.map((entry, index) => {
    const at = [key, String(index)];
    if (typeof entry === 'string') {
      const read = compiler.compile(entry, at);
      return field(at.join('.'), read, (value) => toTexts(value, undefined));
    }
    const { split, map, default: fallback, ...expression } = entry;
    const read = compiler.compile(expression, at);
    const lookUp = map ? tableReader(map, fallback !== undefined) : undefined;
    const name = at.join('.');
    const texts = field(name, read, (value) => toTexts(value, split));
    const found: Part<unknown[] | undefined> = (row, report) => {
      const words = texts(row, report);
      if (lookUp === undefined) return words;
      // A word without an entry costs its tag alone, neither the other tags nor the row.
      return words?.map((word) => {
        const alone = Object.assign(() => word, { columns: read.columns });
        return field(name, alone, lookUp, 'warning')(row, report) ?? fallback;
      });
    };
    return (row: RowView, report: Report) => {
      const words = found(row, report);
      return words && toTexts(words.length > 0 ? words : fallback, undefined);
    };
  });
  return (row, report) => sortedUnique(parts.flatMap((part) => (part(row, report) ?? []).map(oneLine)));
}

export function compileExtraInfo(
  config: MappingConfig['extraInfo'],
  compiler: ExpressionCompiler,
): Part<ExtraField[]> {
  const names = Object.keys(config).sort(byCodeUnit);
  const parts = names.map((name) => {
    const at = ['extraInfo', name];
    requireSafeName(name, at);
    const read = compiler.compile(config[name] ?? name, at);
    return { name, value: field(at.join('.'), read, toText, 'warning') };
  });
  return (row, report) => {
    const fields: ExtraField[] = [];
    for (const part of parts) {
      const value = part.value(row, report);
      if (value !== undefined) fields.push({ name: part.name, value });
    }
    return fields;
  };
}

export function compileCard(
  config: NonNullable<MappingConfig['card']>,
  dateOrder: MappingConfig['dateOrder'],
  compiler: ExpressionCompiler,
): Part<RecordCard | undefined> {
  const part = <T>(
    key: 'when' | 'stage' | 'title' | 'expectedCloseDate',
    convert: (value: unknown, row: RowView) => T,
    kind?: 'warning',
  ) => {
    const expression = config[key];
    return expression === undefined
      ? undefined
      : field(`card.${key}`, compiler.compile(expression, ['card', key]), convert, kind);
  };
  const when = part('when', isYes);
  const stage = part('stage', toStage);
  const title = part('title', line, 'warning');
  const closeDate = part(
    'expectedCloseDate',
    (value, row) => {
      const text = toText(value);
      const order = dateOrder === undefined || dateOrder === 'auto' ? (row.dates ?? 'open') : dateOrder;
      return text === undefined ? undefined : toDate(text, order);
    },
    'warning',
  );
  const { source } = config;
  const sourceId =
    typeof source === 'object'
      ? field('card.source', compiler.compile(source, ['card', 'source']), toId, 'warning')
      : () => source;
  const customFields = Object.entries(config.customFields).map(([name, expression]) => {
    const at = ['card', 'customFields', name];
    requireSafeName(name, at);
    return { name, value: field(at.join('.'), compiler.compile(expression, at), toCustomValue, 'warning') };
  });
  return (row, report) => {
    if (when && !when(row, report)) return undefined;
    const card: RecordCard = { pipeline: config.pipeline, customFields: {} };
    const found = {
      stage: stage?.(row, report),
      sourceId: sourceId(row, report),
      title: title?.(row, report),
      expectedCloseDate: closeDate?.(row, report),
    };
    if (found.stage !== undefined) card.stage = found.stage;
    if (found.sourceId !== undefined) card.sourceId = found.sourceId;
    if (found.title !== undefined) card.title = found.title;
    if (found.expectedCloseDate !== undefined) card.expectedCloseDate = found.expectedCloseDate;
    for (const { name, value } of customFields) {
      const found = value(row, report);
      if (!isEmpty(found)) card.customFields[name] = found;
    }
    return card;
  };
}
