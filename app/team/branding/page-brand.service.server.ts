import poppins400Latin from "@fontsource/poppins/files/poppins-latin-400-normal.woff2?url";
import poppins500Latin from "@fontsource/poppins/files/poppins-latin-500-normal.woff2?url";
import poppins600Latin from "@fontsource/poppins/files/poppins-latin-600-normal.woff2?url";
import poppins700Latin from "@fontsource/poppins/files/poppins-latin-700-normal.woff2?url";
import poppins400LatinExt from "@fontsource/poppins/files/poppins-latin-ext-400-normal.woff2?url";
import poppins500LatinExt from "@fontsource/poppins/files/poppins-latin-ext-500-normal.woff2?url";
import poppins600LatinExt from "@fontsource/poppins/files/poppins-latin-ext-600-normal.woff2?url";
import poppins700LatinExt from "@fontsource/poppins/files/poppins-latin-ext-700-normal.woff2?url";
import stixTwoMath from "@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2?url";
import interLatinExt from "@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2?url";
import interLatin from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url";
import montserratLatinExt from "@fontsource-variable/montserrat/files/montserrat-latin-ext-wght-normal.woff2?url";
import montserratLatin from "@fontsource-variable/montserrat/files/montserrat-latin-wght-normal.woff2?url";
import robotoLatinExt from "@fontsource-variable/roboto/files/roboto-latin-ext-wght-normal.woff2?url";
import robotoLatin from "@fontsource-variable/roboto/files/roboto-latin-wght-normal.woff2?url";
import sourceSansLatinExt from "@fontsource-variable/source-sans-3/files/source-sans-3-latin-ext-wght-normal.woff2?url";
import sourceSansLatin from "@fontsource-variable/source-sans-3/files/source-sans-3-latin-wght-normal.woff2?url";
import { builtAddress } from "~/core/base-path";
import type { FontFamily } from "~/platform/settings/groups/branding.schema";
import { brandIcon, brandProperties } from "./brand.shared";
import { brandingOf, isPlainAddress } from "./branding.service.server";
import { customCssAddress } from "./custom-css/custom-css.service.server";
import { FONT_FAMILIES } from "./look.shared";

/** The brand of a page that is written without the document shell. See `brandingOf`. */
export function pageBrand(url: URL, nonce: string | undefined) {
  const branding = brandingOf(url);
  return {
    appName: branding.appName,
    brandStyle: brandProperties(branding),
    head: {
      font: pageFont(branding.fontFamily),
      favicon: brandIcon(branding),
      customCss: isPlainAddress(url) ? null : customCssAddress(),
      nonce,
    },
  };
}

/** Ranges of Google Fonts' subsets, as @fontsource's own style sheets have them. */
const LATIN =
  "U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD";
const LATIN_EXT =
  "U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF";

interface FontFile {
  weight: string;
  latin: string;
  latinExt: string;
}

const FILES: Readonly<Record<FontFamily, readonly FontFile[]>> = {
  Inter: [{ weight: "100 900", latin: interLatin, latinExt: interLatinExt }],
  Roboto: [{ weight: "100 900", latin: robotoLatin, latinExt: robotoLatinExt }],
  Montserrat: [{ weight: "100 900", latin: montserratLatin, latinExt: montserratLatinExt }],
  "Source Sans Pro": [{ weight: "200 900", latin: sourceSansLatin, latinExt: sourceSansLatinExt }],
  // Has no variable edition.
  Poppins: [
    { weight: "400", latin: poppins400Latin, latinExt: poppins400LatinExt },
    { weight: "500", latin: poppins500Latin, latinExt: poppins500LatinExt },
    { weight: "600", latin: poppins600Latin, latinExt: poppins600LatinExt },
    { weight: "700", latin: poppins700Latin, latinExt: poppins700LatinExt },
  ],
};

/** Formulas need a font with a table of their measures, which many systems lack. A page loads it where it has one. */
const mathFace = () =>
  `@font-face{font-family:"STIX Two Math";font-display:swap;src:url(${builtAddress(stixTwoMath)}) format("woff2")}`;

export function pageFont(name: FontFamily) {
  const files = FILES[name];
  // Optional: a font that arrives after the first paint would move the text; the next page has it.
  const face = (weight: string, file: string, range: string) =>
    `@font-face{font-family:"${FONT_FAMILIES[name]}";font-style:normal;font-display:optional;font-weight:${weight};src:url(${builtAddress(file)}) format("woff2");unicode-range:${range}}`;
  return {
    faces:
      files
        .map(({ weight, latin, latinExt }) => face(weight, latinExt, LATIN_EXT) + face(weight, latin, LATIN))
        .join("") + mathFace(),
    /** File of the body text, needed at once. */
    preload: builtAddress(files[0]?.latin ?? ""),
  };
}

export const previewFonts = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(FILES).map(([name, files]) => [name, builtAddress(files[0]?.latin ?? "")]),
  );
