// Metrics of reloads: whether the process works with the configuration on the disk.
import { Counter, Gauge, type Registry } from 'prom-client';

export interface ConfigMetrics {
  /** A reload has ended. */
  reloaded(report: { readonly result: 'loaded' | 'broken'; readonly needsRestart: readonly string[] }): void;
}

export function createConfigMetrics(registry: Registry): ConfigMetrics {
  const registers = [registry];
  const reloads = new Counter({
    name: 'sluice_config_reloads_total',
    help: 'Attempts to load the configuration again, by result: loaded, or broken (the one before stays in use)',
    labelNames: ['result'],
    registers,
  });
  const isOnDisk = new Gauge({
    name: 'sluice_config_last_reload_successful',
    help: '1 if the process works with the configuration on the disk, 0 if that one is broken',
    registers,
  });
  const loadedAt = new Gauge({
    name: 'sluice_config_loaded_timestamp_seconds',
    help: 'Unix time at which the configuration in use was loaded',
    registers,
  });
  const waiting = new Gauge({
    name: 'sluice_config_keys_need_restart',
    help: 'Keys that changed in the configuration, and that only a restart takes into use',
    registers,
  });
  reloads.inc({ result: 'loaded' }, 0);
  reloads.inc({ result: 'broken' }, 0);
  isOnDisk.set(1);
  loadedAt.setToCurrentTime();
  waiting.set(0);
  return {
    reloaded({ result, needsRestart }) {
      reloads.inc({ result });
      isOnDisk.set(result === 'loaded' ? 1 : 0);
      if (result === 'loaded') loadedAt.setToCurrentTime();
      waiting.set(needsRestart.length);
    },
  };
}
