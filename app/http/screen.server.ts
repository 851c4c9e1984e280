import type { SubmissionResult } from "@conform-to/zod/v4";
import { type ActionFunctionArgs, data, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { parseWith } from "~/core/parse";
import { explainStorageFault } from "~/core/storage-faults.server";
import type {
  Access,
  ActorOf,
  MultipartPart,
  Parsed,
  UploadLimits,
} from "~/platform/endpoint/endpoint.shared";
import { may } from "~/platform/rights/authorization.server";
import { describeFailure, type Failure, failureSentence } from "~/ui/failures";
import { authoriseAccess, readActor, requireScreenActor } from "./authentication.server";
import type { EdgeContext } from "./context.server";
import {
  type FormOptions,
  invalidForm,
  onScreen,
  type ParsedForm,
  parseForm,
  screenProblem,
} from "./form.server";
import { readMultipart } from "./multipart.server";
import { DEFAULT_BODY_BYTES, formTooLarge, isMultipart, readForm } from "./request-body.server";
import { safeReturnTo, screenAddress, withoutDialog } from "./return-to.server";
import { addToast, type ToastMessage } from "./toast.server";

interface PostedForm<A> {
  actor: A;
  params: Readonly<Record<string, string | undefined>>;
  url: URL;
  returnTo: string | undefined;
  /** Answered without a redirect (`~/ui/sending`). */
  inPlace: boolean;
  form: FormData;
  request: Request;
  context: EdgeContext;
}

interface IntentInput<A, S> extends PostedForm<A> {
  input: Parsed<S>;
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

interface ScreenResult<D> {
  result: SubmissionResult | undefined;
  failed: { title: string; description: string } | undefined;
  shown: D | undefined;
}

/** Safe, since each intent gets what its own schema parsed. */
type Intent<D> = Omit<IntentDefinition<Access, undefined, unknown, D>, "input"> & {
  input?: z.ZodType;
};

export function intent<
  const A extends Access,
  S extends z.ZodType | undefined = undefined,
  R = unknown,
  D = never,
>(definition: IntentDefinition<A, S, R, D>): Intent<D> {
  return definition as unknown as Intent<D>;
}

function actionData<D>(value: Partial<ScreenResult<D>>, status: number, headers: HeadersInit = {}) {
  return data<ScreenResult<D>>(
    { result: undefined, failed: undefined, shown: undefined, ...value },
    { status, headers },
  );
}

/** In place, a reload of the page follows the answer as it follows a redirect. */
const answer = <D>(to: string, headers: Headers, inPlace: boolean) =>
  inPlace ? actionData<D>({}, 200, headers) : redirect(to, { status: 303, headers });

function successResponse<D>(
  outcome: Outcome<D>,
  back: string,
  { context, url, inPlace }: PostedForm<Actor | undefined>,
) {
  if (outcome instanceof Response) return outcome;
  if (typeof outcome === "object" && "show" in outcome)
    return actionData<D>({ shown: outcome.show }, outcome.status ?? 200);
  const redirection: Redirect = typeof outcome === "string" ? { toast: outcome } : outcome;
  const { to = back, toast } = redirection;
  const headers = new Headers(redirection.headers);
  // Back would open the submitted dialog again, empty.
  if (redirection.replace || url.searchParams.has("dialog")) headers.set("X-Remix-Replace", "true");
  const message = typeof toast === "string" ? ({ kind: "success", title: toast } as const) : toast;
  if (message) addToast(headers, message, context);
  return answer<D>(to, headers, inPlace);
}

function refusalResponse(
  definition: Intent<unknown>,
  error: unknown,
  back: string,
  { context, inPlace }: PostedForm<Actor | undefined>,
) {
  const { failed = "page" } = definition;
  if (typeof failed === "string" || "fields" in failed || !(error instanceof AppError)) throw error;
  const shown = "toast" in failed ? failed.toast : failed.dialog;
  const failure: Failure = typeof shown === "string" ? { title: shown } : shown;
  const { title } = failure;
  const description = describeFailure(failure, error.message);
  if ("toast" in failed || error.code === "not_found") {
    const headers = new Headers();
    addToast(headers, { kind: "error", title, description }, context);
    return answer(back, headers, inPlace);
  }
  const { status } = screenProblem(error, context);
  return actionData<never>({ failed: { title, description } }, status);
}

async function runIntent<D>(
  definition: Intent<D>,
  posted: PostedForm<Actor | undefined> & Pick<IntentInput<Actor | undefined, undefined>, "target" | "parts">,
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
    if (!isInFields || !parsed) return refusalResponse(definition, error, back, posted);
    const problem = screenProblem(error, context);
    const detail = failed === "fields" ? problem.detail : failureSentence(failed.fields, problem.detail);
    const result = parsed.reply({ ...problem, detail });
    return actionData<D>({ result }, problem.status);
  }
}

interface LoadInput<A, Q> {
  actor: ActorOf<A>;
  params: Readonly<Record<string, string | undefined>>;
  query: Parsed<Q>;
  url: URL;
  request: Request;
  context: EdgeContext;
}

interface ScreenDefinition<A, Q, L, I> {
  /** `public`, `signed-in` (every role), or a permission. */
  access: A;
  query?: Q;
  load?(input: LoadInput<A, Q>): L;
  /** By the form's `intent`; defaults to `submit`. */
  actions?: I;
  back?(input: PostedForm<ActorOf<A>>): string;
}

type ShownBy<I> = I extends Record<string, Intent<infer D>> ? D : never;

const textOf = (value: FormDataEntryValue | null) => (typeof value === "string" ? value : "");

function takeField(form: FormData, name: string): string {
  const value = textOf(form.get(name));
  form.delete(name);
  return value;
}

function actorOf(request: Request, context: EdgeContext, access: Access): Actor | undefined {
  const actor = access === "public" ? readActor(request, context) : requireScreenActor(request, context);
  authoriseAccess(actor, access);
  return actor;
}

/** Checks access before reading a form: at least one intent must be allowed. */
function leastAccess(actor: Actor | undefined, intents: readonly Intent<unknown>[]): Access {
  const allowed = intents.find(
    ({ access }) =>
      access === "public" || (actor !== undefined && (access === "signed-in" || may(actor, access))),
  );
  return (allowed ?? intents[0])?.access ?? "public";
}

const NO_PARTS = (async function* () {})();

/** The upload intent; with several intents, for multipart forms only. */
function findUpload<D>(actions: Record<string, Intent<D>> | undefined, request: Request): string | undefined {
  if (actions?.submit?.upload) return "submit";
  if (!isMultipart(request.headers.get("content-type"))) return undefined;
  return Object.keys(actions ?? {}).find((name) => actions?.[name]?.upload);
}

async function act<D>(
  { access, actions, back }: ScreenDefinition<Access, unknown, unknown, Record<string, Intent<D>>>,
  { request, params, context }: ActionFunctionArgs,
) {
  const actor = actorOf(request, context, access);
  const url = screenAddress(request);
  const intents = Object.values(actions ?? {});
  const check = (needed: Access) => {
    if (!actor && needed !== "public") requireScreenActor(request, context);
    authoriseAccess(actor, needed);
  };
  check(leastAccess(actor, intents));
  const upload = findUpload(actions, request);
  const uploads = upload && actions?.[upload]?.upload;
  const { refusal } = context;
  if (refusal && upload && !actions?.[upload]?.handlesRefusal) throw refusal;
  const larger = refusal ? [] : intents.map(({ maxBytes = 0 }) => maxBytes);
  const largest = Math.max(DEFAULT_BODY_BYTES, ...larger);
  const { form, size } = uploads ? { form: new FormData(), size: 0 } : await readForm(request, largest);
  const intentName = upload ?? (takeField(form, "intent") || "submit");
  const definition = actions && Object.hasOwn(actions, intentName) ? actions[intentName] : undefined;
  if (!definition) throw refusal ?? new AppError("invalid", "Unknown form. Reload the page and try again.");
  check(definition.access);
  const { maxBytes = DEFAULT_BODY_BYTES, target } = definition;
  if (size > maxBytes) throw formTooLarge(maxBytes);
  const requestedReturn = form.get("returnTo") ?? url.searchParams.get("returnTo");
  form.delete("returnTo");
  const inPlace = takeField(form, "inPlace") === "on";
  const posted = {
    actor,
    params,
    url,
    returnTo: requestedReturn === null ? undefined : safeReturnTo(requestedReturn),
    inPlace,
    form,
    request,
    context,
    target: target === undefined ? "" : takeField(form, target),
    parts: uploads ? readMultipart(request, uploads) : NO_PARTS,
  };
  const backTo = definition.back ?? back ?? (() => withoutDialog(url));
  return runIntent(definition, posted, backTo(posted));
}

/** Builds a screen's loader and action. In the route: `const { loader, action } = screen({ … });` */
export function screen<
  const A extends Access,
  Q extends z.ZodType | undefined = undefined,
  L = null,
  I extends Record<string, Intent<unknown>> = Record<string, never>,
>(definition: ScreenDefinition<A, Q, L, I>) {
  type Shown = ShownBy<I>;
  return {
    loader: ({ request, params, context }: LoaderFunctionArgs): Promise<Awaited<L>> =>
      onScreen(context, () => {
        const actor = actorOf(request, context, definition.access) as ActorOf<A>;
        const url = screenAddress(request);
        const { query: schema, load } = definition;
        const search = Object.fromEntries(url.searchParams);
        const query = (schema && parseWith(schema, search, "address")) as Parsed<Q>;
        const loaded = load?.({ actor, params, query, url, request, context }) ?? null;
        return loaded as Awaited<L>;
      }),
    action: Object.assign(
      (args: ActionFunctionArgs) =>
        onScreen(args.context, () =>
          act(
            definition as unknown as ScreenDefinition<
              Access,
              unknown,
              unknown,
              Record<string, Intent<Shown>>
            >,
            args,
          ),
        ),
      {
        intents: Object.fromEntries(
          Object.entries(definition.actions ?? {}).map(([name, { access }]) => [name, access]),
        ),
      },
    ),
  };
}

/** Finds a record, or explains that it is missing or not in a state to be shown: a page that shows the message keeps a refused form's typed values. */
export function findOrExplain<T>(read: () => T): { selected?: T; missing?: string } {
  try {
    return { selected: read() };
  } catch (error) {
    if (error instanceof AppError && (error.code === "not_found" || error.code === "conflict"))
      return { missing: error.message };
    throw error;
  }
}
