import { withBase } from "~/core/base-path";
import { readRaster } from "~/core/raster";
import { brandIcon } from "./brand.shared";
import { readBranding } from "./branding.service.server";
import { imagePath, readStoredImage } from "./images/brand-images.service.server";

interface Icon {
  src: string;
  type: string;
  sizes: string;
  purpose?: "maskable";
}

const png = (name: string, side: number, purpose?: "maskable"): Icon => ({
  src: withBase(`/${name}.png`),
  type: "image/png",
  sizes: `${side}x${side}`,
  ...(purpose && { purpose }),
});

const vector = (path: string): Icon => ({ src: withBase(path), type: "image/svg+xml", sizes: "any" });

function iconsOf(path: string): Icon[] {
  if (path === "/icon.svg")
    return [vector(path), png("icon-192", 192), png("icon-512", 512), png("icon-maskable", 512, "maskable")];
  const name = path.split("/").at(-1) ?? "";
  if (/\.svg(?:\?|$)/.test(name) || path !== imagePath({ name })) return [vector(path)];
  const raster = readRaster(readStoredImage(name).bytes);
  if (raster === undefined || raster === "damaged") return [];
  return [{ src: withBase(path), type: raster.mediaType, sizes: `${raster.width}x${raster.height}` }];
}

/** What a browser installs the console with: its name and icon, as the brand has them. */
export function readManifest() {
  const branding = readBranding();
  const { appName, backgroundColor } = branding;
  return {
    id: withBase("/"),
    name: appName,
    short_name: appName.length > 12 ? (appName.split(/\s+/)[0] ?? appName) : appName,
    start_url: withBase("/"),
    scope: withBase("/"),
    display: "standalone",
    background_color: backgroundColor,
    theme_color: backgroundColor,
    icons: iconsOf(brandIcon(branding)),
    shortcuts: [
      { name: "New Chat", url: withBase("/chat") },
      { name: "Notifications", url: withBase("/notifications") },
    ],
  };
}
