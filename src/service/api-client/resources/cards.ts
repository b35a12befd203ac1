// Cards (API text, Endpoints, Cards).
import { z } from 'zod';
import { checkArguments, queryText, route } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import type { ApiResult, Call, CallOptions } from '../call.ts';
import { placed } from '../field-spec.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { MAX_PAGE_SIZE } from '../page-cursor.ts';
import { type IterateOptions, iteratePages } from '../paging.ts';
import { cardWrapper, readCard } from '../readers.ts';
import { Card, type CardCreate, CardQuery } from '../schemas/card.ts';
import { type Page, read, readPage, readShown } from '../shapes.ts';

const LIST = '/v1/cards';
const ONE = '/v1/cards/{cardId}';

export interface CardPage extends Page<Card> {
  /** Sum of `value` over all cards that match, on all pages. */
  readonly totalValue: number;
}

/** A written card. The answer may contain a word or an id instead of the card. */
export interface WrittenCard {
  /** Null if the answer does not show it. The write succeeded. */
  readonly card: Card | null;
  /** Null if the answer does not show it either. */
  readonly id: number | null;
}

export interface CreatedCard extends WrittenCard {
  /** Technical names of the custom fields that the service ignored. */
  readonly ignoredCustomFields: readonly string[];
}

const CREATE_INPUTS = [
  ['title', 'card.titleField'],
  ['expectedCloseDate', 'card.expectedCloseDateField'],
  ['contactName', 'card.contactNameField'],
] as const;

const Totals = z.object({ totalValue: z.number() });

/** The API text does not show the form of this list. Whatever its form, the created card must not fail. */
function fieldNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.map((item: unknown) => {
      if (typeof item === 'string') return item;
      return isObject(item) && typeof item.name === 'string' ? item.name : JSON.stringify(item);
    });
  }
  return isObject(value) ? Object.keys(value) : [];
}

export class CardsResource {
  readonly #call: Call;
  readonly #assumptions: Assumptions;

  constructor(call: Call, assumptions: Assumptions) {
    this.#call = call;
    this.#assumptions = assumptions;
  }

  /**
   * One page. GET /v1/cards, scope cards:read. Date filters take a Date or ISO 8601 with offset; both
   * limits are inclusive. To count cards without paging, use `pageSize: 1` and read `count`.
   */
  async list(query: CardQuery = {}, options?: CallOptions): Promise<ApiResult<CardPage>> {
    const { title, sortDirection, ...rest } = checkArguments(CardQuery, query);
    const params = {
      ...rest,
      [this.#assumptions['cards.titleSearchParam']]: title,
      [this.#assumptions['cards.sortDirectionParam']]: sortDirection,
    };
    return this.#call(
      {
        method: 'GET',
        route: route(LIST),
        query: queryText(params),
        inputs: [
          ...(title === undefined ? [] : (['cards.titleSearchParam'] as const)),
          ...(sortDirection === undefined ? [] : (['cards.sortDirectionParam'] as const)),
        ],
        read: (body) => ({ ...readPage(Card, body, 'cards'), ...read(Totals, body, '') }),
      },
      options,
    );
  }

  /**
   * Yields all cards that match, each once, even while the list changes. `pageSize` (20 to 100) is the largest page
   * requested. The deadline and the signal apply to each call.
   *
   * @example for await (const card of client.cards.iterate({ pipelineId: 1, status: ['open', 'lost'] })) …
   */
  iterate(query: Omit<CardQuery, 'pageNumber'> = {}, options: IterateOptions = {}): AsyncGenerator<Card> {
    return iteratePages({
      endpoint: LIST,
      pageSize: query.pageSize ?? MAX_PAGE_SIZE.cards,
      maxPageSize: MAX_PAGE_SIZE.cards,
      keyOf: ({ id }) => id,
      fetchPage: (window) => this.list({ ...query, ...window }, options),
      onInvalid: options.onInvalid,
    });
  }

  /**
   * Creates a card. POST /v1/cards, scope cards:write. Not idempotent: see `isAmbiguous` before
   * repeating one that failed.
   */
  async create(input: CardCreate, options?: CallOptions): Promise<ApiResult<CreatedCard>> {
    const { title, expectedCloseDate, contactName, ...rest } = input;
    const assumed = this.#assumptions;
    const inputs = placed([
      [assumed['card.titleField'], title],
      [assumed['card.expectedCloseDateField'], expectedCloseDate],
      [assumed['card.contactNameField'], contactName],
    ]);
    const body = { ...rest, ...inputs };
    return this.#call(
      {
        method: 'POST',
        route: route(LIST),
        body,
        inputs: CREATE_INPUTS.filter(([field]) => input[field] !== undefined).map(([, key]) => key),
        read: (answer) => ({
          ...this.#written(answer),
          ignoredCustomFields: fieldNames(answer.ignoredCustomFields),
        }),
      },
      options,
    );
  }

  /** GET /v1/cards/{cardId}, scope cards:read. */
  async get(id: number, options?: CallOptions): Promise<ApiResult<Card>> {
    return this.#call(
      { method: 'GET', route: route(ONE, { cardId: id }), read: (body) => readCard(body, this.#assumptions) },
      options,
    );
  }

  /**
   * Moves a card to a stage of its pipeline, with all automations; a final stage closes it.
   * PATCH /v1/cards/{cardId}/stage, scope cards:write.
   */
  async move(id: number, stageId: number, options?: CallOptions): Promise<ApiResult<WrittenCard>> {
    return this.#call(
      {
        method: 'PATCH',
        route: route(`${ONE}/stage`, { cardId: id }),
        body: { stageId },
        read: (body) => this.#written(body),
      },
      options,
    );
  }

  #written(body: JsonObject): WrittenCard {
    const { record, id } = readShown(Card, body, cardWrapper(body, this.#assumptions));
    return { card: record, id };
  }
}
