import { describe, expect, it } from 'vitest';
import {
  InsecureTemporalError,
  TemporalAddressError,
  temporalAddressOf,
} from '../../../../src/runtime/temporal/temporal-address.ts';

describe('TEMPORAL_ADDRESS without TLS', () => {
  it.each(['127.0.0.1:7233', 'localhost:7233', '[::1]:7233', '127.0.0.1'])(
    '%s is this machine',
    (address) => {
      expect(temporalAddressOf({ TEMPORAL_ADDRESS: address })).toBe(address);
    },
  );

  it.each([
    'temporal:7233',
    '10.0.0.1:7233',
    'acme.tmprl.cloud:7233',
    '127.0.0.1.evil.com:7233',
    '[2001:db8::1]:7233',
  ])('%s is another: it is refused with the fix, and taken where somebody allows it', (address) => {
    const env = { TEMPORAL_ADDRESS: address };
    expect(() => temporalAddressOf(env)).toThrow(InsecureTemporalError);
    expect(() => temporalAddressOf(env)).toThrow(/TEMPORAL_INSECURE=true/);
    for (const other of ['', 'false', '1', 'yes', 'TRUE']) {
      expect(() => temporalAddressOf({ ...env, TEMPORAL_INSECURE: other })).toThrow(InsecureTemporalError);
    }
    expect(temporalAddressOf({ ...env, TEMPORAL_INSECURE: 'true' })).toBe(address);
  });

  it.each([
    'http://127.0.0.1:7233',
    '127.0.0.1:port',
    '127.0.0.1:0',
    '127.0.0.1:70000',
    '127.0.0.1:7233/default',
    'me@127.0.0.1:7233',
    '::1:7233',
    'a b:1',
  ])('%s is no host:port, whatever is allowed', (address) => {
    const env = { TEMPORAL_ADDRESS: address, TEMPORAL_INSECURE: 'true' };
    expect(() => temporalAddressOf(env)).toThrow(TemporalAddressError);
  });

  it.each([{}, { TEMPORAL_ADDRESS: '' }, { TEMPORAL_ADDRESS: undefined }])('%j names none', (env) => {
    expect(temporalAddressOf(env)).toBeNull();
  });
});
