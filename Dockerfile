# Sluice in a container: `docker build -t sluice .`; the default command is a worker. `npm run test:image` builds it and
# starts its processes. Run it with `--init` (in Compose `init: true`), so that an init process is number 1.
#
# The digest stands for the tag beside it on every platform. Dependabot proposes newer ones.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS base

FROM base AS build
WORKDIR /app
# This layer changes only with the lock file. No dependency needs its install script here: Temporal's native part and
# PGlite are inside their packages. `prepare` would build before the sources are there.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json tsconfig.image.json ./
COPY workflows workflows
COPY activities activities
COPY workers workers
COPY src src
COPY scripts/build scripts/build
RUN npx tsc -p tsconfig.image.json && npm run build:assets \
  && npm prune --omit=dev --ignore-scripts && node scripts/build/slim.mjs && mkdir /state

FROM base
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title=sluice \
      org.opencontainers.image.version=${VERSION} \
      org.opencontainers.image.revision=${REVISION} \
      org.opencontainers.image.licenses=MIT
ENV NODE_ENV=production
WORKDIR /app
# Root owns the program, so the process cannot change it.
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json sluice.schema.json sluice.example.yaml LICENSE ./
COPY examples examples
# The only folder that Sluice writes to, besides /tmp. Mount both to run with a read-only root file system.
COPY --from=build --chown=1000:1000 /state /var/lib/sluice
# The user `node` of the base image, by number: Kubernetes checks runAsNonRoot by number only.
USER 1000:1000
# On SIGTERM the worker takes no new work and lets calls in progress end, for at most 40 s.
STOPSIGNAL SIGTERM
# Ready: the ledger and Temporal answer, and the workers run. Ingress and console have the same listener.
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SLUICE_ADMIN_PORT ?? 9464) + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["worker", "--state", "/var/lib/sluice"]
