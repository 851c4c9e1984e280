import { redirect } from "@remix-run/node";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { newId } from "~/core/ids.server";
import { sign, unsign } from "~/core/signing.server";
import { clip } from "~/core/well-formed";
import type { EdgeContext } from "./context";
import { cookie, readCookie } from "./cookies.server";

const ToastMessage = z.object({
  id: z.string(),
  kind: z.enum(["success", "error", "info"]),
  title: z.string(),
  description: z.string().optional(),
  /** Where Undo posts to, and the intent it posts. */
  undo: z.object({ action: z.string(), intent: z.string() }).optional(),
});
/** A message that the next page shows once. */
export type ToastMessage = z.infer<typeof ToastMessage>;

const NAME = "qd_toast";
/** Seconds within which the next page is expected. */
const LIFE = 60;
/** Seconds that a message lives on once a script has fetched it: the page may drop that answer for a newer one. */
const LIFE_AFTER_FETCH = 5;

/** Answers a form: on to the next page (303), which shows the message. */
export function redirectWithToast(
  url: string,
  message: Omit<ToastMessage, "id">,
  context: EdgeContext,
  headers: HeadersInit = {},
): Response {
  const all = new Headers(headers);
  const text = JSON.stringify({
    ...message,
    id: newId("toast"),
    // A cookie holds 4 KB: a long provider's message is cut, not lost with the whole cookie.
    ...(message.description ? { description: clip(message.description, 600) } : {}),
  });
  all.append("Set-Cookie", cookie(NAME, sign(text), LIFE, context));
  return redirect(url, { status: 303, headers: all });
}

/** Goes on to a page that shows why something failed. @throws the error where it isn't one for people */
export function redirectWithFailure(
  url: string,
  title: string,
  error: unknown,
  context: EdgeContext,
): Response {
  if (!(error instanceof AppError)) throw error;
  return redirectWithToast(url, { kind: "error", title, description: error.message }, context);
}

/**
 * The message left for this page, and the header that removes it: at once for a page, a little later for data that a
 * script fetched, which shows each message once by its id.
 */
export function readToast(
  request: Request,
  context: EdgeContext,
): { toast?: ToastMessage; headers: Headers } {
  const headers = new Headers();
  const raw = readCookie(request, NAME, context);
  if (!raw) return { headers };
  const text = unsign(raw);
  const isPage = request.headers.get("accept")?.includes("text/html") ?? false;
  const kept = text && !isPage;
  headers.append("Set-Cookie", cookie(NAME, kept ? raw : "", kept ? LIFE_AFTER_FETCH : 0, context));
  if (!text) return { headers };
  const parsed = ToastMessage.safeParse(JSON.parse(text));
  return parsed.success ? { toast: parsed.data, headers } : { headers };
}
