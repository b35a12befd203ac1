// Codes of the messaging service.
import type { CodeArea } from './area.ts';

export const SERVICE_CODES: readonly CodeArea[] = [
  {
    title: 'The service',
    about: 'Codes of the messaging API. The service may add codes; Sluice shows them as they are.',
    codes: [
      [
        'ERR_TOKEN_MISSING',
        '401: the request has no token.',
        'Check proxies that remove the Authorization header.',
      ],
      [
        'ERR_TOKEN_INVALID',
        '401: the service does not know the token.',
        '[Replace the token](../how-to/rotate-a-token.md).',
      ],
      [
        'ERR_TOKEN_REVOKED',
        '401: someone revoked the token.',
        '[Replace the token](../how-to/rotate-a-token.md).',
      ],
      [
        'ERR_TOKEN_EXPIRED',
        '401: the validity of the token is over.',
        '[Replace the token](../how-to/rotate-a-token.md).',
      ],
      [
        'ERR_SCOPE_MISSING',
        '403: the token lacks a scope, which `requiredScope` names.',
        'Give the token the scope.',
      ],
      [
        'ERR_RATE_LIMITED',
        '429: the token made too many calls. Sluice waits as long as the service asks.',
        'None.',
      ],
      ['ERR_FEATURE_NOT_AVAILABLE', '403: the plan of the account lacks the feature.', 'Change the plan.'],
      [
        'ERR_STORAGE_LIMIT_REACHED',
        '403: the storage of the instance is full, so it accepts no files.',
        'Free some storage.',
      ],
      ['ERR_MISSING_CONTENT', '400: the message has no text, file or template.', 'Correct the route.'],
      ['ERR_NUMBER_REQUIRED', '400: the message has no number.', 'Correct the route.'],
      ['ERR_NUMBER_INVALID', '400: the number has no usable digits.', 'Correct the number.'],
      ['ERR_CONNECTION_NOT_FOUND', '404: the account has no such connection.', 'Correct `connection`.'],
      ['ERR_NO_CONNECTION_AVAILABLE', '404: the account has no whatsapp or waba connection.', 'Connect one.'],
      [
        'ERR_UNSUPPORTED_CHANNEL',
        '400 or 422: the channel of the connection cannot send.',
        'Choose a whatsapp or waba connection.',
      ],
      ['ERR_NO_TICKET_FOUND', '404: the account has no such conversation.', 'Check the id.'],
      ['ERR_MESSAGE_NOT_FOUND', '404: the account has no such message.', 'Check the id.'],
      ['ERR_MISSING_NUMBER', '400: the contact has no number.', 'Correct the mapping.'],
      [
        'ERR_NUMBER_NOT_ON_WHATSAPP',
        '422: the chat network does not know the number.',
        'Correct the number, or set `validateNumber: false`.',
      ],
      ['ERR_WHATSAPP_NOT_FOUND', '404: the account has no such connection.', 'Correct `connection`.'],
      ['ERR_NO_CONTACT_FOUND', '404: the account has no such contact.', 'Sync the contact first.'],
      ['ERR_NUMBER_IMMUTABLE', '400: the number of a contact cannot change.', 'Create another contact.'],
      ['ERR_DUPLICATED_CONTACT', '400: another contact has the number.', 'Merge the contacts in the panel.'],
      [
        'ERR_CONTACT_NUMBER_IS_LID',
        '400: the number is an internal id of the chat network.',
        'Use the phone number.',
      ],
      ['ERR_INVALID_TAG_IDS', '400: the list of tags is not valid.', 'Check the mapping.'],
      [
        'ERR_INVALID_TAGMODE',
        '400: the account tags conversations only.',
        'Change the setting in the panel, or map no tags.',
      ],
      ['ERR_INVALID_DATE_FILTER', '400: a date filter has no offset.', 'Write the offset.'],
      ['ERR_NO_CARD_FOUND', '404: the account has no such card.', 'Check the id.'],
      [
        'ERR_CONTACT_IDENTIFIER_REQUIRED',
        "400: a card needs either the contact's id or its phone.",
        'Check the assumption that the message names.',
      ],
      ['ERR_PIPELINE_NOT_FOUND', '404: the account has no such pipeline.', 'Correct `pipeline`.'],
      ['ERR_STAGE_REQUIRED', '400: the move of a card names no stage.', 'Correct the mapping.'],
      ['ERR_STAGE_NOT_FOUND', '404: the account has no such stage.', 'Correct `stage`.'],
      [
        'ERR_STAGE_NOT_IN_PIPELINE',
        '422: the stage is in another pipeline.',
        'Correct `stage` or `pipeline`.',
      ],
      ['ERR_SOURCE_NOT_FOUND', '404: the account has no such origin.', 'Correct `source` of the card.'],
      ['ERR_SOURCE_REQUIRED_FOR_STAGE', '400: the stage needs an origin.', 'Set `source` of the card.'],
      [
        'ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED',
        '400: flow or connection is missing.',
        'Set `flow` and `connection`.',
      ],
      [
        'ERR_VARIABLES_MUST_BE_OBJECT',
        '400: the variables of the flow are not an object.',
        'Check the configuration.',
      ],
      ['ERR_FLOW_NOT_FOUND', '404: the account has no such flow.', 'Correct `flow`.'],
      ['ERR_FLOW_NOT_EXECUTABLE', '422: the flow is inactive, unpublished or empty.', 'Publish the flow.'],
      ['ERR_TICKET_IN_HUMAN_SERVICE', '409: a person is serving the contact.', 'Try again later.'],
    ],
  },
];
