import type { Server } from "node:http";
import { join } from "node:path";
import { startCheckpoints } from "~/core/checkpoints.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { type DataLock, lockDataDir } from "~/core/data-lock.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { allowOperatorOrigin, installEgressGuard } from "~/core/egress/index.server";
import { dataDir, env, publicUrl } from "~/core/env.server";
import { log, setLogLevel } from "~/core/log.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { watchAuditHead } from "~/features/audit/audit-watch.service.server";
import { startChat } from "~/features/chat/background.service.server";
import { startErrorReports } from "~/features/errors/errors.service.server";
import { endStreams } from "~/features/events/events.service.server";
import { stopGateway } from "~/features/gateway/gateway.service.server";
import { startJobs } from "~/features/jobs/dispatcher.service.server";
import { startKnowledge } from "~/features/knowledge/background.service.server";
import { prepareSetup } from "~/features/members/setup.service.server";
import { restoreHealth } from "~/features/models/health.service.server";
import { lookForOllama } from "~/features/models/offered-providers.service.server";
import { startPlugins } from "~/features/plugins/plugin-tools.service.server";
import { readEdgeSettings } from "~/features/settings/edge-settings.service.server";
import { applyEgressAllow } from "~/features/settings/egress.service.server";
import { installationOrgId } from "~/features/settings/installation.service.server";
import { readSetting } from "~/features/settings/read-settings.service.server";
import { startWorkflows } from "~/features/workflows/background.service.server";
import { createEdge, type EdgeOptions } from "~/http/express.server";
import { assertNotNewer, migrate } from "~db/migrate";
import { jobKinds } from "./job-kinds.server";

/** How long requests may continue after the stop signal, in milliseconds. */
const DRAIN_TIME = 5000;
/** Programs ask again and again: longer than the minute after which most clients and proxies let go themselves. */
const KEEP_ALIVE = 65_000;

interface Running {
  server: Server;
  lock: DataLock;
  stopBackground: () => Promise<void>;
  /** Notes the audit trail's newest entry for the last time. */
  stopAudit: () => Promise<void>;
  stopCheckpoints: () => Promise<void>;
}

// Development evaluates this module again on every change; what runs must be found and stopped.
const holder = globalThis as typeof globalThis & { quarterdeckRunning?: Running };

interface StartOptions extends Omit<EdgeOptions, "settings"> {
  server: Server;
}

async function openStore(root: string): Promise<void> {
  const file = join(dataDir(), "quarterdeck.sqlite");
  const migrations = join(root, "db/migrations");
  assertNotNewer(file, migrations);
  setDatabase(openConnection(file));
  await migrate(rawDatabase(), migrations);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(env().PORT, env().HOST, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : env().PORT);
    });
  });
}

/** Keeps the log's level as the organization has it. @returns the way to stop */
function followLogLevel(): () => void {
  const apply = () => {
    const orgId = installationOrgId();
    if (orgId !== undefined) setLogLevel(readSetting(orgId, "monitoring.logLevel"));
  };
  apply();
  return onConfigChanged(["settings:monitoring"], apply);
}

function startBackground(): () => Promise<void> {
  const stopLogLevel = followLogLevel();
  const stopErrorReports = startErrorReports();
  const stopChat = startChat();
  restoreHealth();
  const stopKnowledge = startKnowledge();
  void lookForOllama();
  const stopPlugins = startPlugins();
  const stopWorkflows = startWorkflows();
  const stopJobs = startJobs(jobKinds);
  return async () => {
    await Promise.all([stopJobs(), stopChat(), stopWorkflows()]);
    stopPlugins();
    stopKnowledge();
    stopErrorReports();
    stopLogLevel();
  };
}

/**
 * Claims the data folder, migrates, starts the background work and answers requests. Prints the address and, while
 * there is no user, the set-up link.
 *
 * @throws Error for the operator: an unusable environment, a taken data folder, a newer database
 */
export async function start(options: StartOptions): Promise<void> {
  // SQLite gives its files the mode that this leaves, also in a folder that others may look into.
  process.umask(0o077);
  installEgressGuard();
  const { OAUTH_ISSUER, PUBLIC_URL, QDRANT_URL } = env();
  for (const address of [OAUTH_ISSUER, QDRANT_URL]) if (address) allowOperatorOrigin(address);
  process.on("unhandledRejection", (error) => log.error("unhandled rejection", { error }));
  const lock = await lockDataDir(dataDir());
  await openStore(options.root);
  applyEgressAllow();
  // Before anything is written: a trail that lost its end is said as it was found.
  const stopAudit = await watchAuditHead();
  holder.quarterdeckRunning = {
    server: options.server,
    lock,
    stopBackground: startBackground(),
    stopAudit,
    stopCheckpoints: startCheckpoints(),
  };
  options.server.keepAliveTimeout = KEEP_ALIVE;
  options.server.on("request", createEdge({ ...options, settings: readEdgeSettings }));
  const port = await listen(options.server);
  const address = PUBLIC_URL ?? publicUrl().replace(/:\d+$/, `:${port}`);
  const link = await prepareSetup(address);
  process.stdout.write(`Quarterdeck is ready at ${address}\n`);
  if (link) process.stdout.write(`Create the owner with this one-time link: ${link}\n`);
}

/** Stops taking requests, lets open ones end with their text kept, and gives the data folder back. */
export async function stop(): Promise<void> {
  const running = holder.quarterdeckRunning;
  if (!running) return;
  holder.quarterdeckRunning = undefined;
  const closed = new Promise<void>((resolve) => running.server.close(() => resolve()));
  // Kept-alive connections become idle one by one as their answers end.
  const idle = setInterval(() => running.server.closeIdleConnections(), 50);
  const drained = setTimeout(() => running.server.closeAllConnections(), DRAIN_TIME);
  endStreams();
  await running.stopBackground();
  await closed;
  clearInterval(idle);
  clearTimeout(drained);
  await stopGateway();
  // Last: calls that were still running read large answers in them.
  await closeWorkerPools();
  await running.stopAudit();
  await running.stopCheckpoints();
  closeDatabase();
  running.lock.release();
  log.info("stopped");
}
