import { brandIcon, brandProperties } from "./brand.shared";
import { brandingOf, isPlainAddress } from "./branding.service.server";
import { customCssAddress } from "./custom-css/custom-css.service.server";
import { pageFont } from "./font-files.service.server";

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
