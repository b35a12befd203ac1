// Formatting in the viewer's language and time zone.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import {
  formatAgo,
  formatBytes,
  formatClock,
  formatClockSeconds,
  formatCompact,
  formatCount,
  formatDate,
  formatDay,
  formatDuration,
  formatInstant,
  formatMoment,
  formatPercent,
  formatRelative,
  formatSpan,
  regionalLanguage,
  zoneOffset,
} from './format.ts';
import { withTimes } from './times-in-text.ts';
import { OWN_ZONE, useZone } from './zone.tsx';

export function useFormat() {
  const { i18n } = useTranslation();
  const { name: zone } = useZone();
  const language = regionalLanguage(i18n.language, navigator.languages);
  return useMemo(() => {
    const locale = { language, zone };
    return {
      count: (value: number) => formatCount(locale, value),
      compact: (value: number) => formatCompact(locale, value),
      /** @param share from 0 to 1 */
      percent: (share: number) => formatPercent(locale, share),
      duration: (seconds: number) => formatDuration(locale, seconds),
      bytes: (bytes: number) => formatBytes(locale, bytes),
      /** @param at ISO 8601 */
      instant: (at: string) => formatInstant(locale, Date.parse(at)),
      /** @param timeZone of a time that is not shown in the viewer's zone, such as that of a campaign */
      moment: (at: string, timeZone = zone) =>
        formatMoment({ language, zone: timeZone }, Date.parse(at), OWN_ZONE),
      /** @param day `YYYY-MM-DD` */
      day: (day: string) => formatDay(language, day),
      /** @param at ISO 8601 */
      date: (at: string) => formatDate(locale, Date.parse(at)),
      /** Two times of one stretch. Those of today are clock times. */
      span: (from: string, until: string, now: number): readonly [string, string] =>
        formatSpan(locale, [Date.parse(from), Date.parse(until)], { now, own: OWN_ZONE }),
      /** A sentence of the server, with its times as the page shows times. */
      text: (sentence: string) => withTimes(sentence, (at) => formatMoment(locale, Date.parse(at), OWN_ZONE)),
      /** `a, b and c` */
      list: (names: readonly string[]) => new Intl.ListFormat(language).format(names),
      clock: (at: string) => formatClock(locale, Date.parse(at)),
      /** Of something that has happened: a browser's clock may be behind the server's. */
      ago: (at: string, now: number) => formatAgo(locale, Date.parse(at), now),
      clockSeconds: (at: string) => formatClockSeconds(locale, Date.parse(at)),
      relative: (at: string, now: number) => formatRelative(locale, Date.parse(at), now),
      zone: (at: number) => zoneOffset(locale, at),
      /** IANA name, for example `America/Sao_Paulo`. */
      zoneName: zone,
      language,
    };
  }, [language, zone]);
}

export type Format = ReturnType<typeof useFormat>;
