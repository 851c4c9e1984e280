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
