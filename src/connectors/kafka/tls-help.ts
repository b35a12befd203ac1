// What to do about the errors of a TLS connection to brokers, by code.

const AUTHORITY = 'the certificate of the broker is not trusted; set `tls.ca` to the file of its authority';
const CLIENT = 'the brokers do not accept the client certificate; correct `tls.cert` and `tls.key`';

export const TLS_HELP: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: AUTHORITY,
  CERT_SIGNATURE_FAILURE: AUTHORITY,
  CERT_HAS_EXPIRED: 'the certificate of the broker has expired; renew it there',
  CERT_NOT_YET_VALID: 'the certificate of the broker is not valid yet; check the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the broker is for another host name; use that name in `brokers` and in advertised.listeners',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the broker does not speak TLS at this port; use its TLS port, or remove `tls`',
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    'the broker does not speak TLS at this port; use its TLS port, or remove `tls`',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: CLIENT,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: CLIENT,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: CLIENT,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'the client certificate has expired; renew `tls.cert`',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: '`tls.key` is not the key of `tls.cert`',
};
