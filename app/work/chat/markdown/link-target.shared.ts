/** In place of the console's own. */
const PLACEHOLDER_ORIGIN = "https://console.invalid";

/** A model's link, resolved as a browser would. */
export type LinkTarget =
  | { kind: "own"; href: string }
  /** `destination` is the host or mail address. */
  | { kind: "outside"; href: string; destination: string };

/** Program endpoints, and signing out. */
const NO_SCREEN = /^\/+(?:api|v1|logout)(?:\/|$)/i;

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** A path that every browser resolves within the console. */
function ownScreen(href: string): LinkTarget | undefined {
  // Browsers drop tabs and line ends and read backslashes as slashes.
  if (!href.startsWith("/") || /[\\\s\p{Cc}\p{Cf}]/u.test(href) || !URL.canParse(href, PLACEHOLDER_ORIGIN))
    return undefined;
  const { origin, pathname, search, hash } = new URL(href, PLACEHOLDER_ORIGIN);
  const path = decodePath(pathname);
  if (
    origin !== PLACEHOLDER_ORIGIN ||
    path === undefined ||
    /^\/[/\\]|[\\\p{Cc}]/u.test(path) ||
    NO_SCREEN.test(path)
  ) {
    return undefined;
  }
  return { kind: "own", href: pathname + search + hash };
}

/** Without what a writer leaves out of an address. */
const bare = (address: string) =>
  address
    .trim()
    .replace(/^(?:mailto:|https?:\/\/)/i, "")
    .replace(/\/$/, "");

/** Whether a link's label is its address. As text: a label of look-alike letters would resolve to the same host. */
export const saysAddress = (label: string, href: string): boolean => bare(label) === bare(href);

/** Undefined for unsafe links, which become text. */
export function linkTarget(href: string): LinkTarget | undefined {
  if (href.startsWith("/")) return ownScreen(href);
  if (/[\p{Cc}]/u.test(href) || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (url.protocol === "mailto:") {
    return { kind: "outside", href: url.href, destination: decodePath(url.pathname) ?? url.pathname };
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  // A user name could pass for the host.
  url.username = "";
  url.password = "";
  return { kind: "outside", href: url.href, destination: url.host };
}
