import { brandIcon, brandProperties } from "./brand.shared";
import { readBranding } from "./branding.service.server";
import { customCssAddress } from "./custom-css/custom-css.service.server";
import { pageFont } from "./font-files.service.server";

/** The brand of a page that is written without the document shell. `?safe=1` leaves out the custom CSS. */
export function pageBrand(url: URL, nonce: string | undefined) {
  const branding = readBranding();
  return {
    appName: branding.appName,
    brandStyle: brandProperties(branding),
    head: {
      font: pageFont(branding.fontFamily),
      favicon: brandIcon(branding),
      customCss: url.searchParams.get("safe") === "1" ? null : customCssAddress(),
      nonce,
    },
  };
}
