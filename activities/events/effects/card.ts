// Steps on an event's card: find the open one, and move it.

import type { Queryable } from '../../../src/core/sql/database.ts';
import { type CatalogPipeline, pick, readCatalog } from '../../../src/core/store/catalog.ts';
import type { EffectResult, RequestOf } from '../../../src/jobs/events/contract/intake.ts';
import { noteMovedCard } from '../../../src/jobs/events/store/effect-notes.ts';
import { noteProgress } from '../../../src/jobs/events/store/events.ts';
import { callApi } from '../../shared/api-call.ts';
import type { Deps } from '../../shared/deps.ts';
import { refusal } from '../../shared/failures.ts';
import { CARDS, newest, withContact } from '../../shared/person-lists.ts';
import { readBack, type Seen } from '../../shared/read-back.ts';
import { wholeList } from '../../shared/whole-list.ts';
import { writeOnce } from '../../shared/write-once.ts';
import {
  type Effect,
  type EffectInput,
  failEvent,
  finish,
  isSent,
  personOf,
  runEffect,
  subjectOf,
} from './effect.ts';

/** Ids of pipeline and stage, or why the account has none with these names. */
type Place =
  | { readonly pipeline: number | null; readonly stage: number }
  | { readonly code: string; readonly reason: string };

const STEPS = { call: 'moveCard', readBack: 'readBackMove' } as const;

export function createCardEffects(deps: Deps) {
  const { db } = deps;

  return {
    /** GET /v1/cards?contactId=&pipelineId=&status=open: finds the newest open card. */
    async findOpenCard(input: EffectInput): Promise<EffectResult> {
      return await runEffect(deps, 'findOpenCard', ['stage'], input, async (c) => {
        const { request, progress, event } = c;
        if ('card' in request.of) throw new Error('an event about a card has none to find');
        // If the card has already been moved, an open card found now would be a different one.
        if (progress.card !== undefined && isSent(c)) return { next: 'readBackMove' };
        const place = await placeOf(c);
        if ('code' in place) return await failEvent(deps, c, place.code, place.reason);
        const seen = progress.contact?.id;
        const contactId = seen ?? (await personOf(db, event.account, request.of.key))?.remote_id;
        if (contactId == null) return { next: 'findContact' };
        const query = { contactId, pipelineId: place.pipeline ?? undefined, status: 'open', pageSize: 100 };
        const list = await callApi(deps, c.account, c.run, 'cards:read', (client, options) =>
          client.cards.list(query, options),
        );
        const asked = withContact(contactId, place.pipeline, 'findOpenCard');
        const cards = wholeList(CARDS, list, asked);
        const card = newest(cards.filter(({ status }) => status === 'open'));
        if (card === undefined) {
          // The contact in the ledger may have been deleted and created again.
          if (seen === undefined) return { next: 'findContact' };
          const reason = 'the contact has no open card in this pipeline';
          return await failEvent(deps, c, 'NO_OPEN_CARD', reason);
        }
        const stage = card.stage?.id ?? null;
        if (stage === place.stage) return await finish(deps, db, event.id, { outcome: 'unchanged' });
        await noteProgress(db, event.id, { card: { id: card.id, stage } });
        return { next: 'moveCard' };
      });
    },

    /**
     * PATCH /v1/cards/{cardId}/stage. The move runs the stage's automations, so after a lost response it is read back
     * first.
     */
    async moveCard(input: EffectInput): Promise<EffectResult> {
      return await runEffect(deps, 'moveCard', ['stage'], input, async (c) => {
        const place = await placeOf(c);
        if ('code' in place) return await failEvent(deps, c, place.code, place.reason);
        const card = cardOf(c);
        return await writeOnce(
          deps,
          subjectOf(deps, c, 'event-move', STEPS),
          {
            scope: 'cards:write',
            call: (client, options) => client.cards.move(card, place.stage, options),
            accepted: (_, __, intent) => db.transaction((tx) => moved(tx, c, card, place.stage, intent)),
          },
          c.intent,
        );
      });
    },

    /** GET /v1/cards/{cardId}: checks whether the move took effect. */
    async readBackMove(input: EffectInput): Promise<EffectResult> {
      return await runEffect(deps, 'readBackMove', ['stage'], input, async (c) => {
        const place = await placeOf(c);
        const find = async (): Promise<Seen<EffectResult>> => {
          const id = cardOf(c);
          const card = await callApi(deps, c.account, c.run, 'cards:read', (client, options) =>
            client.cards.get(id, options),
          );
          const now = card?.stage?.id ?? null;
          const { card: before } = c.progress;
          // A third stage means that somebody has moved the card since. Their choice is kept.
          const left = before !== undefined && now !== before.stage;
          if (left || ('stage' in place && now === place.stage))
            return (tx, intent) => moved(tx, c, id, now, intent);
          // The stage before the call is not known, so record the current one for later read-backs.
          if (before === undefined) await noteProgress(db, c.event.id, { card: { id, stage: now } });
          return 'absent';
        };
        return await readBack(deps, subjectOf(deps, c, 'event-move', STEPS), c.intent, { find });
      });
    },
  };

  async function moved(
    tx: Queryable,
    { event }: Effect<'stage'>,
    card: number,
    stage: number | null,
    intent: number,
  ): Promise<EffectResult> {
    await noteMovedCard(tx, event.account, card, stage);
    return await finish(deps, tx, event.id, { outcome: 'done' }, { intent });
  }

  /** Resolves the pipeline and stage that the event names. */
  async function placeOf({ request, event, step }: Effect<'stage'>): Promise<Place> {
    const { pipeline, stage } = request;
    const byName = typeof stage === 'string' || typeof pipeline === 'string';
    if (!byName) return { pipeline: pipeline ?? null, stage };
    const catalog = await readCatalog(db, event.account, 'pipelines');
    if (catalog === null)
      throw refusal('CATALOG_UNREAD', "the account's pipelines have not been read", { scope: 'step', step });
    const found = pipeline === undefined ? null : pick(catalog, pipeline);
    if (found === null) return unknownPipeline(catalog, pipeline);
    const there = pick(found.stages, stage);
    if (there !== null) return { pipeline: found.id, stage: there.id };
    // The stage may be newer than the list.
    if (typeof stage === 'number') return { pipeline: found.id, stage };
    const reason = `the pipeline "${found.name}" has no stage ${JSON.stringify(stage)}; it has ${namesOf(found.stages)}`;
    return { code: 'UNKNOWN_STAGE', reason };
  }
}

function unknownPipeline(catalog: readonly CatalogPipeline[], wanted: RequestOf<'stage'>['pipeline']): Place {
  const what =
    wanted === undefined
      ? 'a stage by name needs the pipeline of the route'
      : `the account has no pipeline ${JSON.stringify(wanted)}`;
  return { code: 'UNKNOWN_PIPELINE', reason: `${what}; it has ${namesOf(catalog)}` };
}

const namesOf = (items: readonly { readonly name: string }[]) =>
  items.map(({ name }) => JSON.stringify(name)).join(', ') || 'none';

function cardOf({ request, progress }: Effect<'stage'>): number {
  if ('card' in request.of) return request.of.card;
  if (progress.card === undefined) throw new Error('the step needs a card from an earlier step');
  return progress.card.id;
}
