// The chart as helm renders it: every object has a valid shape for the oldest and the newest Kubernetes, and is safe to run.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { NO_GO } from '../../support/runner/missing.ts';
import { type ChartTools, chartTools, KUBERNETES } from '../../support/tools/chart-tools.ts';
import { CASES, DIGEST, HOSTILE } from './chart-cases.ts';

const CHART = resolve(import.meta.dirname, '../../../deploy/helm/sluice');
/** What the schemas of Kubernetes do not have: objects of the Prometheus operator. */
const FOREIGN = ['ServiceMonitor', 'PrometheusRule'];

const { version: VERSION } = JSON.parse(
  await readFile(resolve(import.meta.dirname, '../../../package.json'), 'utf8'),
) as { version: string };

// oxlint-disable-next-line typescript/no-explicit-any
type Manifest = any;

describe('the chart', () => {
  let tools: ChartTools | null;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-chart-'));
    tools = await chartTools();
  }, 900_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** @returns the path of a file with these values */
  async function fileOf(values: object): Promise<string> {
    const file = join(folder, 'values.yaml');
    // JSON is YAML whose texts no version of YAML takes for something else.
    await writeFile(file, JSON.stringify(values));
    return file;
  }

  async function render(values: object, release = 'shop', version: string = KUBERNETES[1]): Promise<string> {
    const file = await fileOf(values);
    const where = ['--namespace', 'crm', '--kube-version', version, '--name-template', release];
    return await (tools as ChartTools).template(CHART, [...where, '--values', file]);
  }
  const objectsOf = (text: string): Manifest[] =>
    parseAllDocuments(text, { strict: true, uniqueKeys: true }).flatMap((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() ?? [];
    });
  const podsOf = (objects: Manifest[]): Manifest[] =>
    objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(({ spec }) => spec.template);

  it.for(Object.keys(CASES))('%s: lint has no complaint', async (name, { skip }) => {
    if (tools === null) return skip(NO_GO);
    const file = await fileOf(CASES[name] as object);
    await tools.lint(CHART, ['--kube-version', KUBERNETES[0], '--values', file]);
  });

  it.for(Object.keys(CASES).flatMap((name) => KUBERNETES.map((version) => [name, version] as const)))(
    '%s: the schemas of Kubernetes %s accept every object',
    async ([name, version], { skip }) => {
      if (tools === null) return skip(NO_GO);
      const text = await render(CASES[name] as object, 'shop', version);
      const refused = await tools.conform(text, version);
      expect(refused.filter((line) => !FOREIGN.some((kind) => line.includes(`for ${kind}`)))).toEqual([]);
    },
  );

  it('the schemas refuse a field that does not exist', async ({ skip }) => {
    if (tools === null) return skip(NO_GO);
    const text = (await render({})).replace('maxUnavailable: 1', 'maxUnavialable: 1');
    expect((await tools.conform(text, KUBERNETES[1])).join()).toContain('maxUnavialable');
  });

  it.for(Object.keys(CASES))(
    '%s: names are unique and short, labels are the own ones',
    async (name, { skip }) => {
      if (tools === null) return skip(NO_GO);
      const objects = objectsOf(await render(CASES[name] as object));
      expect(objects.length).toBeGreaterThan(1);
      const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { metadata } of objects) {
        expect(metadata.name).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])$/);
        expect(metadata.namespace).toBe('crm');
        expect(metadata.labels).toMatchObject({
          'app.kubernetes.io/name': 'sluice',
          'app.kubernetes.io/instance': 'shop',
        });
      }
    },
  );

  it.for(Object.keys(CASES))(
    '%s: no container can become root, or write to its image',
    async (name, { skip }) => {
      if (tools === null) return skip(NO_GO);
      const pods = podsOf(objectsOf(await render(CASES[name] as object)));
      expect(pods.length).toBeGreaterThan(0);
      for (const { spec } of pods) {
        expect(spec.automountServiceAccountToken).toBe(false);
        expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
        for (const key of ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers'])
          expect(spec[key]).toBeUndefined();
        expect(spec.volumes.filter((volume: Manifest) => 'hostPath' in volume)).toEqual([]);
        for (const container of spec.containers) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            runAsNonRoot: true,
            runAsUser: 1000,
            runAsGroup: 1000,
            capabilities: { drop: ['ALL'] },
            seccompProfile: { type: 'RuntimeDefault' },
          });
          expect(container.command).toBeUndefined();
          const mounted = container.volumeMounts.map((mount: Manifest) => mount.name);
          expect(new Set(mounted)).toEqual(new Set(spec.volumes.map((volume: Manifest) => volume.name)));
        }
      }
    },
  );

  it('secrets reach a container by reference only', async ({ skip }) => {
    if (tools === null) return skip(NO_GO);
    for (const { spec } of podsOf(objectsOf(await render(CASES.everything as object))))
      for (const { name, value } of spec.containers[0].env)
        if (/TOKEN|KEY$|URL|PASSWORD/.test(name)) expect(value, name).toBeUndefined();
  });

  it('a component gets the common Secrets and its own, and none of another', async ({ skip }) => {
    if (tools === null) return skip(NO_GO);
    const own = (component: string) => ({
      enabled: true,
      secretEnv: {
        [`${component.toUpperCase()}_SECRET`]: { name: component, key: 'a' },
        SHARED: { name: `${component}-wins`, key: 'a' },
      },
      secretFiles: [`${component}-files`, 'common-files'],
    });
    const objects = objectsOf(
      await render({
        secretEnv: { COMMON: { name: 'common', key: 'a' }, SHARED: { name: 'common', key: 'a' } },
        secretFiles: ['common-files'],
        worker: own('worker'),
        ingress: own('ingress'),
        console: own('console'),
      }),
    );
    const given = podsOf(objects).map(({ spec }) => {
      const [{ name, env, volumeMounts }] = spec.containers;
      const refs = env.flatMap(({ valueFrom }: Manifest) => valueFrom?.secretKeyRef.name ?? []);
      const volumes = spec.volumes.flatMap(({ secret }: Manifest) => secret?.secretName ?? []);
      const paths = volumeMounts.flatMap(({ mountPath }: Manifest) =>
        mountPath.startsWith('/secrets/') ? mountPath : [],
      );
      return [name, { refs: refs.sort(), volumes, paths }];
    });
    const expected = (name: string) => ({
      refs: ['common', 'sluice-database', name, `${name}-wins`].sort(),
      volumes: ['common-files', `${name}-files`],
      paths: ['/secrets/common-files', `/secrets/${name}-files`],
    });
    expect(Object.fromEntries(given)).toEqual({
      migrate: { refs: ['sluice-database'], volumes: [], paths: [] },
      worker: expected('worker'),
      ingress: expected('ingress'),
      console: expected('console'),
    });
  });

  it.for([
    ['none without a name', {}, undefined],
    ['the version of the chart', { worker: { deployment: { name: 'crm' } } }, VERSION],
    ['the tag', { image: { tag: '9.9.9-rc.1' }, worker: { deployment: { name: 'crm' } } }, '9.9.9-rc.1'],
    [
      'a part of the digest',
      { image: { digest: DIGEST }, worker: { deployment: { name: 'crm' } } },
      'a1'.repeat(6),
    ],
    [
      'the one of the values',
      { image: { digest: DIGEST }, worker: { deployment: { name: 'crm', buildId: '1+x' } } },
      '1+x',
    ],
  ] as const)(
    'the build id of workers is %s, and other processes have none',
    async ([, values, buildId], { skip }) => {
      if (tools === null) return skip(NO_GO);
      const all = { ...values, ingress: { enabled: true }, console: { enabled: true } };
      for (const pod of podsOf(objectsOf(await render(all)))) {
        const [{ name: component, env }] = pod.spec.containers;
        const found = Object.fromEntries(env.map(({ name, value }: Manifest) => [name, value]));
        const isVersioned = component === 'worker' && buildId !== undefined;
        expect(found.SLUICE_DEPLOYMENT, component).toBe(isVersioned ? 'crm' : undefined);
        expect(found.SLUICE_BUILD_ID, component).toBe(isVersioned ? buildId : undefined);
      }
    },
  );

  it('a release without workers has the ingress and the console only', async ({ skip }) => {
    if (tools === null) return skip(NO_GO);
    const off = { enabled: false, autoscaling: { enabled: true } };
    const objects = objectsOf(
      await render({ worker: off, ingress: { enabled: true }, console: { enabled: true } }),
    );
    const named = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(named).toContain('Deployment/shop-sluice-console');
    expect(named.filter((name) => name.endsWith('-worker'))).toEqual([]);
  });

  it('hostile values arrive as they are', async ({ skip }) => {
    if (tools === null) return skip(NO_GO);
    const objects = objectsOf(await render(CASES['hostile texts'] as object));
    const worker = objects.find(({ kind, spec }) => kind === 'Deployment' && spec.replicas === 2).spec
      .template;
    const env = Object.fromEntries(
      worker.spec.containers[0].env.map(({ name, value }: Manifest) => [name, value]),
    );
    expect(env).toMatchObject({
      PLAIN: HOSTILE,
      EMPTY: '',
      YES: 'yes',
      TRUE: 'true',
      COLON: ': - #',
      NUMBER: '1000000',
    });
    expect(worker.metadata.annotations.note).toBe(HOSTILE);
    expect(worker.metadata.annotations['checksum/config']).toMatch(/^[0-9a-f]{64}$/);
    expect(worker.metadata.labels).toMatchObject({ on: 'off', 'app.kubernetes.io/instance': 'shop' });
    const files = objects.find(({ kind }) => kind === 'ConfigMap').data;
    expect(files).toEqual({ 'sluice.yaml': `# ${HOSTILE}\nversion: 1\n`, 'odd_file-1.yaml': '{{ $x }}' });
  });

  it('selectors stay the same whatever an upgrade changes, and each finds exactly its pods', async ({
    skip,
  }) => {
    if (tools === null) return skip(NO_GO);
    const both = { ingress: { enabled: true }, console: { enabled: true } };
    const changed = {
      image: { tag: '9.9.9' },
      commonLabels: { a: 'b' },
      worker: { podLabels: { c: 'd' }, autoscaling: { enabled: true } },
      ingress: { enabled: true, podLabels: { e: 'f' } },
      console: { enabled: true },
      config: { files: { 'sluice.yaml': 'version: 1' } },
    };
    const selectorsOf = (objects: Manifest[]) =>
      Object.fromEntries(
        objects
          .filter(({ kind }) =>
            ['Deployment', 'PodDisruptionBudget', 'NetworkPolicy', 'Service'].includes(kind),
          )
          .map(({ kind, metadata, spec }) => [
            `${kind}/${metadata.name}`,
            (spec.selector ?? spec.podSelector).matchLabels ?? spec.selector,
          ]),
      );
    const objects = objectsOf(await render(both));
    expect(selectorsOf(objectsOf(await render(changed)))).toEqual(selectorsOf(objects));
    const pods = podsOf(objects).map(({ metadata }) => metadata.labels as Record<string, string>);
    const found = (selector: Record<string, string>) =>
      pods
        .filter((labels) => Object.entries(selector).every(([key, value]) => labels[key] === value))
        .map((labels) => labels['app.kubernetes.io/component']);
    const all = selectorsOf(objects) as Record<string, Record<string, string>>;
    for (const component of ['worker', 'ingress', 'console']) {
      expect(found(all[`Deployment/shop-sluice-${component}`] ?? {})).toEqual([component]);
      expect(found(all[`PodDisruptionBudget/shop-sluice-${component}`] ?? {})).toEqual([component]);
    }
    expect(found(all['Service/shop-sluice-ingress'] ?? {})).toEqual(['ingress']);
    expect(found(all['NetworkPolicy/shop-sluice-admin'] ?? {}).length).toBe(pods.length);
  });

  it('objects of Prometheus read the admin port of every pod, and the alert rules as they are', async ({
    skip,
  }) => {
    if (tools === null) return skip(NO_GO);
    const objects = objectsOf(await render(CASES.everything as object));
    const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor');
    const [service, ...others] = objects.filter(
      ({ kind, metadata }) =>
        kind === 'Service' &&
        Object.entries(monitor.spec.selector.matchLabels).every(
          ([key, value]) => metadata.labels[key] === value,
        ),
    );
    expect(others).toEqual([]);
    expect(service.spec.ports.map(({ name }: Manifest) => name)).toContain(monitor.spec.endpoints[0].port);
    const alerts = await readFile(join(CHART, '../../prometheus/sluice-alerts.yaml'), 'utf8');
    expect(objects.find(({ kind }) => kind === 'PrometheusRule').spec).toEqual(parse(alerts));

    const prometheusRule = {
      enabled: true,
      docsUrl: 'https://git.example.com/main/',
      ledgerGigabytes: 2000000,
    };
    await expect(render({ prometheusRule })).rejects.toThrow('ledgerGigabytes');
    const own = objectsOf(await render({ prometheusRule: { ...prometheusRule, ledgerGigabytes: 200_000 } }));
    expect(own.find(({ kind }) => kind === 'PrometheusRule').spec).toEqual(
      parse(
        alerts
          .replaceAll('runbook_url: docs/', 'runbook_url: https://git.example.com/main/docs/')
          .replaceAll('50e9', '200000e9'),
      ),
    );
  });

  it('an incomplete or wrong value ends with its name', async ({ skip }) => {
    if (tools === null) return skip(NO_GO);
    await expect(render({ wroker: {} })).rejects.toThrow(/wroker/);
    await expect(render({ worker: { deployment: { buildId: '1' } } })).rejects.toThrow(
      'worker.deployment.name is missing',
    );
    await expect(render({ worker: { deployment: { name: 'a.b' } } })).rejects.toThrow(/deployment/);
    await expect(render({ config: { files: { 'a.yaml': '' } } })).rejects.toThrow('no sluice.yaml');
    await expect(render({ console: { enabled: true, expose: { enabled: true } } })).rejects.toThrow(
      'console.expose.host is missing',
    );
    await expect(render({}, 'shop', '1.29.0')).rejects.toThrow('kubeVersion');
  });
});
