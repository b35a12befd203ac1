// Paging by a cursor or a link in each answer.
import { createHash } from 'node:crypto';
import { SourceError } from '../../../core/source.ts';
import type { HttpPagination } from './config.ts';
import { readYes } from './http-answers.ts';
import { at } from './json-path.ts';
import type { Ask, Listing, Pager } from './pager.ts';

/** Maximum length of a cursor. Every page stores its cursor. */
const MAX_TOKEN = 4096;

interface TokenAt {
  /** Cursor, or path with query. Null on the first page. */
  readonly token: string | null;
  /**
   * Hash of an earlier token and how many pages ago it was. It moves on at powers of two, so it detects any loop
   * (Brent).
   */
  readonly mark: string | null;
  readonly steps: number;
  readonly reach: number;
}

type TokenPagination = Extract<HttpPagination, { type: 'cursor' | 'link' }>;

/** @param url the first page's address; links must stay on its origin */
export function tokenPager(pagination: TokenPagination, url: string): Pager {
  const first: TokenAt = { token: null, mark: null, steps: 0, reach: 1 };
  return {
    first: { ...first },
    ask(state) {
      const { token } = state as unknown as TokenAt;
      return askOf(pagination, token);
    },
    take(state, listing) {
      const place = state as unknown as TokenAt;
      const token =
        pagination.type === 'link'
          ? linkOf(pagination.next, listing, url)
          : cursorOf(pagination, listing, url);
      const next = token === null ? null : advance(place, token, url);
      return { fresh: listing.items, next: next === null ? null : { ...next } };
    },
  };
}

function askOf(pagination: TokenPagination, token: string | null): Ask {
  const { sizeParam, size } = pagination;
  const params = sizeParam === undefined || size === undefined ? {} : { [sizeParam]: size };
  if (token === null) return { params };
  if (pagination.type === 'link') return { params: {}, target: token };
  return { params: { ...params, [pagination.cursorParam]: token } };
}

function cursorOf(
  pagination: Extract<HttpPagination, { type: 'cursor' }>,
  { body }: Listing,
  url: string,
): string | null {
  const more = pagination.hasMore === undefined ? undefined : readYes(at(body, pagination.hasMore));
  if (more === false) return null;
  const found = at(body, pagination.next);
  if (found === undefined || found === null || found === '' || found === false) {
    if (more !== true) return null;
    throw bad(url, `it says that more rows follow, but has no cursor at ${JSON.stringify(pagination.next)}`);
  }
  if (typeof found === 'number' && !Number.isSafeInteger(found)) {
    throw bad(url, 'its cursor is a number too large to store exactly; request it as text');
  }
  if (typeof found !== 'string' && typeof found !== 'number') {
    throw bad(url, `its value at ${JSON.stringify(pagination.next)} is not a cursor`);
  }
  return String(found);
}

/** Path and query of the next page. */
function linkOf(path: string | undefined, { body, linkHeader }: Listing, url: string): string | null {
  const found = path === undefined ? nextLink(linkHeader) : at(body, path);
  if (found === undefined || found === null || found === '' || found === false) return null;
  if (typeof found !== 'string' || !URL.canParse(found, url))
    throw bad(url, 'its link to the next page is not a URL');
  const link = new URL(found, url);
  // The next request carries the secret, which must not go to another host.
  if (link.origin !== new URL(url).origin) {
    throw bad(
      url,
      `its link to the next page leads to another host (${link.origin}), which Sluice does not follow`,
    );
  }
  return `${link.pathname}${link.search}`;
}

function advance({ token: sent, mark, steps, reach }: TokenAt, token: string, url: string): TokenAt {
  if (token.length > MAX_TOKEN) throw bad(url, 'its cursor is longer than 4,096 characters');
  const own = createHash('sha256').update(token).digest('base64url').slice(0, 16);
  if (token === sent || own === mark) {
    const message = `source ${url}: its pages go round in a circle: a page names itself or an earlier one as the next; check \`pagination\``;
    throw new SourceError('endless', message);
  }
  return steps + 1 === reach
    ? { token, mark: own, steps: 0, reach: reach * 2 }
    : { token, mark, steps: steps + 1, reach };
}

/** The target of rel="next" in a Link header (RFC 8288, section 3). Brackets and quotes may contain any text. */
export function nextLink(header: string | null): string | null {
  for (const [, target = '', params = ''] of (header ?? '').matchAll(LINK)) {
    const rel = [...params.matchAll(PARAM)].find(([, name = '']) => name.toLowerCase() === 'rel');
    const names = (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
    if (names.includes('next')) return target;
  }
  return null;
}

const LINK = /<([^>]*)>((?:[ \t]*;[ \t]*[\w!#$&+.^`|~*-]+(?:=(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAM = /;[ \t]*([\w!#$&+.^`|~*-]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

function bad(url: string, what: string): SourceError {
  return new SourceError('bad_answer', `source ${url}: ${what}`);
}
