import { Branding } from "./branding.schema";
import { FONT_FAMILIES } from "./look.shared";

const isPath = (address: string) => /^\/(?!\/)[^\\\s\p{Cc}\p{Cf}]*$/u.test(address);

export const initialOf = (name: string): string => [...name.trim()][0]?.toUpperCase() ?? "";

export const brandInitial = ({ appName }: Pick<Branding, "appName">): string =>
  appName === Branding.shape.appName.parse(undefined) ? "" : initialOf(appName);

export function brandIcon(branding: Branding): string {
  const { faviconUrl, logoUrl, primaryColor } = branding;
  if (isPath(faviconUrl)) return faviconUrl;
  if (isPath(logoUrl)) return logoUrl;
  const letter = brandInitial(branding);
  if (letter === "") return "/icon.svg";
  return `/brand/icon.svg?${new URLSearchParams({ letter, color: primaryColor.slice(1) })}`;
}

/** styles.css derives all colors and shapes from these custom properties. */
export function brandProperties(branding: Branding): Record<string, string> {
  return {
    "--color-primary": branding.primaryColor,
    "--color-secondary": branding.secondaryColor,
    "--color-accent": branding.accentColor,
    "--color-background": branding.backgroundColor,
    "--color-text": branding.textColor,
    "--brand-radius": `${branding.borderRadius}px`,
    "--font-sans": `"${FONT_FAMILIES[branding.fontFamily]}", ui-sans-serif, system-ui, sans-serif`,
    // Inter's alternate forms; other fonts use these names differently.
    "--font-features": branding.fontFamily === "Inter" ? '"cv11", "ss03"' : "normal",
  };
}
