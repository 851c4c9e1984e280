import { z } from "zod";
import { GatewayModel } from "~/ai/gateway/gateway.schema";
import { chatCompletions, readGatewayModel } from "~/ai/gateway/gateway.service.server";
import { direct } from "~/http/direct.server";

const route = direct({
  path: "/v1/models/{id}",
  tag: "Gateway",
  refuse: chatCompletions.refuse,
  GET: {
    summary: "Get a model",
    access: "gateway.use",
    params: z.object({ id: z.string().describe("Can contain slashes") }),
    response: GatewayModel,
    handle: ({ actor, rest, response }) =>
      response.send("application/json", JSON.stringify(readGatewayModel(actor, rest))),
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
