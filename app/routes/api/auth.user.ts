import { currentUser, updateProfile } from "~/features/members/member.service.server";
import { CurrentUser, ProfilePatch } from "~/features/members/members.schema";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/auth/user",
  tag: "Signing in",
  GET: endpoint({
    summary: "Who is signed in",
    access: "signed-in",
    response: CurrentUser,
    handle: ({ actor }) => currentUser(actor),
  }),
  PATCH: endpoint({
    summary: "Change one's own name",
    access: "profile.write",
    body: ProfilePatch,
    response: CurrentUser,
    handle: ({ actor, body }) => updateProfile(actor, body),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
