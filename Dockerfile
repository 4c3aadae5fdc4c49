# A host in a container: docs/docker.md says how to run it. test/e2e/programs/dockerfile.test.ts carries out these steps.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# Installs what the lock file names, builds, and packs what a user would install.
RUN npm run pack -- /packed

FROM node:24-bookworm-slim
# Agents work with git, and over https.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates git && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /packed /packed
RUN npm install --no-audit --no-fund --omit=dev /packed/*.tgz && rm -rf /packed
# The state, with the token that the first start makes. It is not in the image: every volume gets its own.
RUN mkdir -p /state /work && chown node:node /state /work && chmod 700 /state
USER node
ENV AGENTHOST_HOME=/state PATH=/app/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# Where the health check asks; with a certificate of your own it needs https and a name of it.
ENV AGENTHOST_HEALTH_URL=http://127.0.0.1:4747/healthz
VOLUME ["/state"]
WORKDIR /work
EXPOSE 4747
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["node", "-e", "fetch(process.env.AGENTHOST_HEALTH_URL).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Without TLS, because only this machine reaches the port: publish it as 127.0.0.1:4747:4747, and put a proxy with TLS in front for others.
ENTRYPOINT ["agenthost"]
CMD ["serve", "--host", "0.0.0.0", "--insecure-no-tls"]
