import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { builtFolder } from "~/core/programs.server";
import type { EdgeContext } from "./context";
import { cookie, readCookie } from "./cookies.server";

const COOKIE = "qd_styles";
const YEAR_SECONDS = 31_536_000;

/** Texts by address; undefined in development, where no file of the build has it. */
const texts = new Map<string, string | undefined>();

function readText(href: string): string | undefined {
  if (!texts.has(href)) {
    const file = builtFolder && join(builtFolder, "client", href);
    texts.set(href, file && existsSync(file) ? readFileSync(file, "utf8") : undefined);
  }
  return texts.get(href);
}

/**
 * Finds the style sheet's text for a browser's first page: waiting for the file would delay its first paint by a round
 * trip and by the scripts that load beside it. The cookie says that later pages have the file.
 */
export function inlineStyles(request: Request, context: Pick<EdgeContext, "secure">) {
  const found: { textOf: (href: string) => string | undefined; cookie?: string } = {
    textOf: (href) => {
      const version = basename(href, ".css");
      const text = readCookie(request, COOKIE, context) === version ? undefined : readText(href);
      if (text !== undefined) found.cookie = cookie(COOKIE, version, YEAR_SECONDS, context);
      return text;
    },
  };
  return found;
}
