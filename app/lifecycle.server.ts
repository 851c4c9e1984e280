import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { stopGateway } from "~/ai/gateway/gateway.service.server";
import { judgeBy } from "~/ai/guardrails/guardrails.service.server";
import { judgeByModel } from "~/ai/models/generate-text.service.server";
import { restoreHealth } from "~/ai/models/health.service.server";
import { detectOllama } from "~/ai/models/providers.service.server";
import { watchAuditHead } from "~/console/audit/background.service.server";
import { followMetrics } from "~/console/monitoring/metrics.service.server";
import { followTracing } from "~/console/monitoring/tracing.service.server";
import { applyEgressAllow } from "~/console/settings/egress.service.server";
import { catchStrayErrors } from "~/core/background.server";
import { startCheckpoints } from "~/core/checkpoints.server";
import { onConfigChanged } from "~/core/config-cache.server";
import { explainDataFault } from "~/core/data-faults.server";
import { claimDataFolder } from "~/core/data-folder.server";
import { closeDatabase, openConnection, rawDatabase, setDatabase } from "~/core/db.server";
import { keepReserve } from "~/core/disk-reserve.server";
import { allowOperatorOrigin, installEgressGuard } from "~/core/egress/index.server";
import { log, setLogLevel } from "~/core/log.server";
import { cutOffCalls, waitForOpenCalls } from "~/core/open-calls.server";
import { watchReplica } from "~/core/replica.server";
import { parseWellFormed } from "~/core/well-formed";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { takeBasePath } from "~/http/base-path.server";
import { createEdge, type EdgeOptions } from "~/http/express.server";
import { listen } from "~/http/listen.server";
import { switchTrailBy } from "~/platform/audit/audit.service.server";
import { endStreams } from "~/platform/events/events.service.server";
import { startJobs } from "~/platform/jobs/dispatcher.service.server";
import { readSetting } from "~/platform/settings/settings.service.server";
import { describeInstallation } from "~/team/backups/maintenance.service.server";
import { beginRestore } from "~/team/backups/restore.service.server";
import { refreshCustomCss } from "~/team/branding/custom-css/custom-css.service.server";
import { settleLost } from "~/team/budgets/ledger.service.server";
import { startErrorReports } from "~/team/errors/errors.service.server";
import { prepareSetup } from "~/team/members/setup.service.server";
import { offerContributions } from "~/work/plugins/contributed.service.server";
import { followServerChanges } from "~/work/plugins/mcp/mcp-servers.service.server";
import { startPlugins } from "~/work/plugins/plugin-tools.service.server";
import { assertNotNewer, assertOwnCode, isBlank, knownMigrations, migrate } from "~db/migrate";
import { offerBuiltIn } from "./ai/tools/tools.service.server";
import { startAuditEvents, startAuditIndex } from "./console/audit/background.service.server";
import { startAuditStream } from "./console/audit/stream/stream.service.server";
import { assertDatabaseNotLost } from "./core/data-faults.server";
import type { DataLock } from "./core/data-folder.server";
import { dataDir, env, publicUrl, type SecretName } from "./core/env.server";
import { kept } from "./core/process.server";
import { assertNoSecretLost, sessionSecret } from "./core/secrets.server";
import { readEdgeSettings } from "./http/edge-policy.server";
import { countOpen, type OpenRequests } from "./http/express.server";
import { checkHealth } from "./http/health.server";
import { holdRequests } from "./http/restarting.server";
import { jobKinds } from "./job-kinds.server";
import { installationOrgId } from "./platform/settings/settings.service.server";
import { checkAtStart } from "./team/backups/maintenance.service.server";
import { holdStandby, isStandby, recordOwnReplica } from "./team/backups/standby.service.server";
import { startPushCleanup } from "./team/notifications/notifications.service.server";
import { reportExcessSignIns, reportRemovedFactors } from "./team/notifications/notify.service.server";
import { startUsageEvents } from "./team/usage/usage.service.server";
import { tools } from "./tool-list.server";
import { startChat } from "./work/chat/background.service.server";
import { startKnowledge } from "./work/documents/documents.jobs.server";
import { startWidgets } from "./work/widgets/widgets.service.server";
import { startWorkflows } from "./work/workflows/runs.service.server";
import { prepareWorkspace } from "./work/workflows/workspace/query-workspace.server";

/** Grace period for requests, in ms. */
const DRAIN_TIME = 5000;
/** Time that the end of a process with a stray exception may take, in ms. */
const END_TIME = 15_000;
/** Time in which calls that are still open are told why they end, in ms. */
const LAST_WORDS = 1000;
/** Above the minute after which most clients and proxies close. */
const KEEP_ALIVE = 65_000;

interface Running {
  server: Server;
  lock: DataLock;
  requests: OpenRequests;
  stopBackground: () => Promise<void>;
  /** What ends after all calls, in order: the watch of the audit head records it once more. */
  stopStore: (() => Promise<void>)[];
  stopCatching: () => void;
}

const holder = () => kept("running", (): { console?: Running | undefined } => ({}));

interface StartOptions extends Omit<EdgeOptions, "settings"> {
  server: Server;
  restart(work: () => Promise<void>): Promise<void>;
}

const migrationsOf = (root: string) => join(root, "db/migrations");

async function openStore(root: string): Promise<void> {
  const file = join(dataDir(), "quarterdeck.sqlite");
  const migrations = migrationsOf(root);
  assertNotNewer(file, migrations);
  if (isBlank(file)) assertDatabaseNotLost(dataDir());
  setDatabase(openConnection(file));
  await migrate(rawDatabase(), migrations, (count, copy) => {
    const steps = `${count} migration${count === 1 ? "" : "s"}`;
    process.stdout.write(`Updating the database ${file} (${steps}). A copy from before is kept: ${copy}\n`);
  });
}

/** What each of the console's secrets protects. */
const PROTECTED: Readonly<Record<SecretName, string>> = {
  "session.secret": "SELECT 1 FROM sessions",
  "audit.key": "SELECT 1 FROM audit_entries",
  "sealing.key":
    "SELECT 1 FROM authenticators UNION ALL SELECT 1 FROM mcp_accounts UNION ALL SELECT 1 FROM mcp_servers WHERE credentials IS NOT NULL",
  "push.key": "SELECT 1 FROM push_subscriptions",
};
const isNeeded = (name: SecretName) =>
  rawDatabase().prepare(`${PROTECTED[name]} LIMIT 1`).get() !== undefined;

let isUnanswered = false;

/** Whether this start applied a restore whose console hasn't answered: the next one rolls it back. */
export const isRestoreUnanswered = () => isUnanswered;

/** Also applies a planned restore. @returns a function for when the console answers */
async function openRestored(root: string): Promise<() => void> {
  const restore = await beginRestore();
  try {
    await openStore(root);
    if (restore) {
      await assertOwnCode(rawDatabase(), migrationsOf(root), openConnection);
      await restore.adopt();
      isUnanswered = true;
    } else assertNoSecretLost(isNeeded);
    return () => {
      restore?.finish();
      isUnanswered = false;
    };
  } catch (error) {
    if (!restore) throw error;
    closeDatabase();
    await restore.undo(error);
    await openStore(root);
    return () => undefined;
  }
}

const Package = z.object({ version: z.string() });

function versionOf(root: string): string {
  return Package.parse(parseWellFormed(readFileSync(join(root, "package.json"), "utf8"))).version;
}

function followLogLevel(): () => void {
  const apply = () => {
    const orgId = installationOrgId();
    if (orgId !== undefined) setLogLevel(readSetting(orgId, "monitoring.logLevel"));
  };
  apply();
  return onConfigChanged(["settings:monitoring"], apply);
}

/** Work that a standby doesn't do: it would happen twice while the former console runs. */
function startWork(): () => Promise<void> {
  settleLost();
  const stopChat = startChat();
  restoreHealth();
  const stopKnowledge = startKnowledge();
  void detectOllama();
  const stopPushCleanup = startPushCleanup();
  const stopWorkflows = startWorkflows();
  const stopWidgets = startWidgets();
  const stopAuditStream = startAuditStream();
  const stopJobs = startJobs(jobKinds);
  return async () => {
    await Promise.all([stopJobs(), stopChat(), stopWorkflows()]);
    await stopAuditStream();
    stopWidgets();
    stopKnowledge();
    stopPushCleanup();
  };
}

function startBackground(): () => Promise<void> {
  offerBuiltIn(tools);
  const stopSignInReports = reportExcessSignIns();
  const stopFactorReports = reportRemovedFactors();
  const stopLogLevel = followLogLevel();
  const stopErrorReports = startErrorReports();
  const stopMetrics = followMetrics();
  const tracing = followTracing();
  void refreshCustomCss().catch((error) => log.error("custom CSS could not be refreshed", { error }));
  const stopPlugins = startPlugins();
  const stopFollowing = followServerChanges();
  const stopBrought = offerContributions();
  const stopEvents = [startUsageEvents(), startAuditEvents()];
  const stopAuditIndex = startAuditIndex();
  const stopWork = isStandby() ? async () => undefined : startWork();
  return async () => {
    await stopWork();
    await stopAuditIndex();
    stopFollowing();
    await stopPlugins();
    stopBrought();
    await tracing.stop();
    stopErrorReports();
    stopMetrics();
    stopLogLevel();
    stopSignInReports();
    stopFactorReports();
    for (const stopEvent of stopEvents) stopEvent();
  };
}

/** Ends the process in order, at the latest after a time. A supervisor starts it again. */
function endProcess(): void {
  const exit = () => process.exit(1);
  setTimeout(exit, END_TIME).unref();
  stop().then(exit, exit);
}

/** Opens the store of a locked data folder, starts background work and serves requests. */
async function serve(options: StartOptions, lock: DataLock, stopCatching: () => void): Promise<void> {
  const { server, root } = options;
  server.on("request", holdRequests);
  server.keepAliveTimeout = KEEP_ALIVE;
  // Before the database: a taken port must not leave it migrated. After the lock: the process before gives back both.
  const port = await listen(server, { port: env().PORT, host: env().HOST });
  describeInstallation({
    migrations: knownMigrations(migrationsOf(root)),
    version: versionOf(root),
    restart: options.restart,
  });
  const finishRestore = await openRestored(root);
  // A full disk can't take it later, when the first form needs it.
  sessionSecret();
  holdStandby();
  prepareWorkspace();
  const stopChecks = checkAtStart();
  applyEgressAllow();
  // Before any write: a truncated trail is reported as found.
  const stopAudit = await watchAuditHead();
  const stopReplica = watchReplica(recordOwnReplica);
  const requests = countOpen();
  holder().console = {
    server,
    lock,
    requests,
    stopBackground: startBackground(),
    stopStore: [
      async () => stopChecks(),
      async () => stopReplica(),
      stopAudit,
      startCheckpoints(),
      keepReserve(),
    ],
    stopCatching,
  };
  const address = env().PUBLIC_URL ?? publicUrl().replace(/:\d+$/, `:${port}`);
  // Before requests are answered: who sees a healthy console can sign in.
  const link = await prepareSetup(address);
  server.removeAllListeners("request");
  server.on("request", requests.counted(createEdge({ ...options, settings: readEdgeSettings })));
  checkHealth(undefined);
  finishRestore();
  process.stdout.write(`Quarterdeck is ready at ${address}\n`);
  if (link) process.stdout.write(`Create the owner with this one-time link: ${link}\n`);
}

/**
 * Claims the data folder, migrates, starts background work and serves requests. What was started is stopped if
 * it fails.
 * @throws Error for the operator: invalid environment, unusable or locked folder, taken port or newer database
 */
export async function start(options: StartOptions): Promise<void> {
  // Sets the mode of SQLite's files, also in a shared folder.
  process.umask(0o077);
  installEgressGuard();
  // Before a planned restore, whose entry is the first.
  judgeBy(judgeByModel);
  switchTrailBy((orgId) => readSetting(orgId, "security.enableAuditLogs"));
  const { OAUTH_ISSUER, QDRANT_URL } = env();
  takeBasePath(await options.loadBuild());
  for (const address of [OAUTH_ISSUER, QDRANT_URL]) if (address) allowOperatorOrigin(address);
  const lock = await claimDataFolder(dataDir());
  const stopCatching = catchStrayErrors(endProcess);
  try {
    await serve(options, lock, stopCatching);
  } catch (error) {
    await stop();
    stopCatching();
    closeDatabase();
    lock.release();
    throw explainDataFault(error, dataDir());
  }
}

/** Closes connections after the grace period. */
async function drain({ server, requests }: Running, restarting: boolean): Promise<void> {
  if (restarting) {
    server.removeAllListeners("request");
    server.on("request", holdRequests);
    const cutOff = setTimeout(cutOffCalls, DRAIN_TIME - LAST_WORDS);
    await requests.drained(DRAIN_TIME);
    return clearTimeout(cutOff);
  }
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Keep-alive connections become idle one by one.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const cutOff = setTimeout(cutOffCalls, DRAIN_TIME - LAST_WORDS);
  const drained = setTimeout(() => server.closeAllConnections(), DRAIN_TIME);
  await closed;
  clearInterval(idle);
  clearTimeout(cutOff);
  clearTimeout(drained);
}

/**
 * Stops taking requests, lets open ones end with their text kept, and gives the data folder back.
 * @param options.restarting requests are answered with a page that asks to wait
 */
export async function stop({ restarting = false } = {}): Promise<void> {
  const running = holder().console;
  if (!running) return;
  holder().console = undefined;
  const closed = drain(running, restarting);
  endStreams();
  await running.stopBackground();
  await closed;
  await waitForOpenCalls();
  await stopGateway();
  // Last: running calls still parse responses in them.
  await closeWorkerPools();
  for (const stopPart of running.stopStore) await stopPart();
  closeDatabase();
  running.lock.release();
  running.stopCatching();
  log.info("stopped");
}
