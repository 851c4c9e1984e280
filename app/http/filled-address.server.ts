import { redirect } from "@remix-run/node";

/** Removes empty parameters, which filter forms add. @param allowedEmpty names whose empty values are meaningful */
export function redirectToFilled(
  request: Request,
  allowedEmpty: readonly string[] = [],
): Response | undefined {
  const url = new URL(request.url);
  const filled = [...url.searchParams].filter(([name, value]) => value !== "" || allowedEmpty.includes(name));
  if (filled.length === url.searchParams.size) return undefined;
  const search = new URLSearchParams(filled);
  return redirect(search.size > 0 ? `${url.pathname}?${search}` : url.pathname);
}
