// What makes an alert fire, as a person or a fault would do it.
import type { Company } from '../company.ts';

export interface Cause {
  readonly alert: string;
  /** Labels that the alert must have. */
  readonly labels: Readonly<Record<string, string>>;
  readonly cause: string;
  begin(company: Company): Promise<unknown>;
  /** Repeats while the alert is awaited, about once a second: traffic that goes on. */
  again?(company: Company): Promise<unknown>;
  /** Takes the cause away. Without it, the alert falls silent by itself. */
  end?(company: Company): Promise<unknown>;
}

/** Of every command of an operator. */
export const reason = 'a test of alerts';
