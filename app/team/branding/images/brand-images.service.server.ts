import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { now } from "~/core/clock.server";
import { type Db, db } from "~/core/db.server";
import { guardedFetch } from "~/core/egress/index.server";
import { AppError } from "~/core/errors";
import { builtFolder } from "~/core/process.server";
import { type Raster, readRaster } from "~/core/raster";
import type { SettingsOf } from "~/platform/settings/groups/index.schema";
import { installationOrgId } from "~/platform/settings/settings.service.server";
import { initialOf } from "../brand.shared";
import { cleanSvgInWorker } from "../brand-worker.service.server";
import { deleteOtherBrandImages, findBrandImage, insertBrandImage } from "../branding.repo.server";
import { MAX_IMAGE_BYTES } from "../branding.schema";

export interface BrandImage {
  /** A digest with the media type's extension. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

const FOLDER = "/brand/";

export const imagePath = ({ name }: Pick<BrandImage, "name">): string => `${FOLDER}${name}`;

const invalid = (message: string) => new AppError("invalid", message);

const XML = /^\uFEFF?\s*<(?:\?xml|!--|!DOCTYPE|svg|\w+:svg)/i;

async function cleanVector(bytes: Uint8Array): Promise<Buffer> {
  let source: string;
  try {
    source = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("invalid", "This SVG is not in UTF-8. Export it again.", { cause });
  }
  const cleaned = await cleanSvgInWorker(source);
  if (cleaned.kind === "refused") throw invalid(`This SVG can't be used. ${cleaned.problem}`);
  return Buffer.from(cleaned.svg);
}

/** Checks an image by its bytes; an SVG is rewritten. @throws AppError `invalid`, `too_large`, `unavailable` */
export async function readBrandImage(bytes: Uint8Array): Promise<BrandImage> {
  if (bytes.byteLength === 0) throw invalid("Choose a file.");
  if (bytes.byteLength > MAX_IMAGE_BYTES) {
    throw new AppError(
      "too_large",
      `This image is larger than ${MAX_IMAGE_BYTES / 1024} KB. Use a smaller one.`,
    );
  }
  const isVector = XML.test(Buffer.from(bytes.subarray(0, 200)).toString("utf8"));
  const raster = isVector ? { mediaType: "image/svg+xml", extension: "svg" } : checkRaster(bytes);
  if ("problem" in raster) throw invalid(raster.problem);
  const content = isVector ? await cleanVector(bytes) : Buffer.from(bytes);
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 32);
  return { name: `${digest}.${raster.extension}`, mediaType: raster.mediaType, bytes: content };
}

/**
 * Fetches an image once, through the egress guard.
 *
 * @param field name of the form field, for errors
 * @throws AppError with the field's message
 */
export async function fetchBrandImage(address: string, field: string): Promise<BrandImage> {
  try {
    const limits = { timeoutMs: 15_000, silenceMs: 10_000, maxBytes: MAX_IMAGE_BYTES };
    const response = await guardedFetch("branding:image", limits)(address);
    if (!response.ok) throw invalid(`The server returned HTTP ${response.status}. Check the address.`);
    return await readBrandImage(new Uint8Array(await response.arrayBuffer()));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, error.message, { fields: { [field]: [error.message] }, cause: error });
  }
}

const PUBLIC_FOLDER = builtFolder ? join(builtFolder, "client") : resolve("public");

/** @throws AppError `invalid` with the field if a path on this server names no file */
export async function assertImageExists(path: string, field: string): Promise<void> {
  const { pathname } = new URL(path, "http://localhost");
  const name = pathname.startsWith(FOLDER) ? pathname.slice(FOLDER.length) : undefined;
  const orgId = installationOrgId();
  const isStored =
    name !== undefined && orgId !== undefined && findBrandImage(db(), orgId, name) !== undefined;
  if (isStored || name === "icon.svg") return;
  // A URL's path has no "..".
  const file = await stat(join(PUBLIC_FOLDER, pathname)).catch(() => undefined);
  if (file?.isFile()) return;
  const message = `This server has no file at ${path.slice(0, 100)}. Upload the image, or enter its https address.`;
  throw new AppError("invalid", message, { fields: { [field]: [message] } });
}

export function saveBrandImage(tx: Db, orgId: string, image: BrandImage): void {
  insertBrandImage(tx, { orgId, ...image, createdAt: now() });
}

export function deleteUnusedBrandImages(tx: Db, orgId: string, addresses: readonly string[]): void {
  const own = addresses.filter((address) => address.startsWith(FOLDER));
  const names = own.map((address) => address.slice(FOLDER.length));
  deleteOtherBrandImages(tx, orgId, names);
}

export function drawInitial({
  appName,
  primaryColor,
}: Pick<SettingsOf<"branding">, "appName" | "primaryColor">) {
  // One character, which must not begin markup.
  const initial = initialOf(appName).replace(/[<&]/, "");
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${primaryColor}"/>` +
    `<text x="16" y="22.5" text-anchor="middle" font-family="system-ui,sans-serif" font-size="18" font-weight="600" fill="#fff">${initial}</text></svg>`;
  return { mediaType: "image/svg+xml", bytes: Buffer.from(svg) };
}

export function readStoredImage(name: string): Pick<BrandImage, "mediaType" | "bytes"> {
  const orgId = installationOrgId();
  const image = orgId === undefined ? undefined : findBrandImage(db(), orgId, name);
  if (!image) throw new AppError("not_found", "Image not found.");
  return image;
}

/** Maximum width and height, in pixels; logos are shown at 56 at most. */
const MAX_SIDE = 4096;

type CheckedRaster = Pick<Raster, "mediaType" | "extension"> | { problem: string };

export function checkRaster(bytes: Uint8Array): CheckedRaster {
  const raster = readRaster(bytes);
  if (raster === undefined)
    return { problem: "This is not an image. Use an SVG, PNG, JPEG, WebP, GIF or ICO file." };
  if (raster === "damaged") return { problem: "This image is damaged. Export it again." };
  const { width, height, mediaType, extension } = raster;
  if (Math.max(width, height) > MAX_SIDE) {
    return { problem: `This image has ${width} × ${height} pixels. Use at most ${MAX_SIDE} × ${MAX_SIDE}.` };
  }
  return { mediaType, extension };
}
