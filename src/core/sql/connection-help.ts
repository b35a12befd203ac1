// What to do about a connection to PostgreSQL that fails, by SQLSTATE or by the code of the system or of TLS.

const AUTHORITY = 'add sslrootcert=FILE of its authority to DATABASE_URL, or set NODE_EXTRA_CA_CERTS';

export const CONNECTION_HELP: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: AUTHORITY,
  CERT_SIGNATURE_FAILURE: AUTHORITY,
  CERT_HAS_EXPIRED: 'renew the certificate of the server',
  CERT_NOT_YET_VALID: 'check the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use the host name of the certificate in DATABASE_URL',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH:
    'correct sslcert and sslkey in DATABASE_URL: they do not belong together',
  '28000': 'check the user, pg_hba.conf, and sslmode, sslcert and sslkey in DATABASE_URL',
  '28P01': 'correct user or password in DATABASE_URL',
  '3D000': 'correct the name of the database in DATABASE_URL, or create it',
};
