// Formatting in the viewer's language and time zone.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import {
  formatBytes,
  formatClock,
  formatCompact,
  formatCount,
  formatDuration,
  formatInstant,
  formatMoment,
  formatPercent,
  formatRelative,
  zoneOffset,
} from './format.ts';
import { useZone } from './zone.tsx';

export function useFormat() {
  const { i18n } = useTranslation();
  const { name: zone } = useZone();
  const { language } = i18n;
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
      moment: (at: string) => formatMoment(locale, Date.parse(at)),
      clock: (at: string) => formatClock(locale, Date.parse(at)),
      relative: (at: string, now: number) => formatRelative(locale, Date.parse(at), now),
      zone: (at: number) => zoneOffset(locale, at),
      /** IANA name, for example `America/Sao_Paulo`. */
      zoneName: zone,
      language,
    };
  }, [language, zone]);
}

export type Format = ReturnType<typeof useFormat>;
