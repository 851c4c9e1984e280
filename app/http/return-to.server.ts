import { redirect } from "@remix-run/node";
import { withoutBase } from "~/core/base-path";

/** Placeholder origin for parsing addresses. */
const PLACEHOLDER_ORIGIN = "http://console.invalid";
/** Paths that aren't pages or would cause a redirect loop. */
const NO_PAGE = /^\/(api\/|login$|logout$)/;

export function safeReturnTo(value: unknown): string {
  if (typeof value !== "string" || value.length > 2000) return "/";
  if (
    !/^\/(?!\/)[\x21-\x7e]*$/.test(value) ||
    value.includes("\\") ||
    !URL.canParse(value, PLACEHOLDER_ORIGIN)
  )
    return "/";
  const url = new URL(value, PLACEHOLDER_ORIGIN);
  if (url.origin !== PLACEHOLDER_ORIGIN || url.pathname.startsWith("//") || NO_PAGE.test(url.pathname))
    return "/";
  return url.pathname + url.search + url.hash;
}

/** The address of a screen's request without the base path, and without what Remix adds for data. */
export function screenAddress(request: Pick<Request, "url">): URL {
  const url = new URL(request.url);
  url.pathname = withoutBase(url.pathname.replace(/\.data$/, ""));
  return url;
}

/** The page below a dialog, with its search, filters and page number. @param more parameters of the dialog */
export function withoutDialog({ pathname, searchParams }: URL, ...more: string[]): string {
  const parameters = new URLSearchParams(searchParams);
  for (const name of ["dialog", "id", ...more]) parameters.delete(name);
  return parameters.size > 0 ? `${pathname}?${parameters}` : pathname;
}

/** The page that a form was sent from, as browsers name it. */
export function refererPath({ headers }: Request): string | undefined {
  const referer = headers.get("referer") ?? "";
  if (!URL.canParse(referer)) return undefined;
  const { pathname, search } = new URL(referer);
  return safeReturnTo(withoutBase(pathname) + search);
}

/** Removes empty parameters, which filter forms add. @param allowedEmpty names whose empty values are meaningful */
export function redirectToFilled(
  request: Request,
  allowedEmpty: readonly string[] = [],
): Response | undefined {
  const url = screenAddress(request);
  const filled = [...url.searchParams].filter(([name, value]) => value !== "" || allowedEmpty.includes(name));
  if (filled.length === url.searchParams.size) return undefined;
  const search = new URLSearchParams(filled);
  return redirect(search.size > 0 ? `${url.pathname}?${search}` : url.pathname);
}
