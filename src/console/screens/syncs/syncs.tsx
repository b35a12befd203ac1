// What syncs exist, what runs, and what happened to each row? The address says which of its views is shown.
import { useUrlState } from '../../app/use-url-state.ts';
import { FirstSync } from './first/first-sync.tsx';
import { SyncDetail } from './sync-detail.tsx';
import { SyncList } from './sync-list.tsx';

export default function SyncsScreen() {
  const [{ name, view }] = useUrlState();
  if (view === 'first') return <FirstSync />;
  return name === undefined ? <SyncList /> : <SyncDetail key={name} sync={name} />;
}
