import { withBase } from "~/core/base-path";

interface Props {
  font: { faces: string; preload: string };
  favicon: string;
  /** Address of the custom CSS; null for pages without it. */
  customCss: string | null;
  nonce: string | undefined;
}

const SVG = /\.svg(?:\?|$)/;

export function BrandHead({ font, favicon, customCss, nonce }: Props) {
  return (
    <>
      <link rel="preload" as="font" type="font/woff2" href={font.preload} crossOrigin="anonymous" />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: built only from the font list */}
      <style nonce={nonce} dangerouslySetInnerHTML={{ __html: font.faces }} />
      <link rel="icon" href={withBase(favicon)} {...(SVG.test(favicon) ? { type: "image/svg+xml" } : {})} />
      <link rel="manifest" href={withBase("/manifest.webmanifest")} />
      {favicon === "/icon.svg" && <link rel="apple-touch-icon" href={withBase("/icon-192.png")} />}
      {customCss && <link rel="stylesheet" href={withBase(customCss)} />}
    </>
  );
}
