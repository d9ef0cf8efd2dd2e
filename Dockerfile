# The image of all commands: the webhook, and hc beside each gateway. `make image` builds it.
#
# The base image brings Node 24 and its npm, and comes by digest. image/base names it; it is an argument, since many teams may
# only use one from their own registry.
ARG BASE_IMAGE

FROM ${BASE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --loglevel=error
COPY tsconfig.json ./
COPY scripts/build.ts scripts/bundle.ts scripts/bundled-packages.ts scripts/sbom.ts scripts/
COPY src src
RUN npm run --silent build && npm run --silent sbom

FROM ${BASE_IMAGE}
WORKDIR /opt/gracegate
COPY LICENSE package.json ./
# Everything that runs, the licences of what is in it, and what it is made of. No package manager's folder.
COPY --from=build /build/dist dist
# `gracegate` for people and for hc's container; the runbook's preStop line calls /opt/hc/graceful-drain.sh.
COPY --chmod=755 image/gracegate /usr/local/bin/
COPY --chmod=755 image/graceful-drain.sh /opt/hc/
ENV NODE_ENV=production GRACEGATE_HOME=/opt/gracegate/dist
RUN mkdir cache && chown 65532:65532 cache
# Numeric, so that runAsNonRoot can be checked without looking into /etc/passwd.
USER 65532:65532
# What V8 makes of the webhook's modules stays in the image, for this user: a replica's start costs a fifth less of a processor
# (`npm run bench:start`). Another user has no use of it, and loses nothing.
RUN export NODE_COMPILE_CACHE=/opt/gracegate/cache && gracegate webhook --help >/dev/null && \
  for module in dist/chunks/webhook-run-*.js dist/chunks/cluster-*.js dist/chunks/self-source-*.js; do node "$module" || exit 1; done
ENTRYPOINT ["gracegate"]
CMD ["--help"]
