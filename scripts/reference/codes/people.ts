// Codes about one person: why they got no message, and refusals of commands.
import type { CodeArea } from './area.ts';

export const PEOPLE_CODES: readonly CodeArea[] = [
  {
    title: 'Why a person got no message',
    about: 'The reasons that the page of a person shows. A reason may name a further code.',
    codes: [
      ['OPTED_OUT', 'The person opted out of campaigns.', 'None.'],
      [
        'NUMBER_REJECTED',
        'A row with the same last eight digits has a number that Sluice could not read.',
        'Correct the number at its source.',
      ],
      ['LEFT_OUT', 'The plan of a campaign left the person out.', 'Read the further code.'],
      ['CONTROL_GROUP', 'The person is in the control group of a campaign.', 'None.'],
      ['SKIPPED', 'A rule forbade the trigger when it was due.', 'Read the further code.'],
      [
        'TRIGGER_FAILED',
        'The service refused the trigger.',
        'Read the further code, then `sluice campaign retry`.',
      ],
      [
        'TRIGGER_UNKNOWN',
        'Nothing shows whether the flow ran.',
        'Check the flow, then `sluice campaign resolve`.',
      ],
      ['CANCELED', 'The campaign was canceled before the trigger.', 'None.'],
      ['WAITING', 'The person waits for their wave or their window.', 'Wait.'],
      ['CAMPAIGN_PAUSED', 'The campaign is paused.', '`sluice campaign resume`.'],
      [
        'CAMPAIGN_BLOCKED',
        'The campaign waits for something that Sluice cannot read.',
        'Read the further code.',
      ],
      [
        'ROW_LEFT_OUT',
        'The campaign excluded a row with the name, e-mail address or number of the person, because its number is not valid.',
        'Correct the number in the source.',
      ],
      [
        'NUMBER_REPAIRED',
        'Earlier runs rejected a row with this number. The run that is named read it, so this is no longer a reason.',
        'Nothing.',
      ],
      ['NOT_IN_AUDIENCE', 'The audience of the campaign does not have the person.', 'Check `audience`.'],
      ['SYNC_FAILED', 'The last sync could not write the person.', '`sluice sync retry`.'],
      ['EVENT_FAILED', 'An event about the person failed.', '`sluice events retry`.'],
      [
        'EVENT_BLOCKED',
        'An event about the person waits for an operator.',
        'Read the further code, then `sluice events retry`.',
      ],
      ['DELIVERY_FAILED', 'The service did not deliver a message.', 'Check the number.'],
      ['NO_CONTACT', 'Sluice knows no contact of the person in the service.', 'Sync the person.'],
    ],
  },
  {
    title: 'People',
    about: 'Refusals of the search, the timeline and the erasure, and what an erasure leaves.',
    codes: [
      ['NO_SUCH_PERSON', 'The ledger has nobody under this id.', 'Search again.'],
      [
        'NO_NUMBER',
        'An opt-out was given the id of a person whose number Sluice does not have, for example because they were erased.',
        'Write the number.',
      ],
      [
        'NO_COLUMN',
        'The file of opt-outs does not have a column that was named.',
        'Name a column of its first line, in the same letters.',
      ],
      [
        'PERSON_IN_USE',
        'A call about the person is, or may be, in flight.',
        'Wait until what the message names has ended, then erase again.',
      ],
      ['CURSOR', 'The cursor is not one of this list.', 'Use `next` of the page before.'],
      [
        'NOT_OPTED_OUT',
        'The opt-out that is to be withdrawn does not exist, or was withdrawn already.',
        'Check the number and the account in the list of opt-outs.',
      ],
      ['OPT_OUT_AHEAD', 'The time of an opt-out is in the future.', 'Correct the time or its offset.'],
      [
        'OPT_OUT_TIME',
        'The time of an imported opt-out cannot be read in exactly one way: it has no offset, or day and month are uncertain.',
        'Write it as 2026-11-20T06:00:00-03:00, or name the offset and the order of dates.',
      ],
      [
        'OPT_OUT_EVIDENCE',
        'The evidence of an imported opt-out has more than 200 characters.',
        'Shorten it.',
      ],
      ['ERASED', 'The person was erased before the record or the member was due.', 'None.'],
    ],
  },
];
