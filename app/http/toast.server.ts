import { redirect } from "@remix-run/node";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { sign, unsign } from "~/core/secrets.server";
import { explainStorageFault } from "~/core/storage-faults.server";
import { clip } from "~/core/well-formed";
import type { EdgeContext } from "./context.server";
import { cookie, readCookie } from "./cookies.server";

const ToastMessage = z.object({
  id: z.string(),
  kind: z.enum(["success", "error", "info"]),
  title: z.string(),
  description: z.string().optional(),
  undo: z.object({ action: z.string(), intent: z.string() }).optional(),
});
export type ToastMessage = z.infer<typeof ToastMessage>;

const NAME = "qd_toast";
const LIFE = 60;
/** Lifetime after a script fetched the message (seconds), since the page may drop that response for a newer one. */
const LIFE_AFTER_FETCH = 5;

/** Adds the cookie with which the next page, or this one once it is reloaded, shows the message. */
export function addToast(headers: Headers, message: Omit<ToastMessage, "id">, context: EdgeContext): void {
  const text = JSON.stringify({
    ...message,
    id: newId("toast"),
    // Cookies are limited to 4 KB.
    ...(message.description ? { description: clip(message.description, 600) } : {}),
  });
  headers.append("Set-Cookie", cookie(NAME, sign(text), LIFE, context, true));
}

/** Redirects a form (303) to a page that shows the message. */
export function redirectWithToast(
  url: string,
  message: Omit<ToastMessage, "id">,
  context: EdgeContext,
): Response {
  const headers = new Headers();
  addToast(headers, message, context);
  return redirect(url, { status: 303, headers });
}

/** Redirects to a page that shows the failure. @throws unexpected errors */
export function redirectWithFailure(
  url: string,
  title: string,
  thrown: unknown,
  context: EdgeContext,
): Response {
  const error = explainStorageFault(thrown);
  if (!(error instanceof AppError)) throw error;
  return redirectWithToast(url, { kind: "error", title, description: error.message }, context);
}

/**
 * The page's message, and the header that removes it. Messages fetched by a script live a little longer and
 * are deduplicated by id.
 */
export function readToast(
  request: Request,
  context: EdgeContext,
): { toast?: ToastMessage & { forget: string }; headers: Headers } {
  const headers = new Headers();
  const raw = readCookie(request, NAME, context);
  if (!raw) return { headers };
  const text = unsign(raw);
  const isPage = request.headers.get("accept")?.includes("text/html") ?? false;
  const isKept = Boolean(text) && !isPage;
  headers.append("Set-Cookie", cookie(NAME, isKept ? raw : "", isKept ? LIFE_AFTER_FETCH : 0, context, true));
  if (!text) return { headers };
  const parsed = ToastMessage.safeParse(JSON.parse(text));
  if (!parsed.success) return { headers };
  return { toast: { ...parsed.data, forget: cookie(NAME, "", 0, context, true) }, headers };
}
