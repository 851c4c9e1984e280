import { z } from "zod";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { KeyNumber, keyset } from "~/core/cursor";
import { type Db, db, runInBatches, transaction } from "~/core/db.server";
import { isoTime } from "~/core/durations";
import { env } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { readInThread } from "~/core/read-pool.server";
import { append, changesOf } from "~/platform/audit/audit.service.server";
import { abortJob } from "~/platform/jobs/dispatcher.service.server";
import { cancelJobWithin, enqueue, findActive } from "~/platform/jobs/enqueue.service.server";
import { declareJob } from "~/platform/jobs/job-kind.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { keyKind, keyRefusal, listKeyReferences } from "~/team/keys/keys.service.server";
import { type KeyUse, keyLabel } from "~/team/keys/keys.shared";
import { nameOf } from "~/team/members/member-names.service.server";
import { knowledgeChanged } from "~/work/index/knowledge-changes.server";
import { assertRagEnabled } from "../access/document-access.server";
import { canBeReader, listPossibleReaders, requireReaders } from "../access/document-readers.service.server";
import { categoryNamed, listCategoryNames } from "../categories/categories.service.server";
import { listCategoryRows } from "../document-rows.repo.server";
import { SCHEDULES } from "../ingestion/ingest.shared";
import { isOpenToNetwork } from "./kinds/source-kind.server";
import { removeSourceDocument } from "./removal.server";
import { planRetarget } from "./retarget.server";
import {
  FileState,
  type Source,
  type SourceDeletion,
  type SourceFile,
  type SourceFilesQuery,
  type SourceInput,
  type SourcePatch,
  SourceValues,
  SyncResult,
} from "./source.schema";
import { PLACE_FIELDS, SOURCE_DEFAULTS, type SourceKind, sourceAddress } from "./source-fields.shared";
import type { SourceRow } from "./sources.repo.server";
import * as repo from "./sources.repo.server";

const MAX_SOURCES = 100;

/** One sync of a source: due at its schedule's time, or at once. */
export const syncJob = declareJob({
  kind: "sources.sync",
  input: z.object({ sourceId: z.string() }),
  lane: "bulk",
});

/** Queues the next sync, in place of one that waits. Call it when the schedule changes. @param at defaults to now */
export function planSync(tx: Db, { id, orgId, createdBy }: SourceRow, at?: number): void {
  enqueue(
    tx,
    syncJob,
    { sourceId: id },
    {
      orgId,
      owner: createdBy,
      subject: `source:${id}`,
      dedupeKey: id,
      ...(at === undefined ? {} : { runAt: at }),
    },
  );
}

/** @returns the id of the canceled job, for `abortJob` after the commit */
export function stopSync(tx: Db, sourceId: string, { onlyWaiting = false } = {}): string | undefined {
  const job = findActive(tx, syncJob, sourceId);
  if (!job || (onlyWaiting && job.isRunning)) return undefined;
  return cancelJobWithin(tx, job.id) ? job.id : undefined;
}

/** Admins read the whole trail, so entries of restricted sources have no name. */
export const sourceDetails = ({ visibility, name }: Pick<SourceRow, "visibility" | "name">) =>
  visibility === "named" ? {} : { name };

function refuse(field: keyof SourcePatch, message: string): never {
  throw new AppError("invalid", `${message}.`, { fields: { [field]: [message] } });
}

function valuesOf(row: SourceRow): SourceValues {
  const { name, config, keyId, categoryId, visibility, readers, syncEvery, graceDays, maxFiles, maxMb } = row;
  const category = listCategoryRows(db(), row.orgId).find(({ id }) => id === categoryId);
  return SourceValues.parse({
    ...SOURCE_DEFAULTS,
    ...config,
    ...{ name, visibility, readers, graceDays, maxFiles, maxMb },
    keyId: keyId ?? "",
    category: category?.name ?? SOURCE_DEFAULTS.category,
    sync: SCHEDULES.find(({ every }) => every === (syncEvery ?? 0))?.name ?? "off",
  });
}

function configOf(kind: SourceKind, values: SourceValues): Record<string, string> {
  const given: Readonly<Record<string, unknown>> = values;
  return Object.fromEntries(Object.keys(PLACE_FIELDS[kind]).map((name) => [name, String(given[name] ?? "")]));
}

/** What is stored of the values. @throws AppError `invalid` with the field */
function checkValues(actor: Actor, kind: SourceKind, values: SourceValues) {
  const { orgId } = actor;
  for (const [name, spec] of Object.entries(PLACE_FIELDS[kind]))
    if ("required" in spec && values[name as keyof SourceValues] === "")
      refuse(name as keyof SourcePatch, `Please enter the ${spec.label.toLowerCase()}`);
  if (kind === "folder" && !Object.hasOwn(env().SOURCE_FOLDERS ?? {}, values.folder))
    refuse("folder", "Choose a folder that an operator named in SOURCE_FOLDERS");
  if (kind === "git" && isOpenToNetwork(values.address))
    refuse("address", "Enter an https address: a repository is fetched over HTTPS");
  const keyId = kind === "folder" ? "" : values.keyId;
  if (keyId !== "") {
    if (keyKind(orgId, keyId) !== "source") refuse("keyId", "Choose a key reference of kind Document source");
    const refused = keyRefusal(orgId, keyId, new URL(values.address).origin);
    if (refused) refuse("keyId", refused.replace(/\.$/, ""));
  }
  if (kind === "s3" && (keyId === "") !== (values.accessKeyId === ""))
    refuse("accessKeyId", "Enter an access key ID together with its secret, or neither");
  const { name, visibility, graceDays, maxFiles, maxMb, sync } = values;
  return {
    ...{ name, visibility, graceDays, maxFiles, maxMb },
    config: configOf(kind, values),
    keyId: keyId === "" ? null : keyId,
    categoryId: categoryNamed(orgId, values.category).id,
    readers: visibility === "named" ? requireReaders(actor, values.readers) : [],
    syncEvery: SCHEDULES.find((schedule) => schedule.name === sync)?.every || null,
    updatedAt: now(),
  };
}

/** @throws AppError `not_found`, also for a source that the actor can't see */
function requireSource(tx: Db, actor: Actor, id: string): SourceRow {
  authorise(actor, "sources.manage");
  const row = repo.findVisibleSource(tx, actor, id);
  if (!row) throw new AppError("not_found", "Source not found. It was deleted, or you don't have access.");
  return row;
}

const CountRow = z.tuple([z.string(), FileState, z.number(), z.number()]);

async function toSources(rows: readonly SourceRow[]): Promise<Source[]> {
  const ids = rows.map(({ id }) => id);
  const [found = []] = await readInThread("screen", [repo.countQuery(db(), ids)]);
  const counts = found.map((row) => CountRow.parse(row));
  return rows.map((row) => {
    const files = { current: 0, skipped: 0, failed: 0, missing: 0 };
    for (const [sourceId, state, n, missing] of counts) {
      if (sourceId !== row.id) continue;
      if (state !== "removed") files[state] += n;
      files.missing += missing;
    }
    const job = findActive(db(), syncJob, row.id);
    const isActive = job && (job.isRunning || row.nextAt === null || row.nextAt <= now());
    const last = SyncResult.safeParse(row.lastSync).data;
    return {
      id: row.id,
      kind: row.kind,
      ...valuesOf(row),
      owner: { id: row.createdBy, name: nameOf(row.orgId, row.createdBy) },
      progress: isActive
        ? { isRunning: job.isRunning, done: job.progress?.done ?? 0, total: job.progress?.total ?? 0 }
        : null,
      files,
      lastSync: last ? { ...last, at: isoTime(last.at) } : null,
      nextSyncAt: row.nextAt === null ? null : isoTime(row.nextAt),
      createdAt: isoTime(row.createdAt),
      updatedAt: isoTime(row.updatedAt),
    };
  });
}

const toSource = async (row: SourceRow): Promise<Source> => (await toSources([row]))[0] as Source;

/** What the form of a source offers. */
export function readSourceChoices(actor: Actor) {
  authorise(actor, "sources.manage");
  return {
    categories: listCategoryNames(actor),
    colleagues: listPossibleReaders(actor).filter(({ id }) => id !== actor.userId),
    folders: Object.keys(env().SOURCE_FOLDERS ?? {}),
    keys: listKeyReferences(actor)
      .filter(({ provider }) => provider === "source")
      .map((key) => ({ value: key.id, label: keyLabel(key) })),
  };
}

export async function listSources(actor: Actor): Promise<Source[]> {
  authorise(actor, "sources.manage");
  return toSources(repo.listVisibleSources(db(), actor));
}

export async function getSource(actor: Actor, id: string): Promise<Source> {
  return toSource(requireSource(db(), actor, id));
}

const pages = keyset(z.object({ changedAt: KeyNumber, row: KeyNumber }));

/** The files of a source, last changed first. */
export function listSourceFiles(
  actor: Actor,
  id: string,
  { state, limit, cursor }: SourceFilesQuery,
): { files: SourceFile[]; next?: string } {
  requireSource(db(), actor, id);
  const after = pages.decode(cursor);
  const found = repo.listFiles(db(), actor, { sourceId: id, state, after, limit: limit + 1 });
  const { rows, ...next } = pages.page(found, limit, ({ file, row }) => ({ changedAt: file.changedAt, row }));
  const files = rows.map(({ file, document, state, error }) => ({
    path: file.path,
    state,
    reason: file.reason ?? (state === "failed" ? error : null),
    size: file.size,
    link: file.link,
    document,
    missingSince: file.missingSince === null ? null : isoTime(file.missingSince),
    changedAt: isoTime(file.changedAt),
  }));
  return { files, ...next };
}

/** Without what a form left blank. */
const givenOf = (input: object) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** Adds a source and syncs it at once. @throws AppError `invalid` with the field */
export async function createSource(actor: Actor, { kind, ...input }: SourceInput): Promise<Source> {
  authorise(actor, "sources.manage");
  assertRagEnabled(actor.orgId);
  const { orgId, userId } = actor;
  const row = transaction((tx) => {
    if (repo.countSources(tx, orgId) >= MAX_SOURCES)
      throw new AppError("conflict", `You can have at most ${MAX_SOURCES} sources. Delete one first.`);
    const values = checkValues(actor, kind, SourceValues.parse({ ...SOURCE_DEFAULTS, ...givenOf(input) }));
    const at = now();
    const id = newId("src");
    repo.insertSource(tx, { ...values, id, orgId, kind, nextAt: at, createdBy: userId, createdAt: at });
    const added = repo.findSource(tx, id) as SourceRow;
    append(tx, actor, {
      action: "source.created",
      resource: `source:${id}`,
      details: { ...sourceDetails(values), kind },
    });
    planSync(tx, added);
    return added;
  });
  knowledgeChanged({ orgId });
  return toSource(row);
}

const AUDITED = ["visibility", "syncEvery", "graceDays", "maxFiles", "maxMb"] as const;

/** Fields without which a sync has nothing else to do. */
function movesPlace(before: SourceRow, after: ReturnType<typeof checkValues>): boolean {
  const of = ({
    config,
    maxFiles,
    maxMb,
    keyId,
  }: Pick<SourceRow, "config" | "maxFiles" | "maxMb" | "keyId">) =>
    JSON.stringify([Object.entries(config).sort(), maxFiles, maxMb, keyId]);
  return of(before) !== of(after);
}

/**
 * Changes a source and syncs it at once. Its documents follow its visibility, by a job of their own, not its category.
 * @throws AppError `not_found`; `invalid` with the field
 */
export async function changeSource(actor: Actor, id: string, patch: SourcePatch): Promise<Source> {
  const { row, stopped } = transaction((tx) => {
    const before = requireSource(tx, actor, id);
    const given = givenOf(patch);
    // Without those who left.
    const readers = before.readers.filter((reader) => canBeReader(tx, actor.orgId, reader));
    const values = SourceValues.parse({ ...valuesOf(before), readers, ...given });
    const after = checkValues(actor, before.kind, values);
    const isRetargeted =
      before.isRetargeted ||
      before.visibility !== after.visibility ||
      before.readers.toSorted().join() !== after.readers.toSorted().join();
    repo.updateSourceRow(tx, id, {
      ...after,
      isRetargeted,
      nextAt: now(),
      ...(movesPlace(before, after) ? { cursor: null } : {}),
    });
    const row = repo.findSource(tx, id) as SourceRow;
    const isRestricted = before.visibility === "named" || after.visibility === "named";
    const shown = isRestricted ? AUDITED : ([...AUDITED, "name"] as const);
    const pick = (from: SourceRow) => Object.fromEntries(shown.map((name) => [name, from[name]]));
    append(tx, actor, {
      action: "source.updated",
      resource: `source:${id}`,
      details: { ...(isRestricted ? {} : { name: after.name }), fields: Object.keys(given) },
      ...changesOf({}, pick(before), pick(row)),
    });
    // They began with the settings of before.
    const stopped = [stopSync(tx, id), isRetargeted ? planRetarget(tx, actor, id) : undefined];
    planSync(tx, row);
    return { row, stopped };
  });
  for (const job of stopped) if (job) abortJob(job);
  knowledgeChanged({ orgId: actor.orgId });
  return toSource(row);
}

/** Syncs a source at once. @throws AppError `not_found` */
export async function startSync(actor: Actor, id: string): Promise<Source> {
  assertRagEnabled(actor.orgId);
  const row = transaction((tx) => {
    const source = requireSource(tx, actor, id);
    if (findActive(tx, syncJob, id)?.isRunning) return source;
    repo.updateSourceRow(tx, id, { nextAt: now() });
    append(tx, actor, {
      action: "source.sync_requested",
      resource: `source:${id}`,
      details: sourceDetails(source),
    });
    planSync(tx, source);
    return repo.findSource(tx, id) as SourceRow;
  });
  knowledgeChanged({ orgId: actor.orgId });
  return toSource(row);
}

/** Cancels the sync that runs or waits; the next one is at its scheduled time. @throws AppError `conflict` without one */
export async function cancelSync(actor: Actor, id: string): Promise<Source> {
  const { row, stopped } = transaction((tx) => {
    const source = requireSource(tx, actor, id);
    const stopped = stopSync(tx, id);
    if (!stopped) throw new AppError("conflict", "No sync is running.");
    append(tx, actor, {
      action: "source.sync_canceled",
      resource: `source:${id}`,
      details: sourceDetails(source),
    });
    scheduleNext(tx, source);
    return { row: repo.findSource(tx, id) as SourceRow, stopped };
  });
  abortJob(stopped);
  knowledgeChanged({ orgId: actor.orgId });
  return toSource(row);
}

/** Sets and queues the next scheduled sync, after one has ended. */
export function scheduleNext(tx: Db, source: SourceRow): void {
  const nextAt = source.syncEvery === null ? null : now() + source.syncEvery;
  repo.updateSourceRow(tx, source.id, { nextAt });
  if (nextAt !== null) planSync(tx, source, nextAt);
}

const DELETE_BATCH = 200;

/**
 * Deletes a source. Its documents stay, or are deleted and can be restored for ten minutes.
 * @throws AppError `not_found`
 */
export async function deleteSource(
  actor: Actor,
  id: string,
  { documents }: SourceDeletion,
): Promise<{ name: string }> {
  const { orgId } = actor;
  const source = requireSource(db(), actor, id);
  const stopped = transaction((tx) => stopSync(tx, id));
  if (stopped) abortJob(stopped);
  const at = now();
  for (;;) {
    const files = repo.listFilesAfter(db(), id, "", DELETE_BATCH);
    if (files.length === 0) break;
    const after: (() => void)[] = [];
    await runInBatches(files, (tx, { path, documentId }) => {
      if (documentId && documents === "delete") after.push(removeSourceDocument(tx, actor, documentId, at));
      repo.deleteFile(tx, id, path);
    });
    for (const notify of after) notify();
  }
  transaction((tx) => {
    const row = requireSource(tx, actor, id);
    // Queued by a change meanwhile.
    stopSync(tx, id);
    repo.deleteSourceRow(tx, id);
    append(tx, actor, {
      action: "source.deleted",
      resource: `source:${id}`,
      details: { ...sourceDetails(row), documents },
    });
  });
  knowledgeChanged({ orgId });
  return { name: source.name };
}

export function sourceKeyUses(orgId: string): KeyUse[] {
  return repo.listKeyedSources(db(), orgId).map(({ id, keyId, name, visibility }) => ({
    keyId: keyId ?? "",
    kind: "Document source",
    name: visibility === "named" ? "(restricted)" : name,
    to: sourceAddress(id),
  }));
}
