import { z } from "zod";

const Colour = z.string().regex(/^#[0-9a-f]{6}$/i, "Write the colour as # and six hexadecimal digits");

export const Theme = z.enum(["dark", "light", "auto"]);
export type Theme = z.infer<typeof Theme>;

/** How the console looks and what it calls itself. The defaults are the whole of it until an admin changes some. */
export const Branding = z.object({
  appName: z.string().min(1).max(60).default("Quarterdeck"),
  tagline: z.string().max(160).default("The operations console for your team's AI work"),
  primaryColor: Colour.default("#3b82f6"),
  secondaryColor: Colour.default("#8b5cf6"),
  accentColor: Colour.default("#10b981"),
  backgroundColor: Colour.default("#09090b"),
  textColor: Colour.default("#ffffff"),
  landingTitle: z.string().max(120).default(""),
  landingSubtitle: z.string().max(240).default(""),
  landingDescription: z
    .string()
    .max(600)
    .default(
      "Chat with models from any provider, let them call tools, give them a persona, and see who did what and what it cost. It runs on your own machine, in one process with one data file.",
    ),
  logoUrl: z.string().max(2000).default(""),
  faviconUrl: z.string().max(2000).default(""),
  customCss: z.string().max(50_000).default(""),
  theme: Theme.default("dark"),
  fontFamily: z.enum(["Inter", "Roboto", "Poppins", "Montserrat", "Source Sans Pro"]).default("Inter"),
  borderRadius: z.number().int().min(0).max(20).default(8),
  glassEffect: z.boolean().default(true),
  backgroundPattern: z.enum(["none", "grid", "dots", "lines"]).default("grid"),
});
export type Branding = z.infer<typeof Branding>;

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
