import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import type { Theme } from "~/platform/settings/groups/branding.schema";
import { SettingsVersion } from "~/platform/settings/settings.schema";
import {
  installationOrgId,
  pickChanges,
  readGroupState,
  updateSettings,
} from "~/platform/settings/settings.service.server";
import { readUserSettings } from "~/team/members/preferences.service.server";
import { Branding, BrandingInput, type BrandingResponse, type ImageTarget } from "./branding.schema";
import { compileCss, saveCompiledCss } from "./custom-css/custom-css.service.server";
import {
  assertImageExists,
  type BrandImage,
  deleteUnusedBrandImages,
  fetchBrandImage,
  imagePath,
  readBrandImage,
  saveBrandImage,
} from "./images/brand-images.service.server";
import { contrastOf } from "./look.shared";

type ImageField = "logoUrl" | "faviconUrl";

export type MultipartFile =
  | { kind: "field"; name: string; value: string }
  | { kind: "file"; name: string; bytes: AsyncIterable<Uint8Array> };

type BrandingState = z.infer<typeof BrandingResponse>;

export function readBrandingResponse(): BrandingState {
  const orgId = installationOrgId();
  if (orgId === undefined) return { ...Branding.parse({}), version: 0 };
  const { values, version } = readGroupState(orgId, "branding");
  return { ...values, version };
}

export function readBranding(): Branding {
  const { version: _, ...branding } = readBrandingResponse();
  return branding;
}

/**
 * The branding of a page. `?plain=1` leaves all of it out but the name, so that colors and styles that make the
 * console unusable can be undone.
 */
export function brandingOf(url: URL): Branding {
  const branding = readBranding();
  return isPlainAddress(url) ? { ...Branding.parse({}), appName: branding.appName } : branding;
}

export const isPlainAddress = ({ searchParams }: URL): boolean => searchParams.get("plain") === "1";

/** Text below this contrast can't be read on its background. */
const MIN_CONTRAST = 3;

/** Checked when either color changes. @throws AppError `invalid` with the contrast */
function assertReadable(patch: Partial<Branding>): void {
  if (patch.textColor === undefined && patch.backgroundColor === undefined) return;
  const { textColor, backgroundColor } = { ...readBranding(), ...patch };
  const contrast = contrastOf(textColor, backgroundColor);
  if (contrast >= MIN_CONTRAST) return;
  const message = `Text ${textColor} on ${backgroundColor} has a contrast of ${contrast.toFixed(1)}:1. Choose colors with at least ${MIN_CONTRAST}:1.`;
  throw new AppError("invalid", message, {
    fields: { [patch.textColor === undefined ? "backgroundColor" : "textColor"]: [message] },
  });
}

type Images = Partial<Record<ImageField, BrandImage>>;

/**
 * Changes the given fields.
 *
 * @param uploaded images that replace the addresses of the input
 * @throws AppError as `updateSettings` and `compileCss`
 */
export async function updateBranding(
  actor: Actor,
  { version, ...patch }: BrandingInput,
  uploaded: Images = {},
): Promise<BrandingState> {
  authorise(actor, "settings.manage");
  assertReadable(patch);
  const compiled = patch.customCss === undefined ? undefined : await compileCss(patch.customCss);
  const images = { ...(await fetchImages(patch)), ...uploaded };
  return transaction((tx) => {
    for (const image of Object.values(images)) saveBrandImage(tx, actor.orgId, image);
    const paths = Object.fromEntries(Object.entries(images).map(([name, image]) => [name, imagePath(image)]));
    const saved = updateSettings(actor, "branding", { ...patch, ...paths }, version);
    if (compiled) saveCompiledCss(tx, actor.orgId, compiled);
    deleteUnusedBrandImages(tx, actor.orgId, [saved.values.logoUrl, saved.values.faviconUrl]);
    return { ...saved.values, version: saved.version };
  });
}

async function fetchImages(patch: Partial<Branding>): Promise<Images> {
  const images: Images = {};
  for (const name of ["logoUrl", "faviconUrl"] as const) {
    const address = patch[name];
    if (address?.startsWith("/")) await assertImageExists(address, name);
    else if (address) images[name] = await fetchBrandImage(address, name);
  }
  return images;
}

/** What a form shows of a refusal. */
export async function shownRefusal(work: () => Promise<void>): Promise<{ problem?: string }> {
  try {
    await work();
    return {};
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "forbidden") throw error;
    return { problem: error.message };
  }
}

export function submitBrandImage(actor: Actor, target: ImageTarget, parts: AsyncIterable<MultipartFile>) {
  return shownRefusal(async () => {
    authorise(actor, "settings.manage");
    const { bytes, version } = await readUpload(parts);
    await updateBranding(actor, { version }, { [`${target}Url`]: await readBrandImage(bytes) });
  });
}

/** @returns the uploaded file (empty without one) and the version of the form */
export async function readUpload(
  parts: AsyncIterable<MultipartFile>,
): Promise<{ bytes: Uint8Array; version: number | undefined }> {
  const pieces: Uint8Array[] = [];
  let version: number | undefined;
  for await (const part of parts) {
    if (part.kind === "field" && part.name === "version")
      version = SettingsVersion.catch(undefined).parse(part.value);
    if (part.kind === "file" && part.name === "file")
      for await (const piece of part.bytes) pieces.push(piece);
  }
  return { bytes: Buffer.concat(pieces), version };
}

export function saveBrandingForm(
  actor: Actor,
  sent: Record<string, unknown>,
  version: number | undefined,
): Promise<BrandingState> {
  return updateBranding(actor, BrandingInput.parse({ ...pickChanges(actor, "branding", sent), version }));
}

export function resetBranding(actor: Actor, version: number | undefined): Promise<BrandingState> {
  return saveBrandingForm(actor, Branding.parse({}), version);
}

export function themeOf(actor: Actor | undefined): Theme {
  return (actor && readUserSettings(actor).theme) ?? readBranding().theme;
}
