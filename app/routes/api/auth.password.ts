import { endpoint, reply, resource } from "~/http/resource.server";
import { changePassword } from "~/team/members/account.service.server";
import { PasswordInput } from "~/team/members/members.schema";

const route = resource({
  path: "/api/auth/password",
  tag: "Signing in",
  PUT: endpoint({
    summary: "Change your password",
    description: "Requires the current password and ends your other sessions. Not available to API tokens.",
    access: "profile.write",
    body: PasswordInput,
    status: 204,
    handle: async ({ actor, body, context }) => {
      await changePassword(actor, body, context);
      return reply(null, { status: 204 });
    },
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
