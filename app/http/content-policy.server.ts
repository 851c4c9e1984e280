import { env } from "~/core/env.server";

/** Fixed pages in frames with an origin of their own. The router's addresses have no case. */
const SANDBOX = /^\/sandbox\//i;

/** What each may use; connections are refused to all. */
const SANDBOX_SOURCES: Readonly<Record<string, string>> = {
  "/sandbox/diagram": "script-src 'self';style-src 'unsafe-inline'",
  "/sandbox/html":
    "script-src 'unsafe-inline';style-src 'unsafe-inline';img-src data: blob:;media-src data: blob:;font-src data:",
};

const sandboxPolicy = (path: string): string =>
  `sandbox allow-scripts;default-src 'none';connect-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'self';${SANDBOX_SOURCES[path] ?? ""}`;

/** Pages of widgets, which bring the policy of their widget. */
const WIDGET = /^\/w\//;

/** Files of the build need no document headers, which take a kilobyte each. */
export const isAsset = (path: string): boolean => path.startsWith("/assets/");

/**
 * The content security policy of an address that has one of its own or none, also if an admin has turned the other one off.
 * @returns undefined for all other addresses
 */
export function fixedPolicy(path: string): Record<string, string> | undefined {
  if (isAsset(path) || WIDGET.test(path)) return {};
  return SANDBOX.test(path) ? { "content-security-policy": sandboxPolicy(path) } : undefined;
}

/**
 * What of a device the console's own pages may ask for. A document keeps its policy while the router shows other screens
 * in it, so that those of the chat can't have one of their own; frames with another origin have no microphone.
 */
export const DEVICE_POLICY = { "permissions-policy": "camera=(), geolocation=(), microphone=(self)" };

/** The policy of the console's own pages. */
export function contentPolicy(nonce: string, development: boolean): string {
  const issuer = env().OAUTH_ISSUER;
  const own = `'nonce-${nonce}'`;
  const directives = [
    "default-src 'none'",
    `script-src 'self' ${own}`,
    `style-src 'self' ${development ? "'unsafe-inline'" : own}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${development ? " ws:" : ""}`,
    "manifest-src 'self'",
    // Drawings and artifacts are framed from `routes/sandbox`, and no frame can leave for another host.
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Sign-out redirects to the provider's end_session, which browsers check against form-action.
    `form-action 'self'${issuer ? ` ${new URL(issuer).origin}` : ""}`,
  ];
  return directives.join(";");
}
