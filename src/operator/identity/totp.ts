// One-time codes by time (RFC 6238), with the parameters that every authenticator app has: SHA-1, 6 digits, 30 seconds.
import { Secret, TOTP } from 'otpauth';

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
/** Seconds of a step. A code counts in its own step only, so it lives for 30 s at most. */
const PERIOD = 30;
/** Steps before and after the present one whose codes are recognized, only to name a clock that differs. */
const RECOGNIZED = 4;

/** Base32. */
export function newSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** What a QR code of the secret says. @param name of the user, which the app shows */
export function totpUri(secret: string, name: string): string {
  return totpOf(secret, name).toString();
}

export interface FoundCode {
  /** The time step whose code it is. A code is good for one login only, so the caller remembers the step. */
  readonly step: number;
  /** Steps after the present one. Only the code of 0 counts. */
  readonly offset: number;
}

/**
 * @param now milliseconds since 1970
 * @returns null when it is no code of the steps around now
 */
export function findCode(secret: string, code: string, now: number): FoundCode | null {
  // The library compares bytes of the same number only, and throws at other characters.
  if (!/^\d{6}$/.test(code)) return null;
  const totp = totpOf(secret, '');
  const offset = totp.validate({ token: code, timestamp: now, window: RECOGNIZED });
  return offset === null ? null : { step: totp.counter({ timestamp: now }) + offset, offset };
}

/** What a code of another step says about the clocks. */
export function describeOffset({ offset }: FoundCode): string {
  const seconds = Math.abs(offset) * PERIOD;
  return offset < 0
    ? `the code is of up to ${seconds} s ago; enter the one that the app shows now, and if this is it, the clock of the device is behind`
    : `the code is of up to ${seconds} s from now, so the clock of the device is ahead`;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Sluice', label, algorithm: 'SHA1', digits: 6, period: PERIOD, secret });
}
