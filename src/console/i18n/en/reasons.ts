// Sentences of codes with figures and names. Where a code has several, they are joined.
export default {
  of: {
    conflict_rows_names: 'Rows {{first}} and {{second}} have this number and different names.',
    conflict_rows_emails: 'Rows {{first}} and {{second}} have this number and different e-mail addresses.',
    conflict_rows_documents: 'Rows {{first}} and {{second}} have this number and different documents.',
    conflict_lines_names: 'Lines {{first}} and {{second}} have this number and different names.',
    conflict_lines_emails: 'Lines {{first}} and {{second}} have this number and different e-mail addresses.',
    conflict_lines_documents: 'Lines {{first}} and {{second}} have this number and different documents.',
    conflict_rejected:
      'Every row of the number was rejected. Correct the source, or say in the sync what such rows become (onConflict: first or merge).',
    conflict_left: 'Sluice left out the later one (onConflict: first).',
    conflict_merged: 'Sluice merged them and kept the later value (onConflict: merge).',
    CONNECTION_NOT_FOUND_some:
      'The account “{{account}}” has no connection {{connection}}. These run flows: {{usable}}.',
    CONNECTION_NOT_FOUND_none:
      'The account “{{account}}” has no connection {{connection}}, and none that runs flows.',
    CONNECTION_UNSUPPORTED_some: 'Connection {{connection}} cannot run flows. These can: {{usable}}.',
    CONNECTION_UNSUPPORTED_none:
      'Connection {{connection}} cannot run flows, and the account has none that can.',
    CONNECTION_DOWN: 'Connection {{connection}} is not connected: the service says {{status}}.',
    EMPTY_AUDIENCE_nobody: 'Nobody was found. Check the filters of the audience.',
    EMPTY_AUDIENCE_left:
      'There is nobody to trigger: of {{audience}} people, {{excluded}} are excluded and {{holdout}} are in the control group.',
    END_PASSED: 'The campaign ended at {{endAt}}. Set a later end.',
    NO_WINDOW: 'The sending windows never open in {{zones}}.',
    TOO_SLOW_late: 'The last trigger would be {{lateMs}} after the end.',
    TOO_SLOW_years: 'The campaign would run for years after its end.',
    TOO_SLOW_horizon: 'The campaign would not finish within {{spanMs}}.',
    TOO_SLOW_done: 'By {{untilAt}}, {{byThen}} of {{eligible}} members are triggered.',
    TOO_SLOW_pace:
      '{{paceNeeded}} triggers a minute would be enough; the plan has {{pacePerMinute}}. Fewer members or a later end help too.',
    TOO_SLOW_waves:
      'No pace is enough. Use larger waves, less time between them, fewer members or a later end.',
    RATE_OVER_BUDGET:
      '{{limit}} triggers a minute need {{calls}} calls, but the tokens of the account allow {{allowed}}. The plan assumes {{pacePerMinute}} triggers a minute.',
    SHARED_BUDGET:
      'These also use calls of the account, so the campaign may take longer than planned: {{others}}.',
    SLOW_WAVES:
      'The waves add {{laterMs}}. As one wave at {{pacePerMinute}} triggers a minute, the campaign would end by {{aloneAt}}, but each of {{waves}} waves waits for the windows of all its members.',
    NO_POLLER_never: 'No poller that follows the connection was ever started.',
    NO_POLLER_idle: 'No poller that follows the connection polls now.',
    NO_POLLER_unseen: 'Sluice does not see replies.',
    NO_POLLER_relies: 'Rules of the campaign rely on replies.',
    NO_WORKER_some: 'Start a worker: {{command}}',
    NO_WORKER_named: 'Waiting: {{work}}. Start a worker: {{command}}',
    NO_WORKER_more: 'Waiting: {{work}}, and {{more}} more. Start a worker: {{command}}',
    WORK_RETRIES_ledger: 'The database of Sluice did not answer it {{attempts}} times in a row.',
    WORK_RETRIES_error:
      'It failed {{attempts}} times in a row. The log of the worker says why: look for {{activity}} and {{error}}.',
    WORK_RETRIES_next: 'It retries by itself; the next attempt is at {{nextAt}}.',
    WORK_RETRIES_again: 'It retries by itself.',
    WORK_RETRIES_moving: 'Other work goes on meanwhile.',
    WORK_RETRIES_partial: 'More may fail: not all open work has been checked yet.',
    STOP_FAILED: '{{members}} of {{tried}} members failed. The campaign stops above {{limitShare}}.',
    STOP_UNKNOWN:
      '{{members}} of {{tried}} members have an unknown outcome. The campaign stops above {{limitShare}}.',
    STOP_HUMAN_SERVICE:
      '{{members}} of {{tried}} members were in human service. The campaign stops above {{limitShare}}.',
    STOP_OPT_OUT: '{{members}} of {{tried}} members opted out. The campaign stops above {{limitShare}}.',
    STOP_REPLIES: '{{members}} of {{tried}} members replied. The campaign stops below {{limitShare}}.',
    ENCODING_detected: 'The file is read as {{encoding}}, with {{sureShare}} certainty.',
    ENCODING_mark: 'The file is read as {{encoding}}, because it begins with the mark of this encoding.',
    ENCODING_bytes: 'The file is read as {{encoding}}, because of its zero bytes.',
    ENCODING_UNSURE:
      'The file is read as {{encoding}}, with only {{sureShare}} certainty. If names look wrong in the preview, choose another one in the field “Encoding”.',
    MIXED_ENCODING:
      'The file is read as utf-8, as {{sureShare}} of its accented characters are. Rows with other bytes are rejected.',
    VARIABLE_MISSING_names: 'The flow has no value for {{names}}.',
    OPTED_OUT_tag: 'The person opted out: the contact has the tag {{tags}}.',
    OPTED_OUT_given: 'The person opted out: Sluice set the tag {{tags}}.',
    OPTED_OUT_tagSeen: 'The person opted out: a tag that says so was seen on {{seenAt}}.',
    OPTED_OUT_recorded: 'An operator recorded that the person opted out on {{optedOutAt}}.',
    OPTED_OUT_imported: 'An imported list says that the person opted out on {{optedOutAt}}.',
    OPTED_OUT_said: 'The person opted out on {{optedOutAt}}.',
    OPTED_OUT_before: 'The person opted out before the message was due.',
    EXCLUDED_NUMBER_listed: 'The number is in the list of numbers that the campaign excludes.',
    EXCLUDED_TAG_tag: 'The contact has the excluded tag {{tags}}.',
    EXCLUDED_TAG_given: 'Sluice set the excluded tag {{tags}}.',
    EXCLUDED_CAMPAIGN_reached: 'The campaign {{campaign}} reached the person on {{reachedAt}}.',
    EXCLUDED_CAMPAIGN_since: 'The campaign {{campaign}} has reached the person since the plan was made.',
    CONTACTED_LATELY_reached: 'The campaign {{campaign}} reached the person on {{reachedAt}}.',
    CONTACTED_LATELY_message: 'A message went out to the person on {{sentAt}}.',
    CONTACTED_LATELY_event: 'An event sent the person a message or a flow on {{sentAt}}.',
    OPEN_CONVERSATION_seen:
      'Conversation {{conversation}} was open when it was last seen, updated on {{updatedAt}}.',
    OPEN_CONVERSATION_now: 'Conversation {{conversation}} of the person is open.',
    HUMAN_SERVICE_seen:
      'Somebody served conversation {{conversation}} when it was last seen, updated on {{updatedAt}}.',
    HUMAN_SERVICE_now: 'Somebody serves the person in conversation {{conversation}}.',
    FREQUENCY_CAP_once:
      'The campaign {{campaign}} reached the person once within {{within}}, on {{reachedAt}}.',
    FREQUENCY_CAP_often:
      'Campaigns reached the person {{times}} times within {{within}}, the last one, {{campaign}}, on {{reachedAt}}.',
    FREQUENCY_CAP_some: 'Campaigns have reached the person within {{within}}.',
    NO_COMMON_WINDOW_never: 'No sending window is ever open in all of these time zones: {{zones}}.',
    CONFIG_VALUE_missing: 'This value is missing.',
    CONFIG_VALUE_text: 'Write a text.',
    CONFIG_VALUE_number: 'Write a number.',
    CONFIG_VALUE_int: 'Write a whole number.',
    CONFIG_VALUE_boolean: 'Choose yes or no.',
    CONFIG_VALUE_list: 'Write a list.',
    CONFIG_VALUE_keys: 'Write keys with values.',
    CONFIG_VALUE_oneOf: 'Choose one of these: {{values}}.',
    CONFIG_UNKNOWN_KEY: 'There is no key {{key}} here.',
    CONFIG_EMPTY: 'It must not be empty.',
    CONFIG_FEW: 'At least {{minimum}} must be given.',
    CONFIG_LOW_from: 'Write {{minimum}} or more.',
    CONFIG_LOW_above: 'Write more than {{minimum}}.',
    CONFIG_HIGH: 'Write {{maximum}} or less.',
    CONFIG_DURATION: 'Write a number and a unit: 30s, 5m, 2h, 1d.',
    CONFIG_NO_SUCH: 'There is no “{{wanted}}”.',
    CONFIG_NO_DAY: 'No weekday has hours, so nobody would be triggered. Add hours to a day.',
    CONFIG_HOURS_SAME: '{{range}} ends when it starts. The whole day is 00:00-24:00.',
    CONFIG_END_FIRST: 'The end, {{endAt}}, is before the start, {{startAt}}. Choose a later end.',
    CONFIG_NO_FILTER: 'This would reach everybody of this list. Add a filter.',
    CONFIG_STAGE_PIPELINE: 'A stage needs its pipeline. Choose the pipeline too.',
    excel_number_rounded:
      'A spreadsheet may have rounded the number, and its last digits are lost. Format the column as text and export again.',
    excel_number_decimal:
      'This is a number with decimals, not a phone number. Format the column as text and export again.',
    placeholder_phone_placeholder:
      'This is a placeholder, not a phone number. Enter the real number, or leave the field empty.',
    invalid_phone_letters: 'The number contains letters. Keep one phone number in the cell.',
    invalid_phone_symbols:
      'The number contains characters that no phone number has. Keep digits, spaces, hyphens, parentheses and one leading +.',
    invalid_phone_hidden: 'The cell hides or cuts off digits. Write all digits of the number.',
    invalid_phone_otherColumn:
      'This looks like a document, a date, an amount, an address or a card, not a phone number. Map the column with the phone number.',
    invalid_phone_local:
      'This is a local number without its area code. Write it with its area code, or with + and country code.',
    invalid_phone_context:
      'This link has a local number without a valid country code. Write the number with + and country code.',
    invalid_phone_short: 'The number is too short. Write it with its area code.',
    invalid_phone_long: 'The number is longer than 15 digits. Keep one phone number in the cell.',
    invalid_phone_crowded: 'The cell has more than 1,000 characters. Keep one phone number in the cell.',
    invalid_phone_noCountry:
      'The number does not name its country. Set defaultCountry, or write the number with + and country code.',
    invalid_phone_notInternational:
      'No carrier has such a number. It must begin with its country code because of numberFormat: international.',
    invalid_phone_unknown: 'No carrier has such a number. Check country code, area code and length.',
    invalid_phone_service:
      'This is a service number, or a number without its area code. Write the number of a person with area code.',
    invalid_phone_cut: 'The number lacks a digit. Write all of its digits.',
    ambiguous_phone_several:
      'The separators in the cell can end one number or belong to it. Keep one phone number in the cell.',
    ambiguous_phone_twoNumbers:
      'The cell can be two numbers. Put a semicolon between them, or keep one phone number in the cell.',
    invalid_phone_groupId:
      'This is the id of a group or channel of the chat network, not the number of a person.',
    invalid_phone_innerId:
      'This is an internal id of the chat network (lid), not a phone number. Export the phone number of the contact.',
    invalid_phone_link:
      'This link does not contain a phone number. Write the number, or https://wa.me/ and the number.',
    invalid_phone_notOf:
      'No carrier in {{country}} has such a number. Check area code and length, and write foreign numbers with + and country code.',
    invalid_phone_groupedUnlike:
      'The digits are not grouped as in a number of {{country}}. Write foreign numbers with + and country code.',
  },
};
