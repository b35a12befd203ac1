// Where files of messages may come from, how large they may be, and how long a download may take. Only the
// configuration decides this, never an event or a request.
import { z } from 'zod';
import { durationWithin, insecure } from '../../core/config/base.ts';

export const MediaHosts = z.array(
  z.string().regex(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/, 'write host, host:port or *.example.com'),
);

export const MEDIA_LIMITS = {
  insecure: insecure('unencrypted http:// URLs of files, from other machines'),
  maxBytes: z.int().min(1).max(104_857_600).default(16_777_216).meta({
    description: 'Maximum size of a file, in bytes, up to 104857600. Default: 16777216 (16 MiB).',
  }),
  allowPrivate: z.boolean().default(false).meta({
    description:
      'true also fetches files from private addresses: loopback, private and link-local networks. Default: false.',
  }),
  timeout: durationWithin('1s', '45s')
    .default('20s')
    .meta({ description: 'Timeout for fetching a file, 1s to 45s. Default: 20s.' }),
};
