import { GatewayModels } from "~/ai/gateway/gateway.schema";
import { chatCompletions, listGatewayModels } from "~/ai/gateway/gateway.service.server";
import { direct } from "~/http/direct.server";

const route = direct({
  path: "/v1/models",
  tag: "Gateway",
  refuse: chatCompletions.refuse,
  GET: {
    summary: "List models the token can call",
    access: "gateway.use",
    response: GatewayModels,
    handle: ({ actor, response }) =>
      response.send("application/json", JSON.stringify(listGatewayModels(actor))),
  },
});
const loader = route.loader;
const action = route.action;

export { action, loader };
