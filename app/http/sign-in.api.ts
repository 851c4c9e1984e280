import { redirect } from "@remix-run/node";
import { z } from "zod";
import { AppError } from "~/core/errors";
import { endpoint, endpoints, reply } from "~/platform/endpoint/endpoint.shared";
import { readBranding } from "~/team/branding/branding.service.server";
import { SignInInput } from "~/team/members/members.schema";
import { oauthConfigured } from "~/team/members/oauth-provider.service.server";
import { CodeInput } from "~/team/members/second-factor.schema";
import { finishSignIn, signIn } from "~/team/members/sign-in.service.server";
import { edgeOf } from "./api.server";
import { lacksFactor, sessionCookie, setUpAddress, signInMeta } from "./authentication.server";
import { safeReturnTo } from "./return-to.server";
import {
  beginOAuth,
  clearOAuthCookies,
  finishOAuth,
  signedIn,
  signInFailure,
  signOut,
} from "./signing-in.server";

const Query = z.object({
  returnTo: z.string().max(2000).optional().describe("Path of this console to open after sign-in"),
  setup: z.string().max(100).optional().describe("Token of the setup link"),
  invite: z.string().max(100).optional().describe("Token of an invitation"),
});

const SignInCall = SignInInput.extend(CodeInput.partial().shape);

export const signInApi = endpoints("Signing in", [
  endpoint({
    method: "GET",
    path: "/api/auth/callback",
    summary: "Receive the OAuth provider's redirect",
    access: "public",
    status: 302,
    handle: async (call) => {
      const { request, context } = edgeOf(call);
      try {
        const { session, returnTo } = await finishOAuth(request, context);
        const headers = clearOAuthCookies(request, context);
        return session
          ? signedIn(session, returnTo, context, headers)
          : redirect("/waiting", { status: 303, headers });
      } catch (error) {
        // Not /api/login, which could loop forever.
        return redirect(signInFailure(error, context));
      }
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/login",
    summary: "Start the sign-in",
    description: "Redirects to the OAuth provider if configured, otherwise to the form at /login.",
    access: "public",
    query: Query,
    status: 302,
    handle: async (call) => {
      const { actor, query } = call;
      const returnTo = safeReturnTo(query.returnTo);
      const { request, context } = edgeOf(call);
      // A signed-in user may follow another account's link.
      if (actor && !query.invite) return redirect(returnTo);
      if (lacksFactor(request, context)) return redirect(setUpAddress(returnTo));
      const search = returnTo === "/" ? "" : `?${new URLSearchParams({ returnTo })}`;
      if (!oauthConfigured()) return redirect(`/login${search}`);
      try {
        return await beginOAuth({ returnTo, setup: query.setup, invite: query.invite }, context);
      } catch (error) {
        return redirect(signInFailure(error, context));
      }
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/login",
    summary: "Sign in with a password",
    description:
      "Sets the session's cookie. For an account with an authenticator app, `code` is a code of it or a recovery code; without one, the answer is 401 and names the field.",
    access: "public",
    body: SignInCall,
    status: 204,
    handle: async (call) => {
      const { request, context } = edgeOf(call);
      const { code, ...input } = call.body;
      const meta = signInMeta(request, context);
      const step = await signIn(input, meta);
      if (step.needsCode && code === undefined) {
        const message = "Send a code of your authenticator app, or a recovery code.";
        throw new AppError("unauthenticated", message, { fields: { code: [message] } });
      }
      const session = step.needsCode ? finishSignIn(step.secret, code ?? "", meta) : step;
      const cookie = sessionCookie(session.secret, session.expiresAt, context);
      return reply(null, { status: 204, headers: { "Set-Cookie": cookie } });
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/logout",
    summary: "Sign out",
    description: "Returns 204, or the next page for a browser form.",
    access: "public",
    status: 204,
    handle: (call) => {
      const { request, context } = edgeOf(call);
      return signOut(request, context, readBranding().appName);
    },
  }),
]);
