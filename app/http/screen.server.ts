import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { parseWith } from "~/core/parse-with";
import type { Access, ActorOf, Parsed } from "~/platform/endpoint/endpoint.shared";
import { may } from "~/platform/rights/authorization.server";
import { authoriseAccess, readActor, requireScreenActor } from "./authentication.server";
import { DEFAULT_BODY_BYTES } from "./body-limits";
import type { EdgeContext } from "./context";
import { onScreen } from "./form.server";
import { type Intent, type PostedForm, runIntent } from "./intent.server";
import { readMultipart } from "./multipart.server";
import { formTooLarge, readForm } from "./read-body.server";
import { safeReturnTo, withoutDialog } from "./return-to.server";

export { intent } from "./intent.server";

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
  /** Redirect target after a form; defaults to the screen without its dialog. */
  back?(input: PostedForm<ActorOf<A>>): string;
}

type ShownBy<I> = I extends Record<string, Intent<infer D>> ? D : never;

const textOf = (value: FormDataEntryValue | null) => (typeof value === "string" ? value : "");

function takeField(form: FormData, name: string): string {
  const value = textOf(form.get(name));
  form.delete(name);
  return value;
}

function addressOf(request: Request): URL {
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(/\.data$/, "");
  return url;
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
  const isMultipart = /^multipart\/form-data\b/i.test(request.headers.get("content-type") ?? "");
  return isMultipart ? Object.keys(actions ?? {}).find((name) => actions?.[name]?.upload) : undefined;
}

async function act<D>(
  { access, actions, back }: ScreenDefinition<Access, unknown, unknown, Record<string, Intent<D>>>,
  { request, params, context }: ActionFunctionArgs,
) {
  const actor = actorOf(request, context, access);
  const url = addressOf(request);
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
  const posted = {
    actor,
    params,
    url,
    returnTo: requestedReturn === null ? undefined : safeReturnTo(requestedReturn),
    form,
    request,
    context,
    target: target === undefined ? "" : takeField(form, target),
    parts: uploads ? readMultipart(request, uploads) : NO_PARTS,
  };
  const backTo = (definition.back ?? back ?? (() => withoutDialog(url))) as (
    input: PostedForm<unknown>,
  ) => string;
  return runIntent(definition, posted, backTo(posted));
}

/**
 * Builds a screen's loader and action: checks permissions, parses input, dispatches the intent and shows
 * errors. In the route: `const { loader, action } = screen({ … }); export { action, loader };`
 */
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
        const url = addressOf(request);
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

/** Finds a record, or explains that it is missing: a page that shows the message keeps a refused form's typed values. */
export function findOrExplain<T>(read: () => T): { selected?: T; missing?: string } {
  try {
    return { selected: read() };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return { missing: error.message };
    throw error;
  }
}
