// Operations of cards, pipelines and lost reasons (API text, "Cards").
import { z } from 'zod';
import type { Choices } from '../choices.ts';
import { cardBody, Id, MoveBody } from './inputs.ts';
import type { Operation } from './operation.ts';
import { cardQuery } from './parameters.ts';
import { Card, Named, Pipeline, paging } from './wire.ts';

const path = z.object({ cardId: Id });

export const listCards = (choices: Choices): Operation => ({
  id: 'listCards',
  group: 'Cards',
  summary: 'List cards',
  description:
    'Filters add up. To count the cards of a stage, ask for pageSize=1 and read count. A range the wrong way round is empty, not an error.',
  query: cardQuery(choices),
  answers: {
    200: {
      description: 'One page.',
      body: {
        ...paging,
        totalValue: z.number().meta({ description: 'Sum over all cards that match.', examples: [10] }),
        cards: z.array(Card),
      },
    },
  },
  errors: ['ERR_INVALID_DATE_FILTER'],
});

export const createCard = (choices: Choices): Operation => ({
  id: 'createCard',
  group: 'Cards',
  summary: 'Create a card',
  description: 'Not idempotent: a repeat makes a second card.',
  body: cardBody(choices),
  answers: {
    [choices.cardCreatedStatus]: {
      description: 'The new card.',
      body: {
        [choices.wrappers.card]: Card,
        ignoredCustomFields: z
          .array(z.string())
          .optional()
          .meta({
            description: 'Present only when a custom field was left out.',
            examples: [['color']],
          }),
      },
    },
  },
  errors: [
    'ERR_CONTACT_IDENTIFIER_REQUIRED',
    'ERR_NO_CONTACT_FOUND',
    'ERR_NUMBER_INVALID',
    'ERR_PIPELINE_NOT_FOUND',
    'ERR_STAGE_NOT_FOUND',
    'ERR_STAGE_NOT_IN_PIPELINE',
    'ERR_SOURCE_NOT_FOUND',
    'ERR_SOURCE_REQUIRED_FOR_STAGE',
    'ERR_INVALID_BODY',
  ],
});

export const getCard = ({ wrappers }: Choices): Operation => ({
  id: 'getCard',
  group: 'Cards',
  summary: 'Get a card',
  path,
  answers: { 200: { description: 'The card.', body: { [wrappers.card]: Card } } },
  errors: ['ERR_NO_CARD_FOUND'],
});

export const moveCard = (): Operation => ({
  id: 'moveCard',
  group: 'Cards',
  summary: 'Move a card to a stage',
  description: 'A final stage closes the card as won or lost; any other opens it.',
  path,
  body: MoveBody,
  answers: { 200: { description: 'The card in its new stage.', body: { card: Card } } },
  errors: ['ERR_NO_CARD_FOUND', 'ERR_STAGE_REQUIRED', 'ERR_STAGE_NOT_FOUND', 'ERR_STAGE_NOT_IN_PIPELINE'],
});

export const listPipelines = ({ wrappers }: Choices): Operation => ({
  id: 'listPipelines',
  group: 'Cards',
  summary: 'List all pipelines with their stages',
  description: 'Without pages, by id.',
  answers: { 200: { description: 'All of them.', body: { [wrappers.pipelines]: z.array(Pipeline) } } },
  errors: [],
});

export const listLostReasons = ({ wrappers }: Choices): Operation => ({
  id: 'listLostReasons',
  group: 'Cards',
  summary: 'List all lost reasons',
  description: 'Without pages, by id.',
  answers: { 200: { description: 'All of them.', body: { [wrappers.lostReasons]: z.array(Named) } } },
  errors: [],
});
