/** Stands for the console's own origin; no link can name it. */
const HERE = "https://console.invalid";

/** Where a link that a model wrote leads, as a browser would follow it. */
export type LinkTarget =
  | { kind: "own"; href: string }
  /** `place` is the host, or the address of a mail. */
  | { kind: "outside"; href: string; place: string };

/** Below these paths answers are for programs, and the last ends the session. */
const NO_SCREEN = /^\/+(?:api|v1|logout)(?:\/|$)/i;

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** A screen of the console itself: plainly a path, and one on this origin however it is read. */
function ownScreen(href: string): LinkTarget | undefined {
  // Browsers leave out tabs and line ends and take a backslash for a slash.
  if (!href.startsWith("/") || /[\\\s\p{Cc}\p{Cf}]/u.test(href) || !URL.canParse(href, HERE))
    return undefined;
  const { origin, pathname, search, hash } = new URL(href, HERE);
  const path = decoded(pathname);
  if (origin !== HERE || path === undefined || /^\/[/\\]|[\\\p{Cc}]/u.test(path) || NO_SCREEN.test(path)) {
    return undefined;
  }
  return { kind: "own", href: pathname + search + hash };
}

/** Undefined for what a person shouldn't follow: then the link is text. */
export function linkTarget(href: string): LinkTarget | undefined {
  if (href.startsWith("/")) return ownScreen(href);
  if (/[\p{Cc}]/u.test(href) || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (url.protocol === "mailto:") {
    return { kind: "outside", href: url.href, place: decoded(url.pathname) ?? url.pathname };
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  // A name before the host could pass for it.
  url.username = "";
  url.password = "";
  return { kind: "outside", href: url.href, place: url.host };
}
