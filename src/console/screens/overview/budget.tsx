// Who waits for the budget, in the order of the line, and what spent it.
import type { Overview } from './data.ts';
import { SpendingTable } from './spending.tsx';
import { WaitingWork } from './waiting.tsx';

export default function Budget({ waiting }: Pick<Overview, 'waiting'>) {
  return (
    <>
      <WaitingWork waiting={waiting} />
      <SpendingTable />
    </>
  );
}
