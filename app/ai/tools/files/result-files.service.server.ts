import { createHash } from "node:crypto";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, db, groupedTransaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { log } from "~/core/log.server";
import { readRaster } from "~/core/raster";
import { clip } from "~/core/well-formed";
import { authorise, may } from "~/platform/rights/authorization.server";
import { cleanSvgInWorker } from "~/team/branding/brand-worker.service.server";
import type { UsageSource } from "~/team/usage/usage.service.server";
import {
  type FileOwner,
  findNamedFile,
  findResultFile,
  findRunFile,
  insertResultFile,
  measureResultFiles,
  ownerExists,
  type ResultFileRow,
} from "./result-files.repo.server";
import type { NewFile, ResultFile } from "./result-files.shared";

const MAX_BYTES = 4_000_000;
/** Of an image that can be shown. */
const MAX_IMAGE_BYTES = 8_000_000;
/** Per conversation or run. */
const MAX_FILES = 200;
/** Of all files of a conversation or run, in bytes. */
const MAX_TOTAL_BYTES = 100_000_000;
/** In bytes: cleaning takes time. */
const MAX_SVG_BYTES = 1_000_000;
const SVG = /^\s*(?:<\?xml[^>]*>\s*)?<svg[\s>]/;
const NAME_LENGTH = 100;
const MAX_SIDE = 8000;
const MAX_PIXELS = 40_000_000;

const DISPLAYABLE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function ownerOf({
  conversationId,
  runId,
}: Pick<UsageSource, "conversationId" | "runId">): FileOwner | undefined {
  if (conversationId) return { conversationId, runId: null };
  return runId ? { conversationId: null, runId } : undefined;
}

/** Undefined unless it is an SVG. */
async function cleanSvg(bytes: Buffer): Promise<Buffer | undefined> {
  if (bytes.length > MAX_SVG_BYTES || !SVG.test(bytes.subarray(0, 2000).toString())) return undefined;
  const cleaned = await cleanSvgInWorker(bytes.toString()).catch((error: unknown) => {
    log.warn("an SVG of a tool's result can't be checked", { error });
    return undefined;
  });
  return cleaned?.kind === "clean" ? Buffer.from(cleaned.svg) : undefined;
}

const DOWNLOAD = "application/octet-stream";
/** Types that a sender may name: none that a browser shows or runs. */
const NAMED_TYPE =
  /^(?:(?:audio|video|font)\/[a-z0-9.+-]+|text\/(?:plain|csv|markdown|calendar)|application\/(?!.*(?:xml|html|script))[a-z0-9.+-]+)$/;

function namedType(type = ""): string {
  const essence = type.slice(0, 200).split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return NAMED_TYPE.test(essence) ? essence : DOWNLOAD;
}

/** By content: a displayable image, or a download. */
function mediaTypeOf(bytes: Buffer, type?: string): string {
  const raster = readRaster(bytes);
  if (raster === undefined) return namedType(type);
  if (raster === "damaged") return DOWNLOAD;
  const { mediaType, width, height } = raster;
  const isShown =
    DISPLAYABLE_TYPES.includes(mediaType) &&
    Math.max(width, height) <= MAX_SIDE &&
    width * height <= MAX_PIXELS;
  return isShown ? mediaType : DOWNLOAD;
}

type UnownedFile = Omit<ResultFileRow, keyof FileOwner>;

/** Checks a file that isn't stored yet. @returns undefined if it is empty or too large */
export async function prepareResultFile(
  orgId: string,
  { name, type, bytes: sent }: NewFile,
): Promise<UnownedFile | undefined> {
  const max = mediaTypeOf(sent).startsWith("image/") ? MAX_IMAGE_BYTES : MAX_BYTES;
  if (sent.length === 0 || sent.length > max) return undefined;
  const svg = await cleanSvg(sent);
  const bytes = svg ?? sent;
  return {
    id: newId("tfl"),
    orgId,
    name: clip(name.toWellFormed().replaceAll(/[\p{Cc}/\\]/gu, "_"), NAME_LENGTH) || "File",
    mediaType: svg ? "image/svg+xml" : mediaTypeOf(bytes, type),
    size: bytes.length,
    sha: createHash("sha256").update(bytes).digest("hex"),
    bytes,
    createdAt: now(),
  };
}

export const toResultFile = ({ id, name, mediaType, size }: UnownedFile): ResultFile => ({
  id,
  name,
  mediaType,
  size,
});

/** Stores the files that a run begins with, in the transaction that adds it. */
export function addRunFiles(tx: Db, runId: string, files: readonly UnownedFile[]): void {
  for (const file of files) insertResultFile(tx, { ...file, conversationId: null, runId });
}

function hasRoom(tx: Db, owner: FileOwner, size: number): boolean {
  if (!ownerExists(tx, owner)) return false;
  const { files, bytes } = measureResultFiles(tx, owner);
  return files < MAX_FILES && bytes + size <= MAX_TOTAL_BYTES;
}

/** Whether an image of any size could be kept with what makes it: not in temporary chats and trials of workflows. */
export function hasRoomForImage(source: Pick<UsageSource, "conversationId" | "runId">): boolean {
  const owner = ownerOf(source);
  return owner !== undefined && hasRoom(db(), owner, MAX_IMAGE_BYTES);
}

/** Stores a file with its conversation or run. @returns undefined if too large, too many, or nothing to keep it with */
export async function keepResultFile(
  { orgId }: Pick<Actor, "orgId">,
  source: UsageSource,
  file: NewFile,
): Promise<ResultFile | undefined> {
  const owner = ownerOf(source);
  const prepared = owner && (await prepareResultFile(orgId, file));
  if (!owner || !prepared) return undefined;
  const row: ResultFileRow = { ...prepared, ...owner };
  const isKept = await groupedTransaction((tx) => {
    if (!hasRoom(tx, owner, row.size)) return false;
    insertResultFile(tx, row);
    return true;
  });
  return isKept ? toResultFile(row) : undefined;
}

/** Stores an image that a model made. @param title its name without an extension @returns also undefined for anything else */
export async function keepMadeImage(
  actor: Pick<Actor, "orgId">,
  source: UsageSource,
  title: string,
  bytes: Buffer,
): Promise<ResultFile | undefined> {
  const raster = readRaster(bytes);
  if (raster === undefined || raster === "damaged") return undefined;
  return keepResultFile(actor, source, { name: `${title}.${raster.extension}`, bytes });
}

/** For later steps of runs: a file of any run of the organization. @throws AppError `not_found` */
export function readRunFile(orgId: string, id: string): ResultFileRow {
  const row = findRunFile(db(), orgId, id);
  if (!row)
    throw new AppError(
      "not_found",
      "A file is no longer stored, or isn't one of a run. Run the workflow again.",
    );
  return row;
}

/** Undefined if deleted. */
export function readResultFile(actor: Actor, id: string): ResultFileRow | undefined {
  authorise(actor, "screens.read");
  const row = findResultFile(db(), actor.orgId, actor.userId ?? "", id);
  // As a run's data: attachments of messages are among them.
  return row?.runId == null || may(actor, "workflows.write") ? row : undefined;
}

/** The newest file with this name or id of a conversation that is the actor's own. */
export function openNamedFile(actor: Actor, conversationId: string, name: string): ResultFileRow | undefined {
  const row = findNamedFile(db(), conversationId, name);
  return row && readResultFile(actor, row.id);
}

/** @throws AppError `not_found` */
export function openResultFile(actor: Actor, id: string): ResultFileRow {
  const row = readResultFile(actor, id);
  if (!row) throw new AppError("not_found", "File not found. Its conversation or run may have been deleted.");
  return row;
}
