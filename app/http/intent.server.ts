import type { SubmissionResult } from "@conform-to/zod/v4";
import { data, redirect, replace } from "@remix-run/node";
import type { z } from "zod";
import { AppError } from "~/core/errors";
import type { Access, ActorOf } from "./authentication.server";
import type { EdgeContext } from "./context";
import { type FormOptions, invalidForm, type ParsedForm, parseForm, screenProblem } from "./form.server";
import type { MultipartPart, UploadLimits } from "./multipart.server";
import type { Parsed } from "./resource.server";
import { redirectWithToast, type ToastMessage } from "./toast.server";

/** One posted form, before it is parsed. */
export interface PostedForm<A> {
  actor: A;
  params: Readonly<Record<string, string | undefined>>;
  /** The screen's address, as the form was posted to it. */
  url: URL;
  /** The path to which the form or the address asks to return; undefined where neither does. */
  returnTo: string | undefined;
  /** The form's other fields; empty for an upload. */
  form: FormData;
  request: Request;
  context: EdgeContext;
}

interface IntentInput<A, S> extends PostedForm<A> {
  input: Parsed<S>;
  /** The value of the field that `target` names. */
  target: string;
  /** The parts of an upload, as they come. */
  parts: AsyncIterable<MultipartPart>;
}

type Toast = Omit<ToastMessage, "id">;

/** Where a success leads, and what the next page says about it. */
interface Redirect {
  /** `back` without it. */
  to?: string;
  toast?: string | Toast;
  headers?: HeadersInit;
  /** Leaves no entry in the browser's history. */
  replace?: true;
}

/** An answer that stays on the page, such as a secret that is shown once. */
interface Shown<D> {
  show: D;
  status?: number;
}

/** A text is the toast of a success that leads `back`. */
type Outcome<D> = string | Redirect | Shown<D> | Response;

/**
 * How a refusal is shown. In a dialog it is above its buttons; where what it is about has gone, the dialog has too, and
 * it is a toast. `page` is the error page, for what no person meets who uses the screen's own forms.
 */
type Failed = { toast: string } | { dialog: string } | "fields" | "page";

interface IntentDefinition<A, S, R, D> extends FormOptions {
  /** The permission it takes; a screen's own access is checked as well. */
  access: A;
  /** Parses the form. */
  input?: S;
  /** The field that says what the form is about, such as `id`; it isn't part of `input`. */
  target?: string;
  /** Most bytes of a multipart form; 1 MB without it. */
  maxBytes?: number;
  /**
   * For a form with files: `run` reads its `parts`. Beside other intents every multipart form of the screen is its, and
   * the others' buttons send theirs as another type.
   */
  upload?: UploadLimits;
  run(input: IntentInput<ActorOf<A>, S>): R | Promise<R>;
  /** Without it a success leads `back` and says nothing. */
  done?: string | Redirect | ((result: R, input: IntentInput<ActorOf<A>, S>) => Outcome<D>);
  /** Beside the fields without it; on the error page where there is no `input`. */
  failed?: Failed;
  /** Says a refusal in other words. */
  describe?(detail: string): string;
  /** Where the person continues; the screen's `back` without it. */
  back?(input: PostedForm<ActorOf<A>>): string;
}

/** What an action answers where it doesn't lead to another page. */
export interface ScreenAnswer<D> {
  /** A refused form: its errors, and what was typed. */
  result: SubmissionResult | undefined;
  /** A refused confirmation, for `ConfirmDialog`. */
  failed: { title: string; description: string } | undefined;
  shown: D | undefined;
}

/** An intent with its types erased, but for what it shows. */
export interface Intent<D> extends FormOptions {
  access: Access;
  input?: z.ZodType;
  target?: string;
  maxBytes?: number;
  upload?: UploadLimits;
  run(input: IntentInput<unknown, undefined>): unknown;
  done?: string | Redirect | ((result: unknown, input: IntentInput<unknown, undefined>) => Outcome<D>);
  failed?: Failed;
  describe?(detail: string): string;
  back?(input: PostedForm<unknown>): string;
}

/** One thing that a screen's form asks for, by the value of the pressed button's `intent`. */
export function intent<
  const A extends Access,
  S extends z.ZodType | undefined = undefined,
  R = unknown,
  D = never,
>(definition: IntentDefinition<A, S, R, D>): Intent<D> {
  // `runIntent` hands each intent exactly what its own schema parsed, so the erased signature is safe.
  return definition as unknown as Intent<D>;
}

function answer<D>(value: Partial<ScreenAnswer<D>>, status: number) {
  return data<ScreenAnswer<D>>(
    { result: undefined, failed: undefined, shown: undefined, ...value },
    { status },
  );
}

function answerSuccess<D>(outcome: Outcome<D>, back: string, context: EdgeContext) {
  if (outcome instanceof Response) return outcome;
  if (typeof outcome === "object" && "show" in outcome)
    return answer<D>({ shown: outcome.show }, outcome.status ?? 200);
  const redirection: Redirect = typeof outcome === "string" ? { toast: outcome } : outcome;
  const { to = back, toast, headers = {} } = redirection;
  if (toast === undefined) return (redirection.replace ? replace : redirect)(to, { status: 303, headers });
  const message = typeof toast === "string" ? ({ kind: "success", title: toast } as const) : toast;
  return redirectWithToast(to, message, context, headers);
}

/** A refusal that isn't shown beside fields. */
function answerRefusal(definition: Intent<unknown>, error: unknown, back: string, context: EdgeContext) {
  const { failed = "page", describe = (detail: string) => detail } = definition;
  if (typeof failed === "string" || !(error instanceof AppError)) throw error;
  const description = describe(error.message);
  if ("toast" in failed || error.code === "not_found") {
    const title = "toast" in failed ? failed.toast : failed.dialog;
    return redirectWithToast(back, { kind: "error", title, description }, context);
  }
  const { status } = screenProblem(error, context);
  return answer<never>({ failed: { title: failed.dialog, description } }, status);
}

/**
 * One form from its post to its answer: parse, run, and on a refusal the form with what was typed, a dialog or a toast.
 *
 * @param back where the screen leads after a form
 */
export async function runIntent<D>(
  definition: Intent<D>,
  posted: PostedForm<unknown> & Pick<IntentInput<unknown, undefined>, "target" | "parts">,
  back: string,
) {
  const { context, form } = posted;
  const { input: schema, describe = (detail: string) => detail } = definition;
  const failed = definition.failed ?? (schema ? "fields" : "page");
  let parsed: ParsedForm<unknown> | undefined;
  if (schema) parsed = parseForm(form, schema, definition);
  try {
    if (parsed && parsed.submission.status !== "success") {
      if (failed === "fields") return answer<D>({ result: parsed.reply() }, 400);
      throw invalidForm(parsed.submission.error);
    }
    const value = parsed?.submission.status === "success" ? parsed.submission.value : undefined;
    const input = { ...posted, input: value as undefined };
    const result = await definition.run(input);
    const { done = {} } = definition;
    return answerSuccess(typeof done === "function" ? done(result, input) : done, back, context);
  } catch (error) {
    if (error instanceof Response) throw error;
    if (failed !== "fields" || !parsed) return answerRefusal(definition, error, back, context);
    const problem = screenProblem(error, context);
    const result = parsed.reply({ ...problem, detail: describe(problem.detail) });
    return answer<D>({ result }, problem.status);
  }
}
