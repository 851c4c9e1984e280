import { redirect } from "@remix-run/node";
import { signInWithIdentity } from "~/features/members/oauth.service.server";
import { clearOAuthCookies, finishOAuth, seeOther } from "~/http/oauth.server";
import { endpoint, resource } from "~/http/resource.server";
import { signedIn, signInFailure, signInMeta } from "~/http/signing-in.server";

const route = resource({
  path: "/api/auth/callback",
  tag: "Signing in",
  GET: endpoint({
    summary: "Receive the OAuth provider's redirect",
    access: "public",
    status: 302,
    handle: async ({ request, context }) => {
      try {
        const { claims, idToken, flow } = await finishOAuth(request, context);
        const meta = { ...signInMeta(request, context), idToken };
        const outcome = signInWithIdentity(claims, flow, meta);
        const headers = clearOAuthCookies(request, context);
        if (outcome.waiting) return seeOther("/waiting", headers);
        return signedIn(outcome, flow.returnTo, context, headers);
      } catch (error) {
        // Not /api/login, which could loop forever.
        return redirect(signInFailure(error, context));
      }
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
