// Lists the columns that an expression names, without a row.
import type { Expression } from '../config.ts';
import { jsonataPaths } from './jsonata-paths.ts';

/** Columns and paths, each once. */
export function namedColumns(expression: Expression): readonly string[] {
  return [...new Set(columnsOf(expression))];
}

function columnsOf(expression: Expression): readonly string[] {
  if (typeof expression === 'string') return columnsOfText(expression);
  if (Array.isArray(expression)) return expression.flatMap(columnsOfText);
  const { path, template, jsonata, first = [] } = expression;
  return [
    ...(path === undefined ? [] : [path]),
    ...(template === undefined ? [] : placeholders(template)),
    ...(jsonata === undefined ? [] : paths(jsonata)),
    ...first.flatMap(columnsOfText),
  ];
}

function columnsOfText(text: string): readonly string[] {
  if (text.startsWith('=')) return paths(text.slice(1));
  return text.includes('{{') ? placeholders(text) : [text];
}

function placeholders(template: string): readonly string[] {
  return [...template.matchAll(/\{\{(.*?)\}\}/gs)].map(([, name = '']) => name.trim());
}

function paths(source: string): readonly string[] {
  return jsonataPaths(source).map((path) => path.join('.'));
}
