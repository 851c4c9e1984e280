import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { describeIssue } from "~/core/parse";
import { parseWellFormed } from "~/core/well-formed";
import { authorise } from "~/platform/rights/authorization.server";
import { BrandFile } from "./branding.schema";
import {
  type MultipartFile,
  readBranding,
  readUpload,
  shownRefusal,
  updateBranding,
} from "./branding.service.server";
import { readBrandImage, readStoredImage } from "./images/brand-images.service.server";

const STORED = /^\/brand\/([0-9a-f]{32}\.[a-z]+)$/;
const TARGETS = ["logo", "favicon"] as const;

export function exportBranding(actor: Actor): BrandFile {
  authorise(actor, "settings.manage");
  const branding = readBranding();
  const images: BrandFile["images"] = {};
  for (const target of TARGETS) {
    const name = STORED.exec(branding[`${target}Url`])?.[1];
    if (!name) continue;
    const { mediaType, bytes } = readStoredImage(name);
    images[target] = { mediaType, base64: bytes.toString("base64") };
    branding[`${target}Url`] = "";
  }
  return { kind: "branding", branding, images };
}

function parseBrandFile(bytes: Uint8Array): BrandFile {
  let content: unknown;
  try {
    content = parseWellFormed(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw new AppError("invalid", "This is not valid JSON. Choose an exported brand.", { cause });
  }
  const parsed = BrandFile.safeParse(content, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [part = "kind"] = issue?.path ?? [];
  throw new AppError(
    "invalid",
    part === "kind"
      ? "This isn't an exported brand. Choose a branding.json that was exported from a console."
      : `The brand has an invalid value: ${issue?.message} (${issue?.path.join(".")}).`,
  );
}

export function importBranding(actor: Actor, parts: AsyncIterable<MultipartFile>) {
  return shownRefusal(async () => {
    authorise(actor, "settings.manage");
    const { bytes, version } = await readUpload(parts);
    const { branding, images } = parseBrandFile(bytes);
    const imageUrls: Parameters<typeof updateBranding>[2] = {};
    for (const target of TARGETS) {
      const file = images[target];
      if (file) imageUrls[`${target}Url`] = await readBrandImage(Buffer.from(file.base64, "base64"));
    }
    await updateBranding(actor, { ...branding, version }, imageUrls);
  });
}
