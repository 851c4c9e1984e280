import { DiscoverInput, Discovery } from "~/ai/models/catalogue.schema";
import { discoverModels } from "~/ai/models/discovery.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/models/discover",
  tag: "Models",
  POST: endpoint({
    summary: "Discover models on the model hubs",
    description:
      "Lists less than an hour old are reused unless `again` is set. If a hub can't be reached, built-in models are returned with a message.",
    access: "providers.manage",
    body: DiscoverInput,
    response: Discovery,
    handle: ({ actor, body }) => discoverModels(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
