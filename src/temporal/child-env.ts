// The environment of child processes: what a program needs to run, without the secrets of Sluice.

/** Folders, locale, proxies and certificates. Names of credentials are not among them. */
const PASSED = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LANG',
  'LANGUAGE',
  'TZ',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_RUNTIME_DIR',
  // Windows programs do not start without these.
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
]);
/** A download also needs the proxy of a closed network, whose URL may contain a password: only downloads get these. */
const DOWNLOAD = new Set([
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'NODE_EXTRA_CA_CERTS',
]);

type Env = Readonly<Record<string, string | undefined>>;

/** Environment of a program that runs here, such as the Temporal server. */
export function childEnv(env: Env): Record<string, string | undefined> {
  return pick(env, (name) => PASSED.has(name) || name.startsWith('LC_'));
}

/** Environment of a program that downloads: also proxies, certificates and the settings of pip. */
export function downloadEnv(env: Env): Record<string, string | undefined> {
  return pick(
    env,
    (name) => PASSED.has(name) || DOWNLOAD.has(name) || name.startsWith('LC_') || name.startsWith('PIP_'),
  );
}

/** Compares names in upper case: proxies are written both ways, and Windows ignores case. */
function pick(env: Env, wanted: (name: string) => boolean): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted(name.toUpperCase())));
}
