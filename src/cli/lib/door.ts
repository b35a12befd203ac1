// The operators' door of a process that holds a state folder: opened, and told in the lock of the folder.
import { peopleOf } from '../../ledger/campaigns/campaign-roll.ts';
import { campaignEndpoints } from '../../runtime/operator/campaign-door.ts';
import { openOperatorDoor } from '../../runtime/operator/operator-door.ts';
import { openOperatorIntake } from '../../runtime/operator/operator-intake.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { say } from './lifetime.ts';
import type { OpenStack } from './session.ts';

/** A process without a door does all else that it is there for. */
export async function openDoor(
  stack: Pick<OpenStack, 'config' | 'db' | 'client' | 'log' | 'stateDir' | 'tell'>,
  shutdown: Shutdown,
): Promise<void> {
  const intake = openOperatorIntake(stack);
  shutdown.add('messages of operators', () => intake.close());
  try {
    const more = campaignEndpoints(peopleOf(stack.db));
    const door = await openOperatorDoor({ folder: stack.stateDir, intake, more, log: stack.log });
    shutdown.add("operators' door", () => door.close());
    await stack.tell({ door: door.path });
  } catch (error) {
    say(
      `\`sluice message\` and \`sluice campaign export\` can't be used beside this process: its door did not open (${(error as Error).message})`,
    );
    await stack.tell({ door: null });
  }
}
