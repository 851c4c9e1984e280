import { z } from "zod";
import { branding } from "~/platform/settings/groups/branding.schema";

/** The default applies until an admin changes a field. */
export const Branding = branding.values;
export type Branding = z.infer<typeof Branding>;

const version = z.int("Enter the version you read").min(0);

export const BrandingResponse = Branding.extend({
  appName: Branding.shape.appName.unwrap(),
  version: version.describe("Number of saves"),
});

/** Changes only the fields sent. */
export const BrandingInput = branding.patch.extend({
  version: version.optional().describe("The version that was read; 409 if the branding was saved since"),
});
export type BrandingInput = z.infer<typeof BrandingInput>;

const Image = z.object({ mediaType: z.string().max(100), base64: z.base64().max(800_000) });

export const BrandFile = z.object({
  kind: z.literal("branding"),
  branding: branding.patch,
  images: z.object({ logo: Image.optional(), favicon: Image.optional() }).default({}),
});
export type BrandFile = z.infer<typeof BrandFile>;

/** Upload limits of the import form, in bytes. */
export const BRAND_UPLOAD = { maxBytes: 2_010_000, fileBytes: 2_000_001, files: 1 };

export const MAX_IMAGE_BYTES = 512 * 1024;

export const ImageQuery = z.object({ for: z.enum(["logo", "favicon"]).default("logo").catch("logo") });

export type ImageTarget = z.infer<typeof ImageQuery>["for"];

export const IMAGE_UPLOAD = { maxBytes: MAX_IMAGE_BYTES + 10_000, fileBytes: MAX_IMAGE_BYTES + 1, files: 1 };
