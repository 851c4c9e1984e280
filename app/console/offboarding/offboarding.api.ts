import { z } from "zod";
import { endpoint, endpoints, nothing, reply } from "~/platform/endpoint/endpoint.shared";
import { OffboardingInput, OwnedData } from "./offboarding.schema";
import { leaveOrganisation, listOwnedData, removeMember } from "./offboarding.service.server";

const params = z.object({ id: z.string() });

export const offboardingApi = [
  ...endpoints("Signing in", [
    endpoint({
      method: "GET",
      path: "/api/auth/user/owned",
      summary: "List your data that needs a decision before you leave, with possible recipients",
      access: "signed-in",
      response: z.array(OwnedData),
      handle: ({ actor }) => listOwnedData(actor, actor.userId),
    }),
    endpoint({
      method: "DELETE",
      path: "/api/auth/user",
      summary: "Leave the organization",
      description:
        "Includes the decisions on your data; `GET /api/auth/user/owned` lists which are required. " +
        "The last owner can't leave.",
      access: "signed-in",
      query: OffboardingInput,
      status: 204,
      handle: ({ actor, query }) => {
        leaveOrganisation(actor, query);
        return reply(null, { status: 204, endsSession: true });
      },
    }),
  ]),
  ...endpoints("Members", [
    endpoint({
      method: "GET",
      path: "/api/members/{id}/owned",
      summary: "List a member's data by kind and count, with possible recipients",
      access: "members.manage",
      params,
      response: z.array(OwnedData),
      handle: ({ actor, params }) => listOwnedData(actor, params.id),
    }),
    endpoint({
      method: "DELETE",
      path: "/api/members/{id}",
      summary: "Remove a member or withdraw an invitation",
      description:
        "The query contains the decisions about the member's data. If one is refused, nobody is removed. " +
        "`GET /api/members/{id}/owned` lists the required decisions.",
      access: "members.manage",
      params,
      query: OffboardingInput,
      status: 204,
      handle: ({ actor, params: { id }, query }) => {
        removeMember(actor, id, query);
        return nothing();
      },
    }),
  ]),
];
