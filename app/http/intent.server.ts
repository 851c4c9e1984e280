import type { SubmissionResult } from "@conform-to/zod/v4";
import { data, redirect } from "@remix-run/node";
import type { z } from "zod";
import { AppError } from "~/core/errors";
import { explainStorageFault } from "~/core/storage-faults.server";
import type {
  Access,
  ActorOf,
  MultipartPart,
  Parsed,
  UploadLimits,
} from "~/platform/endpoint/endpoint.shared";
import { describeFailure, type Failure, failureSentence } from "~/ui/failures";
import type { EdgeContext } from "./context";
import { type FormOptions, invalidForm, type ParsedForm, parseForm, screenProblem } from "./form.server";
import { redirectWithToast, type ToastMessage } from "./toast.server";

export interface PostedForm<A> {
  actor: A;
  params: Readonly<Record<string, string | undefined>>;
  url: URL;
  returnTo: string | undefined;
  form: FormData;
  request: Request;
  context: EdgeContext;
}

interface IntentInput<A, S> extends PostedForm<A> {
  input: Parsed<S>;
  /** The value of the field that `target` names. */
  target: string;
  parts: AsyncIterable<MultipartPart>;
}

type Toast = Omit<ToastMessage, "id">;

interface Redirect {
  to?: string;
  toast?: string | Toast;
  headers?: HeadersInit;
  replace?: true;
}

interface Shown<D> {
  show: D;
  status?: number;
}

/** A string is a toast after a redirect to `back`. */
type Outcome<D> = string | Redirect | Shown<D> | Response;

/** How an error is shown. `page` is the error page, for errors that the screen's forms can't cause. */
type Failed =
  | { toast: string | Failure }
  | { dialog: string | Failure }
  | { fields: Failure }
  | "fields"
  | "page";

interface IntentDefinition<A, S, R, D> extends FormOptions {
  /** Checked in addition to the screen's access. */
  access: A;
  input?: S;
  /** A field outside `input` that names the form's subject, such as `id`. */
  target?: string;
  /** Limit of a multipart form in bytes; defaults to 1 MB. */
  maxBytes?: number;
  /** For forms with files: `run` reads `parts`. Handles all multipart forms of the screen. */
  upload?: UploadLimits;
  /** Whether `run` of an upload handles `context.refusal`; otherwise the upload isn't read. */
  handlesRefusal?: true;
  run(input: IntentInput<ActorOf<A>, S>): R | Promise<R>;
  done?: string | Redirect | ((result: R, input: IntentInput<ActorOf<A>, S>) => Outcome<D>);
  failed?: Failed;
  back?(input: PostedForm<ActorOf<A>>): string;
}

export interface ScreenResult<D> {
  /** Errors and values of a refused form. */
  result: SubmissionResult | undefined;
  failed: { title: string; description: string } | undefined;
  shown: D | undefined;
}

export interface Intent<D> extends FormOptions {
  access: Access;
  input?: z.ZodType;
  target?: string;
  maxBytes?: number;
  upload?: UploadLimits;
  handlesRefusal?: true;
  run(input: IntentInput<unknown, undefined>): unknown;
  done?: string | Redirect | ((result: unknown, input: IntentInput<unknown, undefined>) => Outcome<D>);
  failed?: Failed;
  back?(input: PostedForm<unknown>): string;
}

export function intent<
  const A extends Access,
  S extends z.ZodType | undefined = undefined,
  R = unknown,
  D = never,
>(definition: IntentDefinition<A, S, R, D>): Intent<D> {
  return definition as unknown as Intent<D>;
}

function actionData<D>(value: Partial<ScreenResult<D>>, status: number) {
  return data<ScreenResult<D>>(
    { result: undefined, failed: undefined, shown: undefined, ...value },
    { status },
  );
}

function successResponse<D>(outcome: Outcome<D>, back: string, { context, url }: PostedForm<unknown>) {
  if (outcome instanceof Response) return outcome;
  if (typeof outcome === "object" && "show" in outcome)
    return actionData<D>({ shown: outcome.show }, outcome.status ?? 200);
  const redirection: Redirect = typeof outcome === "string" ? { toast: outcome } : outcome;
  const { to = back, toast } = redirection;
  const headers = new Headers(redirection.headers);
  // Back would open the submitted dialog again, empty.
  if (redirection.replace || url.searchParams.has("dialog")) headers.set("X-Remix-Replace", "true");
  if (toast === undefined) return redirect(to, { status: 303, headers });
  const message = typeof toast === "string" ? ({ kind: "success", title: toast } as const) : toast;
  return redirectWithToast(to, message, context, headers);
}

function refusalResponse(definition: Intent<unknown>, error: unknown, back: string, context: EdgeContext) {
  const { failed = "page" } = definition;
  if (typeof failed === "string" || "fields" in failed || !(error instanceof AppError)) throw error;
  const shown = "toast" in failed ? failed.toast : failed.dialog;
  const failure: Failure = typeof shown === "string" ? { title: shown } : shown;
  const { title } = failure;
  const description = describeFailure(failure, error.message);
  if ("toast" in failed || error.code === "not_found")
    return redirectWithToast(back, { kind: "error", title, description }, context);
  const { status } = screenProblem(error, context);
  return actionData<never>({ failed: { title, description } }, status);
}

/** Parses and runs a form. @param back redirect target after a form */
export async function runIntent<D>(
  definition: Intent<D>,
  posted: PostedForm<unknown> & Pick<IntentInput<unknown, undefined>, "target" | "parts">,
  back: string,
) {
  const { context, form } = posted;
  const { input: schema } = definition;
  const failed = definition.failed ?? (schema ? "fields" : "page");
  const isInFields = failed === "fields" || (typeof failed === "object" && "fields" in failed);
  let parsed: ParsedForm<unknown> | undefined;
  if (schema) parsed = parseForm(form, schema, definition);
  try {
    // Shown with the form's values, which the error page would lose.
    if (context.refusal && !definition.handlesRefusal) throw context.refusal;
    if (parsed && parsed.submission.status !== "success") {
      if (isInFields) return actionData<D>({ result: parsed.reply() }, 400);
      throw invalidForm(parsed.submission.error);
    }
    const value = parsed?.submission.status === "success" ? parsed.submission.value : undefined;
    const input = { ...posted, input: value as undefined };
    const result = await definition.run(input);
    const { done = {} } = definition;
    return successResponse(typeof done === "function" ? done(result, input) : done, back, posted);
  } catch (thrown) {
    if (thrown instanceof Response) throw thrown;
    const error = explainStorageFault(thrown);
    if (!isInFields || !parsed) return refusalResponse(definition, error, back, context);
    const problem = screenProblem(error, context);
    const detail = failed === "fields" ? problem.detail : failureSentence(failed.fields, problem.detail);
    const result = parsed.reply({ ...problem, detail });
    return actionData<D>({ result }, problem.status);
  }
}
