// The part `admin` of sluice.yaml: where a process serves its metrics and its health.
import { z } from 'zod';

export const AdminConfig = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').meta({
    description:
      'Address to listen on. Requests need no login, so use another address than loopback only in a private network, such as that of a container. Default: 127.0.0.1.',
  }),
  port: z.int().min(0).max(65_535).default(9464).meta({
    description:
      'Port to listen on; 0 takes a free one. Processes that share a machine need different ports: set SLUICE_ADMIN_PORT. Default: 9464.',
  }),
});
export type AdminConfig = z.infer<typeof AdminConfig>;
