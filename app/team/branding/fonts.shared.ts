import type { FontFamily } from "~/platform/settings/groups/branding.schema";

/** Each font's family name in its files. Source Sans Pro has been published as Source Sans 3 since 2021. */
export const FONT_FAMILIES: Readonly<Record<FontFamily, string>> = {
  Inter: "Inter Variable",
  Roboto: "Roboto Variable",
  Poppins: "Poppins",
  Montserrat: "Montserrat Variable",
  "Source Sans Pro": "Source Sans 3 Variable",
};
