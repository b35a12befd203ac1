# Sluice in a container: `docker build -t sluice .`; the default command is a worker.
# The npm steps and the worker command were run one by one. The image itself was not built.

FROM node:20-slim AS build
WORKDIR /app
# This layer changes only with the lock file. No dependency needs its install script here: Temporal's native part and
# PGlite are inside their packages. `prepare` would build before the sources are there.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY workflows workflows
COPY activities activities
COPY workers workers
COPY src src
COPY scripts scripts
# Some scripts start the servers of the tests.
COPY test/support test/support
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:20-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json sluice.schema.json sluice.example.yaml LICENSE ./
COPY examples examples
# The only folder that Sluice writes to.
RUN mkdir -p /var/lib/sluice && chown node:node /var/lib/sluice
USER node
# On SIGTERM the worker takes no new work and lets calls in progress end, for at most 40 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["worker", "--state", "/var/lib/sluice"]
