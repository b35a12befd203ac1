// Why a test is skipped on a machine that lacks something. The end of a run counts skipped tests by these reasons.

export const NO_KAFKA = 'no Kafka: neither Docker nor Java with Maven';
export const NO_BROWSER = 'no Chromium';
export const NO_PYTHON = 'no Python 3';
export const NO_PIP = 'no Python 3 with pip';
export const NO_GO = 'no Go';
export const NO_CONTAINERS = 'neither Docker nor buildah';
