// The readable page of the document: grouped by resource, one article for each operation. Made of the document alone,
// so it cannot say anything else. Everything is text on the page, so the browser's own search finds it.
import type { OpenApiDocument } from './document.ts';
import { Html, html } from './html.ts';
import type { Json } from './json-schema.ts';
import { curlOf, type Field, fieldsOf, limitsOf, Resolver, typeOf } from './page-schema.ts';
import { STYLE } from './page-style.ts';

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
}

/** @param baseUrl Where the reader reaches the server; shown in the examples. */
export function docsPage(document: OpenApiDocument, baseUrl: string): string {
  const resolver = new Resolver(document);
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Listed => ({ method, path, operation })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    listed: all.filter(({ operation }) => (operation['tags'] as string[])[0] === tag.name),
  }));
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}</title><style>${STYLE_SHEET}</style></head><body><div class="layout">
<nav aria-label="Operations"><a href="#top"><b>Overview</b></a>
${groups.map(({ name, listed }) => html`<h2>${name}</h2><ul>${listed.map(navItem)}</ul>`)}</nav>
<main id="top"><h1>${document.info.title}</h1>
${document.info.description.split('\n\n').map((text) => html`<p>${text}</p>`)}
<p>The same as a file: <a href="openapi.json">openapi.json</a>, OpenAPI ${String(document['openapi'])}. For the examples:</p>
<pre>export BASE_URL=${baseUrl}
export TOKEN=svc_test_…</pre>
${groups.map(
  ({ name, description, listed }) => html`<section><h2>${name}</h2><div class="dim">${description}</div>
${listed.map((one) => article(one, resolver))}</section>`,
)}
</main></div></body></html>
`;
  return page.text;
}

const STYLE_SHEET = new Html(STYLE);

const anchor = (operation: Json) => String(operation['operationId']);
const navItem = ({ operation }: Listed) =>
  html`<li><a href="#${anchor(operation)}">${String(operation['summary'])}</a></li>`;

function article({ method, path, operation }: Listed, resolver: Resolver): Html {
  const responses = Object.entries(operation['responses'] as { [status: string]: Json });
  return html`<article id="${anchor(operation)}"><h3><a href="#${anchor(operation)}">${String(operation['summary'])}</a></h3>
<div class="route"><span class="method ${method}">${method}</span><code>${path}</code></div>
<p>${String(operation['description'])
    .split('`')
    .map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}</p>
${parameterTables(operation)}
${bodyTables(operation, resolver)}
<h4>Example</h4><pre>${curlOf(method, path, operation)}</pre>
<h4>Answers</h4>${responses.map(([status, response]) => answer(status, resolver.resolve(response), resolver))}
</article>
`;
}

function parameterTables(operation: Json): Html[] {
  const parameters = (operation['parameters'] ?? []) as Json[];
  return ['path', 'query', 'header'].flatMap((place) => {
    const here = parameters.filter((each) => each['in'] === place);
    if (here.length === 0) return [];
    const fields = here.map(({ name, required, description, schema }): Field => {
      const words = [description, limitsOf(schema as Json)].filter(Boolean).join(' ');
      return {
        name: String(name),
        depth: 0,
        type: typeOf(schema as Json),
        isRequired: required === true,
        description: words,
      };
    });
    return [html`<h4>In the ${place}</h4>${table(fields)}`];
  });
}

function bodyTables(operation: Json, resolver: Resolver): Html[] {
  const body = operation['requestBody'] as { content: { [type: string]: Json } } | undefined;
  return Object.entries(body?.content ?? {}).map(([type, { schema }]) => {
    const fields = fieldsOf(schema as Json, resolver);
    const about = (schema as Json)['description'];
    return html`<h4>Body, <code>${type}</code></h4>${fields.length === 0 ? html`<p>${String(about ?? 'Any JSON.')}</p>` : table(fields)}`;
  });
}

/** What a caller must send is marked; of an answer, what may be missing. */
const table = (fields: readonly Field[], isAnswer = false) => {
  const mark = ({ isRequired, depth }: Field) => {
    if (isAnswer) return isRequired ? null : html` <span class="dim">not always</span>`;
    return isRequired && depth === 0 ? html` <span class="needed">required</span>` : null;
  };
  return html`<table>${fields.map(
    (field) =>
      html`<tr><td style="padding-left:${field.depth * 1.1}rem"><code>${field.name}</code>${mark(field)}</td><td class="dim"><code>${field.type}</code></td><td>${field.description}</td></tr>`,
  )}</table>`;
};

/** A success with its fields and an example; a refusal with an example for each code. */
function answer(status: string, response: Json, resolver: Resolver): Html {
  const content = (response['content'] as { 'application/json': Json })['application/json'];
  const examples = Object.values((content['examples'] ?? {}) as { [code: string]: { value: unknown } });
  const isGood = Number(status) < 400;
  const bodies =
    examples.length > 0
      ? examples.map(({ value }) => JSON.stringify(value))
      : [JSON.stringify(content['example'], null, 2)];
  return html`<details class="${isGood ? 'good' : 'bad'}"><summary><b>${status}</b> ${String(response['description'])}</summary>
${isGood ? table(fieldsOf(content['schema'] as Json, resolver), true) : null}<pre>${bodies.join('\n')}</pre></details>
`;
}
