import type { Actor } from "~/core/actor";
import { runInBackground, yieldToEventLoop } from "~/core/background.server";
import { now } from "~/core/clock.server";
import { type Db, db, onCommit, transaction } from "~/core/db.server";
import { exponentialBackoff, isoTime, MINUTE, SECOND } from "~/core/durations";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { readInThread } from "~/core/read-pool.server";
import { clip } from "~/core/well-formed";
import { entryOfColumns, readLastEntry } from "~/platform/audit/audit.repo.server";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { publish } from "~/platform/events/events.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import { keysOfVariable } from "~/team/keys/keys.service.server";
import type { KeyUse } from "~/team/keys/keys.shared";
import { cutBatch, toSent } from "./batch.server";
import { sendBatch } from "./collector.server";
import { findStream, nextEntriesQuery, type StreamRow, saveStream, updateStream } from "./stream.repo.server";
import { type StreamInput, StreamSettings, type StreamState } from "./stream.schema";

/** Of a batch. */
const MAX_ENTRIES = 500;
const MAX_BYTES = 1_000_000;
/** Entries of a moment share a batch, in ms. */
const DELAY = SECOND;
/** Before the attempt after a failure, in ms. */
const BACKOFF = { first: SECOND, max: 5 * MINUTE };
/** Most that a collector's Retry-After delays the next attempt, in ms. */
const MAX_PAUSE = 15 * MINUTE;

const settingsOf = (row: StreamRow | undefined): StreamSettings => StreamSettings.parse(row?.settings ?? {});
const newestSeq = (tx: Db) => readLastEntry(tx)?.seq ?? 0;

function unsent(tx: Db, row: StreamRow | undefined): number {
  return row && settingsOf(row).enabled ? Math.max(0, newestSeq(tx) - row.position) : 0;
}

function stateOf(row: StreamRow | undefined): StreamState {
  const moment = (time: number | null | undefined) => (time ? isoTime(time) : null);
  return {
    settings: settingsOf(row),
    version: row?.version ?? 0,
    position: row?.position ?? null,
    waiting: unsent(db(), row),
    succeededAt: moment(row?.succeededAt),
    failedAt: moment(row?.failedAt),
    error: row?.error ?? null,
    failures: row?.failures ?? 0,
    nextAttemptAt: moment(row?.nextAttemptAt),
  };
}

export function readStream(actor: Actor): StreamState {
  authorise(actor, "safeguards.disable");
  return stateOf(findStream(db(), actor.orgId));
}

/** For metrics: entries that wait, and failures since the last success; undefined while the stream is off. */
export function measureStream(orgId: string): { waiting: number; failures: number } | undefined {
  const row = findStream(db(), orgId);
  if (!row || !settingsOf(row).enabled) return undefined;
  return { waiting: unsent(db(), row), failures: row.failures };
}

function assertComplete({ enabled, protocol, syslogServer, url }: StreamSettings): void {
  if (!enabled) return;
  const [name, value] = protocol === "http" ? ["url", url] : ["syslogServer", syslogServer];
  if (value !== "") return;
  const message = protocol === "http" ? "Enter the collector's address" : "Enter the syslog server";
  throw new AppError("invalid", `${message}.`, { fields: { [name]: [message] } });
}

/**
 * Changes the given settings. The next attempt follows at once.
 * @param version of the settings that it replaces; by default whichever they are
 * @throws AppError `forbidden`; `invalid`; `conflict` for another version
 */
export function saveStreamSettings(
  actor: Actor,
  { start = "continue", ...input }: StreamInput,
  version?: number,
): StreamState {
  authorise(actor, "safeguards.disable");
  transaction((tx) => {
    const row = findStream(tx, actor.orgId);
    if (version !== undefined && version !== (row?.version ?? 0))
      throw new AppError("conflict", "Someone else changed these settings. Load the page again.");
    const before = settingsOf(row);
    const settings = { ...before, ...input };
    assertComplete(settings);
    const newest = newestSeq(tx);
    const kept = start === "continue" ? row?.position : undefined;
    const position = kept ?? (start === "beginning" ? 0 : newest);
    saveStream(tx, {
      orgId: actor.orgId,
      settings: { ...settings },
      version: (row?.version ?? 0) + 1,
      position,
      succeededAt: row?.succeededAt ?? null,
      failedAt: null,
      error: null,
      failures: 0,
      nextAttemptAt: 0,
    });
    append(tx, actor, {
      action: "audit.stream_updated",
      resource: "audit:stream",
      details: { start, position },
      ...changesOf({}, before, settings),
    });
  });
  publishState(actor.orgId);
  return readStream(actor);
}

/**
 * Sends one entry that isn't of the trail: its position is 0, and it has no signature.
 * @throws AppError why the collector didn't take it
 */
export async function testStream(actor: Actor): Promise<void> {
  authorise(actor, "safeguards.disable");
  const at = now();
  const entry = toSent({
    seq: 0,
    id: "aud_test",
    orgId: actor.orgId,
    userId: actor.userId,
    action: "audit.stream_tested",
    resource: "audit:stream",
    details: { test: true },
    requestId: null,
    createdAt: at,
    mac: "",
    version: 2,
    actorKind: null,
    address: null,
    before: null,
    after: null,
  });
  await sendBatch(settingsOf(findStream(db(), actor.orgId)), [entry], AbortSignal.timeout(MINUTE));
  transaction((tx) => append(tx, actor, { action: "audit.stream_tested", resource: "audit:stream" }));
}

/** @throws AppError `conflict` if entries up to a position are still to be sent */
export function assertSent(tx: Db, orgId: string, upToSeq: number): void {
  const row = findStream(tx, orgId);
  if (!row || !settingsOf(row).enabled || row.position >= upToSeq) return;
  throw new AppError(
    "conflict",
    `The collector has the entries up to ${row.position}. Wait until the rest is sent, or turn the stream off.`,
  );
}

/** The variable of the collector's key. */
export function streamKeyUses(orgId: string): KeyUse[] {
  const { keyVariable: variable } = settingsOf(findStream(db(), orgId));
  return keysOfVariable(orgId, variable).map((keyId) => ({
    keyId,
    kind: "Audit log",
    name: "Collector",
    to: "/audit/stream",
  }));
}

const publishState = (orgId: string) => publish({ topic: "audit-stream", orgId });

/** What a batch may hold; smaller after a collector found one too large. */
let limit = MAX_ENTRIES;

async function readBatch({ orgId, position }: StreamRow) {
  const [rows = []] = await readInThread("long", [nextEntriesQuery(orgId, position, limit)]);
  return cutBatch(
    rows.map((values) => toSent(entryOfColumns(values))),
    MAX_BYTES,
  );
}

function explain(error: unknown): string {
  if (error instanceof AppError) return error.message;
  log.error("audit entries could not be sent", { error });
  return "An unexpected error occurred. The console's log has it.";
}

function recordFailure(row: StreamRow, error: unknown, sent: number): void {
  const isTooLarge = error instanceof AppError && error.code === "too_large" && sent > 1;
  if (isTooLarge) limit = Math.floor(sent / 2);
  const asked = error instanceof AppError && error.retryAfter ? error.retryAfter * SECOND : 0;
  const pause = Math.max(exponentialBackoff(row.failures, BACKOFF), Math.min(asked, MAX_PAUSE));
  const change = {
    error: clip(explain(error), 500),
    failedAt: now(),
    failures: row.failures + 1,
    nextAttemptAt: isTooLarge ? 0 : now() + pause,
  };
  transaction((tx) => updateStream(tx, row, change), { durable: false });
}

/** @returns when the next attempt is due, in ms since the epoch; undefined if no entry waits */
async function sendNext(row: StreamRow, signal: AbortSignal): Promise<number | undefined> {
  let sent = 0;
  try {
    const batch = await readBatch(row);
    sent = batch.length;
    const last = batch.at(-1);
    if (!last) return undefined;
    await sendBatch(settingsOf(row), batch, signal);
    // Slowly, or every second batch would be too large again.
    limit = Math.min(MAX_ENTRIES, limit + 1);
    const taken = { position: last.seq, succeededAt: now(), error: null, failures: 0, nextAttemptAt: 0 };
    // Lost with the power, it is sent again.
    transaction((tx) => updateStream(tx, row, taken), { durable: false });
  } catch (error) {
    if (signal.aborted) return undefined;
    recordFailure(row, error, sent);
  }
  publishState(row.orgId);
  return findStream(db(), row.orgId)?.nextAttemptAt;
}

/** Sends until no entry waits or an attempt failed. @returns when the next attempt is due, in ms since the epoch */
async function sendAll(signal: AbortSignal): Promise<number | undefined> {
  while (!signal.aborted) {
    const orgId = installationOrgId();
    const row = orgId === undefined ? undefined : findStream(db(), orgId);
    if (!row || unsent(db(), row) === 0) return undefined;
    // One that is further away was planned by a clock that has been set back since.
    const pause = row.nextAttemptAt - now();
    if (pause > 0 && pause <= MAX_PAUSE) return row.nextAttemptAt;
    if ((await sendNext(row, signal)) === undefined) return undefined;
    await yieldToEventLoop();
  }
  return undefined;
}

const NAME = "the stream of audit entries";

/**
 * Sends entries behind the commits that recorded them, one batch after the other. Nothing waits for it. It is no job:
 * a collector that hangs would take a place in a lane.
 * @returns a stop function
 */
export function startAuditStream(): () => Promise<void> {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;

  const wakeAt = (time: number) => {
    if (stopping.signal.aborted || time >= dueAt) return;
    clearTimeout(timer);
    dueAt = time;
    timer = setTimeout(wake, Math.max(0, time - now())).unref();
  };
  const wake = () => {
    dueAt = Number.POSITIVE_INFINITY;
    if (running) return;
    const end = () => {
      running = undefined;
    };
    const sending = sendAll(stopping.signal).then((next) => next !== undefined && wakeAt(next));
    // What went wrong beside sending, such as a full disk, is tried again without waiting for the next entry.
    running = sending.catch(() => wakeAt(now() + MINUTE)).then(end);
    runInBackground(NAME, () => sending);
  };
  wakeAt(now() + DELAY);
  const unsubscribe = onCommit(NAME, () => wakeAt(now() + DELAY));
  return async () => {
    unsubscribe();
    stopping.abort();
    clearTimeout(timer);
    await running;
  };
}
