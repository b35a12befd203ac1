// Cards: list with filters, create, get, move between stages (API text, "Cards").
import { Problem } from '../http/errors.ts';
import { type Call, isMissing, ok, pathId, type Reply, type Route } from '../http/route.ts';
import { cardView } from '../http/views.ts';
import * as operations from '../openapi/cards.ts';
import { idIn } from '../openapi/inputs.ts';
import { LIST_PAGE } from '../openapi/parameters.ts';
import { createCard } from '../rules/card-create.ts';
import { matchingCards } from '../rules/card-filter.ts';
import { page, paged } from '../rules/query.ts';
import type { Card } from '../state/model.ts';

function findCard(call: Call): Card {
  const card = call.account.tables.card.get(pathId(call, 'cardId'));
  if (card === undefined) throw new Problem('ERR_NO_CARD_FOUND');
  return card;
}

function list({ account, query, choices }: Call): Reply {
  const cards = matchingCards(account, query, choices);
  const window = paged(cards, page(query, LIST_PAGE));
  const total = cards.reduce((sum, card) => sum + card.value, 0);
  return ok({
    count: window.count,
    hasMore: window.hasMore,
    // Rounded to six decimals, so that 0.1 + 0.2 is 0.3.
    totalValue: Math.round(total * 1e6) / 1e6,
    cards: window.items.map((card) => cardView(account, card, choices)),
  });
}

function create(call: Call): Reply {
  const { card, ignored } = createCard(call);
  return {
    status: call.choices.cardCreatedStatus,
    body: {
      [call.choices.wrappers.card]: cardView(call.account, card, call.choices),
      ...(ignored.length === 0 ? {} : { ignoredCustomFields: ignored }),
    },
  };
}

const get = (call: Call): Reply =>
  ok({ [call.choices.wrappers.card]: cardView(call.account, findCard(call), call.choices) });

/** PATCH /v1/cards/{cardId}/stage: a final stage closes the card as won or lost, any other opens it. */
function move(call: Call): Reply {
  const { account, at } = call;
  const old = findCard(call);
  const stageId = call.body['stageId'];
  if (isMissing(stageId)) throw new Problem('ERR_STAGE_REQUIRED');
  const id = idIn(stageId);
  const target = id === undefined ? undefined : account.stage(id);
  if (target === undefined) throw new Problem('ERR_STAGE_NOT_FOUND');
  if (target.pipelineId !== old.pipelineId) throw new Problem('ERR_STAGE_NOT_IN_PIPELINE');
  const { stage } = target;
  const status = stage.isFinal ? (stage.isWon ? 'won' : 'lost') : 'open';
  const entered = stage.id === old.stageId ? old.stageEnteredAt : at;
  const card: Card = {
    ...old,
    stageId: stage.id,
    stageEnteredAt: entered,
    status,
    closedAt: status === 'open' ? null : status === old.status && old.closedAt !== null ? old.closedAt : at,
    lostReasonId: status === 'lost' ? old.lostReasonId : null,
    updatedAt: at,
  };
  call.store.commit([['card', account.id, card]]);
  call.board.publish(account.id, card, old);
  return ok({ card: cardView(account, card, call.choices) });
}

export const cardRoutes: readonly Route[] = [
  { method: 'get', path: '/v1/cards', scope: 'cards:read', operation: operations.listCards, handle: list },
  {
    method: 'post',
    path: '/v1/cards',
    scope: 'cards:write',
    operation: operations.createCard,
    handle: create,
  },
  {
    method: 'get',
    path: '/v1/cards/:cardId',
    scope: 'cards:read',
    operation: operations.getCard,
    handle: get,
  },
  {
    method: 'patch',
    path: '/v1/cards/:cardId/stage',
    scope: 'cards:write',
    operation: operations.moveCard,
    handle: move,
  },
];
