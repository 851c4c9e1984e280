import { redirect } from "@remix-run/node";

/**
 * Sends a request on to its address without the parameters that say nothing, as a form for filters leaves them behind:
 * what is in the address bar is what is passed on.
 *
 * @param kept names that say something when they are empty, too
 */
export function redirectToFilled(request: Request, kept: readonly string[] = []): Response | undefined {
  const url = new URL(request.url);
  const filled = [...url.searchParams].filter(([name, value]) => value !== "" || kept.includes(name));
  if (filled.length === url.searchParams.size) return undefined;
  const search = new URLSearchParams(filled);
  return redirect(search.size > 0 ? `${url.pathname}?${search}` : url.pathname);
}
