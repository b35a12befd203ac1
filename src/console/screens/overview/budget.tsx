// Who waits for the budget, in the order of the line, and what spent it. It comes with what else is not needed at once.
import type { Overview } from './data.ts';
import { SpendingTable } from './spending.tsx';
import { WaitingWork } from './waiting.tsx';

export { BlockedWork } from './blocked-work.tsx';
export { Failures } from './failures.tsx';
export { RunningList } from './running.tsx';

export default function Budget({ waiting }: Pick<Overview, 'waiting'>) {
  return (
    <>
      <WaitingWork waiting={waiting} />
      <SpendingTable />
    </>
  );
}
