import { redirect } from "@remix-run/node";
import { clearOAuthCookies, finishOAuth, seeOther } from "~/http/oauth.server";
import { endpoint, resource } from "~/http/resource.server";
import { signedIn, signInFailure } from "~/http/signing-in.server";

const route = resource({
  path: "/api/auth/callback",
  tag: "Signing in",
  GET: endpoint({
    summary: "Receive the OAuth provider's redirect",
    access: "public",
    status: 302,
    handle: async ({ request, context }) => {
      try {
        const { session, returnTo } = await finishOAuth(request, context);
        const headers = clearOAuthCookies(request, context);
        return session ? signedIn(session, returnTo, context, headers) : seeOther("/waiting", headers);
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
