import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import styles from "~/styles.css?url";
import type { EdgeContext } from "./context";
import { cookie, readCookie } from "./cookies.server";

const COOKIE = "qd_styles";
const YEAR_SECONDS = 31_536_000;

const file = join(process.cwd(), "build/client", styles);
/** Undefined in development, whose style sheet changes. */
const text = existsSync(file) ? readFileSync(file, "utf8") : undefined;
const version = basename(styles, ".css");

/**
 * The style sheet's text for a browser's first page: waiting for the file would delay its first paint by a round trip and
 * by the scripts that load beside it. The cookie says that later pages have the file.
 */
export function inlineStyles(
  request: Request,
  context: Pick<EdgeContext, "secure">,
): { text: string; cookie: string } | undefined {
  if (text === undefined || readCookie(request, COOKIE, context) === version) return undefined;
  return { text, cookie: cookie(COOKIE, version, YEAR_SECONDS, context) };
}
