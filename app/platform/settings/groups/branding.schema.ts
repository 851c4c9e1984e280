import { z } from "zod";
import { choice, colour, type Field, number, text, toggle } from "~/core/field.schema";
import { defineGroup } from "./group.schema";

const THEMES = ["dark", "light", "auto"] as const;
export const Theme = z.enum(THEMES);
export type Theme = z.infer<typeof Theme>;

const FONTS = ["Inter", "Roboto", "Poppins", "Montserrat", "Source Sans Pro"] as const;
export type FontFamily = (typeof FONTS)[number];

/** Browsers drop tabs and line ends, and read backslashes as slashes: `/\t/host` would be another site. */
const ASSET = /^$|^\/(?!\/)[^\\\s\p{Cc}\p{Cf}]*$|^https:\/\/[^/]/iu;

const asset = (label: string, hint: string, appliedBy: string): Field<string> => ({
  label,
  hint,
  appliedBy,
  schema: z
    .string("Enter text")
    .trim()
    .max(2000, "Use at most 2,000 characters")
    .regex(ASSET, "Enter a path that begins with / or an https address"),
  fallback: "",
  control: { kind: "text", maxLength: 2000 },
});

const customCss: Field<string> = {
  label: "Custom CSS",
  hint: "Add styles to every page except sign-in and settings",
  appliedBy: "branding",
  schema: z.string("Enter text").max(50_000, "Use at most 50,000 characters"),
  fallback: "",
  control: { kind: "code", maxLength: 50_000 },
  long: true,
};

export const branding = defineGroup({
  id: "branding",
  label: "Branding & Theme",
  permission: "settings.manage",
  fields: {
    appName: text("Quarterdeck", {
      label: "App name",
      hint: "Set the name in the navigation and page titles",
      min: 1,
      max: 60,
      appliedBy: "shell",
    }),
    tagline: text("Chat, documents and workflows for your team, with any AI model, on your own server", {
      label: "Tagline",
      hint: "Describe the console in one line",
      max: 160,
      appliedBy: "landing",
    }),
    primaryColor: colour("#3b82f6", {
      label: "Primary",
      hint: "Color buttons and links",
      appliedBy: "branding",
    }),
    secondaryColor: colour("#8b5cf6", {
      label: "Secondary",
      hint: "Color highlights",
      appliedBy: "branding",
    }),
    accentColor: colour("#10b981", { label: "Accent", hint: "Color success states", appliedBy: "branding" }),
    backgroundColor: colour("#09090b", {
      label: "Background",
      hint: "Color the page in the dark theme",
      appliedBy: "branding",
    }),
    textColor: colour("#ffffff", {
      label: "Text",
      hint: "Color text in the dark theme",
      appliedBy: "branding",
    }),
    landingTitle: text("", {
      label: "Landing title",
      hint: "Leave blank to use the app name",
      max: 120,
      appliedBy: "landing",
    }),
    landingSubtitle: text("", {
      label: "Landing subtitle",
      hint: "Leave blank to use the tagline",
      max: 240,
      appliedBy: "landing",
    }),
    landingDescription: text(
      "Ask models from any provider, get answers from your documents with their sources, automate work in workflows, and see who did what and what it cost. One process with one data file.",
      {
        label: "Landing description",
        hint: "Describe the console below the subtitle",
        max: 600,
        appliedBy: "landing",
      },
    ),
    logoUrl: asset("Logo", "Enter a path on this server, or an https address to fetch once", "shell"),
    faviconUrl: asset(
      "Favicon",
      "Enter a path on this server, or an https address to fetch once",
      "branding",
    ),
    customCss,
    theme: choice(THEMES, "dark", {
      label: "Theme",
      hint: "Choose the theme for members without their own choice",
      appliedBy: "branding",
    }),
    fontFamily: choice(FONTS, "Inter", {
      label: "Font",
      hint: "Choose the font of all pages",
      appliedBy: "branding",
    }),
    borderRadius: number(8, {
      label: "Border radius",
      hint: "Round cards, buttons and fields, in pixels",
      min: 0,
      max: 20,
      unit: "px",
      slider: true,
      appliedBy: "branding",
    }),
    glassEffect: toggle(true, {
      label: "Glass effect",
      hint: "Make cards and the header translucent",
      appliedBy: "branding",
    }),
    backgroundPattern: choice(["none", "grid", "dots", "lines"], "grid", {
      label: "Pattern",
      hint: "Choose the pattern behind the content",
      appliedBy: "branding",
    }),
  },
});
