import { z } from "zod";
import { clearSessionCookie } from "~/http/authentication.server";
import { endpoint, reply, resource } from "~/http/resource.server";
import { SessionInfo } from "~/team/members/members.schema";
import { endAllSessions, listOwnSessions } from "~/team/members/session.service.server";

const route = resource({
  path: "/api/auth/sessions",
  tag: "Signing in",
  GET: endpoint({
    summary: "List your sessions",
    access: "profile.write",
    response: z.array(SessionInfo),
    handle: ({ actor }) => listOwnSessions(actor),
  }),
  DELETE: endpoint({
    summary: "Sign out everywhere",
    access: "profile.write",
    status: 204,
    handle: ({ actor, context }) => {
      endAllSessions(actor);
      return reply(null, { status: 204, headers: { "Set-Cookie": clearSessionCookie(context) } });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
