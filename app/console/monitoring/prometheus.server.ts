import type { Registry } from "prom-client";
import { measureStream } from "~/console/audit/stream/stream.service.server";
import { readStorageSizes } from "~/console/settings/system.service.server";
import { readReplica } from "~/core/replica.server";
import { type CallFacts, observeTelemetry, type RequestFacts } from "~/core/telemetry.server";
import { readFileCopies } from "~/platform/files/files.service.server";
import { countJobsByState } from "~/platform/jobs/jobs.service.server";
import { vectorServerState } from "~/work/index/rag-status.service.server";
import { countRuns } from "~/work/workflows/runs.service.server";

const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const CALL_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320];
/** Label limit: callers may request any model name. */
const MAX_MODELS = 200;

/** Gauges of prom-client under names of counters, which the types beside them sum up to. */
const MISNAMED = ["handles", "requests", "resources"].map((what) => `nodejs_active_${what}_total`);

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

function gaugesOf(client: typeof import("prom-client"), registers: Registry[]) {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new client.Gauge({ name: `quarterdeck_${name}`, help, labelNames, registers });
  const jobs = gauge("jobs", "Background jobs by kind and state.", ["kind", "state"]);
  const runs = gauge("workflow_runs", "Workflow runs that are queued, running or waiting.", ["state"]);
  const database = gauge("database_bytes", "Size of the SQLite database.");
  const free = gauge("database_free_bytes", "Free pages of the SQLite database.");
  const log = gauge("database_wal_bytes", "Size of SQLite's write-ahead log.");
  const disk = gauge("disk_free_bytes", "Free space of the data folder's disk.");
  const unsent = gauge("audit_stream_waiting", "Audit entries that the collector hasn't taken yet.");
  const failures = gauge("audit_stream_failures", "Failed attempts to send since the last success.");
  const up = gauge("replica_up", "1 while Litestream keeps the replica up to date, else 0.");
  const lag = gauge("replica_lag_seconds", "Time since the replica had all that was committed.");
  const success = gauge(
    "replica_last_success_seconds",
    "Time of the last success, in seconds since the epoch.",
  );
  const waiting = gauge(
    "files_waiting",
    "Files that their second place doesn't have yet; absent without one.",
  );
  const filesLag = gauge("files_lag_seconds", "How long the first of them has waited.");
  const filesUp = gauge("files_up", "1 unless the last attempt to copy a file failed.");
  const vectorsUp = gauge("vector_server_up", "Whether Qdrant answers; absent if it isn't used.");
  const vectorsLag = gauge("vector_server_lag_seconds", "How long Qdrant has lacked something.");
  const vectorsRecall = gauge("vector_server_recall", "Share of the ten nearest that a search finds.");
  /** Reads the figures of a scrape. */
  return async (orgId: string) => {
    jobs.reset();
    for (const { kind, state, count } of countJobsByState(orgId)) jobs.set({ kind, state }, count);
    const counts = countRuns({ kind: "system", userId: "system", orgId, role: "owner" });
    for (const [state, count] of Object.entries(counts)) runs.set({ state }, count);
    const sizes = await readStorageSizes();
    database.set(sizes.databaseBytes);
    free.set(sizes.freeBytes);
    log.set(sizes.logBytes);
    disk.set(sizes.diskFreeBytes);
    const stream = measureStream(orgId);
    unsent.set(stream?.waiting ?? 0);
    failures.set(stream?.failures ?? 0);
    // A figure that isn't known is left out: Prometheus would take its 0 for a good one.
    for (const one of [waiting, filesLag, filesUp, up, lag, success, vectorsUp, vectorsLag, vectorsRecall])
      one.remove();
    const copies = readFileCopies();
    if (copies) {
      waiting.set(copies.waiting);
      filesLag.set(copies.lagMs / 1000);
      filesUp.set(copies.state === "failing" ? 0 : 1);
    }
    const replica = await readReplica();
    if (replica) {
      up.set(replica.state === "ok" ? 1 : 0);
      if (replica.lagMs !== null) lag.set(replica.lagMs / 1000);
      if (replica.lastSuccessAt !== null) success.set(replica.lastSuccessAt / 1000);
    }
    const server = vectorServerState(orgId);
    if (!server) return;
    vectorsUp.set(server.isWell ? 1 : 0);
    vectorsLag.set(server.lagMs / 1000);
    if (server.recall !== null) vectorsRecall.set(server.recall);
  };
}

function observerOf(client: typeof import("prom-client"), registers: Registry[]) {
  const requests = new client.Histogram({
    name: "quarterdeck_http_request_duration_seconds",
    help: "Requests by route and status.",
    labelNames: ["method", "route", "status"],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const counter = (name: string, help: string, labelNames: string[]) =>
    new client.Counter({ name: `quarterdeck_${name}`, help, labelNames, registers });
  const labelNames = ["provider", "model", "source"];
  const calls = counter("model_calls_total", "Calls to models by outcome.", [...labelNames, "outcome"]);
  const tokens = counter("model_tokens_total", "Tokens of calls to models.", [...labelNames, "direction"]);
  const cost = counter("model_cost_dollars_total", "Cost of calls to models in US dollars.", labelNames);
  const tools = counter("tool_calls_total", "Calls to tools by outcome.", ["tool", "source", "outcome"]);
  const histogram = (name: string, help: string) =>
    new client.Histogram({
      name: `quarterdeck_${name}`,
      help,
      labelNames,
      buckets: CALL_BUCKETS,
      registers,
    });
  const duration = histogram("model_call_duration_seconds", "Duration of calls to models.");
  const firstToken = histogram("model_first_token_seconds", "Time to the first token of calls to models.");
  const models = new Set<string>();
  const nameOf = (model: string) => {
    if (models.size < MAX_MODELS) models.add(model);
    return models.has(model) ? model : "other";
  };
  return {
    request({ method, route, status, durationMs }: RequestFacts) {
      requests.observe({ method, route, status: String(status) }, durationMs / 1000);
    },
    call(facts: CallFacts) {
      const { tool, source, outcome, inputTokens, outputTokens, costMicros, durationMs, firstTokenMs } =
        facts;
      if (tool !== null) return tools.inc({ tool, source, outcome });
      const labels = { provider: facts.providerType, model: nameOf(facts.model), source };
      calls.inc({ ...labels, outcome });
      if (inputTokens) tokens.inc({ ...labels, direction: "input" }, inputTokens);
      if (outputTokens) tokens.inc({ ...labels, direction: "output" }, outputTokens);
      if (costMicros) cost.inc(labels, costMicros / 1_000_000);
      if (durationMs !== null) duration.observe(labels, durationMs / 1000);
      if (firstTokenMs !== null) firstToken.observe(labels, firstTokenMs / 1000);
    },
  };
}

export async function startPrometheus() {
  const { default: client } = await import("prom-client");
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const setGauges = gaugesOf(client, [registry]);
  const stop = observeTelemetry(observerOf(client, [registry]));
  return {
    contentType: registry.contentType,
    async render(orgId: string) {
      await setGauges(orgId);
      return registry.metrics();
    },
    stop() {
      stop();
      registry.clear();
    },
  };
}
