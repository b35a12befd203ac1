// The time zone in which all times are shown: the viewer's own, or UTC.
import { useLocalStorage } from '@mantine/hooks';
import { createContext, type ReactNode, use, useMemo } from 'react';

export type ZoneChoice = 'own' | 'utc';

interface Zone {
  readonly choice: ZoneChoice;
  /** IANA name. */
  readonly name: string;
  choose(choice: ZoneChoice): void;
}

/** IANA name of the browser's zone. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const ZoneContext = createContext<Zone>({ choice: 'own', name: OWN_ZONE, choose: () => undefined });

export function ZoneProvider({ children }: { readonly children: ReactNode }) {
  const [choice, choose] = useLocalStorage<ZoneChoice>({
    key: 'sluice.zone',
    defaultValue: 'own',
    getInitialValueInEffect: false,
  });
  const zone = useMemo(
    () => ({ choice, choose, name: choice === 'utc' ? 'UTC' : OWN_ZONE }),
    [choice, choose],
  );
  return <ZoneContext value={zone}>{children}</ZoneContext>;
}

export const useZone = () => use(ZoneContext);
