// What channels need besides their configuration.

export interface ChannelContext {
  /** @throws SecretError */
  readonly secret: (ref: string) => Promise<string>;
  /** Folder of the configuration, where commands start. */
  readonly baseDir: string;
  /** Environment of commands: none of the secrets of Sluice. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @default webhook 10 s, e-mail 30 s, command as configured */
  readonly timeoutMs?: number;
}
