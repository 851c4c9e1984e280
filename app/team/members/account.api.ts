import { z } from "zod";
import { endpoint, endpoints, reply } from "~/platform/endpoint/endpoint.shared";
import { currentUser, updateProfile } from "./member.service.server";
import { CurrentUser, PasswordInput, ProfilePatch, SessionInfo } from "./members.schema";
import { endAllSessions, endOwnSession, listOwnSessions } from "./session.service.server";
import { changePassword } from "./sign-in.service.server";

export const accountApi = endpoints("Signing in", [
  endpoint({
    method: "PUT",
    path: "/api/auth/password",
    summary: "Change your password",
    description: "Requires the current password and ends your other sessions. Not available to API tokens.",
    access: "profile.write",
    body: PasswordInput,
    status: 204,
    handle: ({ actor, body }) => changePassword(actor, body, { address: actor.address ?? "" }),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/auth/sessions/{id}",
    summary: "End one of your sessions",
    access: "profile.write",
    params: z.object({ id: z.string() }),
    status: 204,
    handle: ({ actor, params }) => endOwnSession(actor, params.id),
  }),
  endpoint({
    method: "GET",
    path: "/api/auth/sessions",
    summary: "List your sessions",
    access: "profile.write",
    response: z.array(SessionInfo),
    handle: ({ actor }) => listOwnSessions(actor),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/auth/sessions",
    summary: "Sign out everywhere",
    access: "profile.write",
    status: 204,
    handle: ({ actor }) => {
      endAllSessions(actor);
      return reply(null, { status: 204, endsSession: true });
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/auth/user",
    summary: "Get the signed-in user",
    access: "signed-in",
    response: CurrentUser,
    handle: ({ actor }) => currentUser(actor),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/auth/user",
    summary: "Change your name",
    access: "profile.write",
    body: ProfilePatch,
    response: CurrentUser,
    handle: ({ actor, body: { version, ...names } }) => updateProfile(actor, names, version),
  }),
]);
