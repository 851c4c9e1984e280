import { redirect } from "@remix-run/node";
import { z } from "zod";
import { beginOAuth } from "~/http/oauth.server";
import { endpoint, resource } from "~/http/resource.server";
import { safeReturnTo } from "~/http/return-to.server";
import { signInFailure } from "~/http/signing-in.server";
import { oauthConfigured } from "~/team/members/oauth-provider.service.server";

const Query = z.object({
  returnTo: z.string().max(2000).optional().describe("Path of this console to open after sign-in"),
  setup: z.string().max(100).optional().describe("Token of the setup link"),
  invite: z.string().max(100).optional().describe("Token of an invitation"),
});

const route = resource({
  path: "/api/login",
  tag: "Signing in",
  GET: endpoint({
    summary: "Start the sign-in",
    description: "Redirects to the OAuth provider if configured, otherwise to the form at /login.",
    access: "public",
    query: Query,
    status: 302,
    handle: async ({ actor, query, context }) => {
      const returnTo = safeReturnTo(query.returnTo);
      // A signed-in user may follow another account's link.
      if (actor && !query.invite) return redirect(returnTo);
      const search = returnTo === "/" ? "" : `?${new URLSearchParams({ returnTo })}`;
      if (!oauthConfigured()) return redirect(`/login${search}`);
      try {
        return await beginOAuth({ returnTo, setup: query.setup, invite: query.invite }, context);
      } catch (error) {
        return redirect(signInFailure(error, context));
      }
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
