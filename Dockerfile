# The image of all commands: the webhook, and hc beside each gateway.
#
#   docker build --build-arg BASE_IMAGE=node:24-bookworm-slim -t gracegate .
#
# The base image brings Node 24; it is an argument, since many teams may only use one from their own registry.
ARG BASE_IMAGE=node:24-bookworm-slim

FROM ${BASE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --loglevel=error
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build-hc.ts scripts/
COPY src src
# Node's platform packages are for development; the image has its own Node.
RUN npm run --silent build && npm prune --omit=dev --omit=optional --loglevel=error

FROM ${BASE_IMAGE}
WORKDIR /opt/gracegate
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
# `gracegate` for people and for hc's container; the runbook's preStop line calls /opt/hc/graceful-drain.sh.
COPY --chmod=755 image/gracegate /usr/local/bin/
COPY --chmod=755 image/graceful-drain.sh /opt/hc/
ENV NODE_ENV=production GRACEGATE_HOME=/opt/gracegate/dist
RUN mkdir cache && chown 65532:65532 cache
# Numeric, so that runAsNonRoot can be checked without looking into /etc/passwd.
USER 65532:65532
# What V8 makes of the webhook's modules stays in the image, for this user: a replica answers after 0.5 s instead of 0.9 s (on two
# shared cores). Another user has no use of it, and loses nothing.
RUN export NODE_COMPILE_CACHE=/opt/gracegate/cache && gracegate webhook --help >/dev/null && \
  for module in commands/webhook-run kube/cluster tls/self-source; do node "dist/$module.js" || exit 1; done
ENTRYPOINT ["gracegate"]
CMD ["--help"]
