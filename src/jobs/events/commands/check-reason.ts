// The reason that a discard needs.
import { CliError, EXIT } from '../../../cli/lib/exit.ts';

/** @throws CliError (usage) when it is empty */
export function checkReason(reason = ''): string {
  if (reason.trim() !== '') return reason.trim();
  throw new CliError(EXIT.usage, '--reason is empty: say why nobody needs them');
}
