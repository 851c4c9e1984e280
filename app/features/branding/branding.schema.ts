import { z } from "zod";
import { branding } from "~/features/settings/groups/branding.schema";

/** How the console looks and what it calls itself. The defaults are the whole of it until an admin changes some. */
export const Branding = branding.values;
export type Branding = z.infer<typeof Branding>;

const version = z.int("Enter the version you read").min(0);

/** As the API answers it. */
export const BrandingAnswer = Branding.extend({ version: version.describe("Number of saves") });

/** Changes only the fields sent. */
export const BrandingInput = branding.patch.extend({
  version: version.optional().describe("The version that was read; 409 if the branding was saved since"),
});
export type BrandingInput = z.infer<typeof BrandingInput>;

/** The brand as the custom properties that styles.css derives everything from. */
export function brandProperties(branding: Branding): Record<string, string> {
  return {
    "--color-primary": branding.primaryColor,
    "--color-secondary": branding.secondaryColor,
    "--color-accent": branding.accentColor,
    "--color-background": branding.backgroundColor,
    "--color-text": branding.textColor,
    "--brand-radius": `${branding.borderRadius}px`,
  };
}
