// Calendars of campaigns, kept: a new one needs up to 0.7 s to know a set of zones, and then 0.7 µs a question.
import { type Calendar, compileCalendar } from '../../src/campaigns/calendar.ts';
import type { CampaignRow } from '../../src/ledger/campaigns.ts';

export type Calendars = (campaign: Pick<CampaignRow, 'digest' | 'spec'>) => Calendar;

/** Keeps a calendar for all that a campaign goes by, whichever of its runs asks. */
export function keepCalendars(): Calendars {
  const calendars = new Map<string, Calendar>();
  return ({ digest, spec }) => {
    const known = calendars.get(digest);
    if (known !== undefined) return known;
    const calendar = compileCalendar(spec.config.windows);
    calendars.set(digest, calendar);
    return calendar;
  };
}
