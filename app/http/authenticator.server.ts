import { AsyncLocalStorage } from "node:async_hooks";
import { Authenticator } from "remix-auth";
import { Strategy } from "remix-auth/strategy";
import { signInWithIdentity } from "~/team/members/oauth.service.server";
import { signIn } from "~/team/members/sign-in.service.server";
import { signInMeta } from "./authentication.server";
import type { EdgeContext } from "./context";
import { readFlow } from "./oauth-flow.server";
import { ProviderStrategy } from "./oauth-strategy.server";

/** Checked by the form's schema. */
type Credentials = Parameters<typeof signIn>[0];

/** A finished sign-in; without a session the person waits for an admin. */
export interface SignedIn {
  session: { secret: string; expiresAt: number } | undefined;
  /** A path of this console, if the sign-in knows one. */
  returnTo: string;
}

interface Edge {
  request: Request;
  context: EdgeContext;
}

// The library passes on a copy of the request alone.
const edge = new AsyncLocalStorage<Edge>();

function currentEdge(): Edge {
  const current = edge.getStore();
  if (!current) throw new Error("Authentication needs a request");
  return current;
}

const currentMeta = () => signInMeta(currentEdge().request, currentEdge().context);

/** A built-in account, by the form's email address and password. */
class LocalStrategy extends Strategy<SignedIn, FormData> {
  override name = "local";

  override async authenticate(request: Request): Promise<SignedIn> {
    return this.verify(await request.formData());
  }
}

const authenticator = new Authenticator<SignedIn>()
  .use(
    new LocalStrategy(async (form) => {
      const field = (name: keyof Credentials) => String(form.get(name) ?? "");
      const input = { email: field("email"), password: field("password") };
      const session = await signIn(input, currentMeta());
      return { session, returnTo: "/" };
    }),
  )
  .use(
    new ProviderStrategy<SignedIn>(
      () => currentEdge().context,
      async ({ claims, idToken, state }) => {
        const { request, context } = currentEdge();
        const flow = readFlow(request, state, context);
        const outcome = signInWithIdentity(claims, flow, { ...currentMeta(), idToken });
        return { session: outcome.waiting ? undefined : outcome, returnTo: flow.returnTo };
      },
    ),
  );

/** @throws what the strategy throws; a Response of `oauth` redirects to the provider */
export function authenticate(
  strategy: "local" | "oauth",
  request: Request,
  context: EdgeContext,
): Promise<SignedIn> {
  return edge.run({ request, context }, () => authenticator.authenticate(strategy, request));
}

/** Signs in to a built-in account. @throws as `signIn` */
export async function authenticateForm(
  { email, password }: Credentials,
  { url, headers }: Request,
  context: EdgeContext,
) {
  const own = new Headers(headers);
  // The body is a new one.
  for (const name of ["content-type", "content-length"]) own.delete(name);
  const body = new URLSearchParams({ email, password });
  const { session } = await authenticate(
    "local",
    new Request(url, { method: "POST", headers: own, body }),
    context,
  );
  if (!session) throw new Error("A built-in account needs no admin's consent");
  return session;
}
