// One-time codes by time (RFC 6238), with the parameters that every authenticator app has: SHA-1, 6 digits, 30 seconds.
import { Secret, TOTP } from 'otpauth';

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
/** Time steps before and after the present one whose code counts too. Clocks of phones differ by seconds. */
const WINDOW = 1;

/** Base32. */
export function newSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** What a QR code of the secret says. @param name of the user, which the app shows */
export function totpUri(secret: string, name: string): string {
  return totpOf(secret, name).toString();
}

/**
 * The time step whose code this is, one step around now. A code is good for one login only, so the caller remembers the step.
 * @param now milliseconds since 1970
 * @returns null when it is none
 */
export function stepOfCode(secret: string, code: string, now: number): number | null {
  // The library compares bytes of the same number only, and throws at other characters.
  if (!/^\d{6}$/.test(code)) return null;
  const totp = totpOf(secret, '');
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp: now }) + delta;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Sluice', label, algorithm: 'SHA1', digits: 6, period: 30, secret });
}
