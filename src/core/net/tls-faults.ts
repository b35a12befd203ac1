// What is wrong with a connection over TLS, by the code that Node.js gives. Each protocol has its own words for it.

export type TlsFault =
  | 'untrusted'
  | 'expired'
  | 'notYetValid'
  | 'otherName'
  | 'noTls'
  | 'clientMissing'
  | 'clientRefused'
  | 'clientExpired'
  | 'otherKey';

const FAULTS: Readonly<Record<string, TlsFault>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  CERT_SIGNATURE_FAILURE: 'untrusted',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'notYetValid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'otherName',
  ERR_SSL_WRONG_VERSION_NUMBER: 'noTls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'noTls',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'clientMissing',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'clientRefused',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'clientRefused',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'clientExpired',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'otherKey',
};

/** @returns what to do, by the code of the error */
export function tlsHelp(words: Readonly<Record<TlsFault, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(FAULTS).map(([code, fault]) => [code, words[fault]]));
}
