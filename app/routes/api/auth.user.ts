import { OffboardingInput } from "~/console/offboarding/offboarding.schema";
import { leaveOrganisation } from "~/console/offboarding/offboarding.service.server";
import { clearSessionCookie } from "~/http/authentication.server";
import { endpoint, reply, resource } from "~/http/resource.server";
import { currentUser, updateProfile } from "~/team/members/member.service.server";
import { CurrentUser, ProfilePatch } from "~/team/members/members.schema";

const route = resource({
  path: "/api/auth/user",
  tag: "Signing in",
  GET: endpoint({
    summary: "Get the signed-in user",
    access: "signed-in",
    response: CurrentUser,
    handle: ({ actor }) => currentUser(actor),
  }),
  PATCH: endpoint({
    summary: "Change your name",
    access: "profile.write",
    body: ProfilePatch,
    response: CurrentUser,
    handle: ({ actor, body: { version, ...names } }) => updateProfile(actor, names, version),
  }),
  DELETE: endpoint({
    summary: "Leave the organization",
    description:
      "Includes the decisions on your data; `GET /api/auth/user/owned` lists which are required. " +
      "The last owner can't leave.",
    access: "signed-in",
    query: OffboardingInput,
    status: 204,
    handle: ({ actor, query, context }) => {
      leaveOrganisation(actor, query);
      return reply(null, { status: 204, headers: { "Set-Cookie": clearSessionCookie(context) } });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
