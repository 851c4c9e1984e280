import { DiscoverInput, Discovery } from "~/features/models/catalogue.schema";
import { discoverModels } from "~/features/models/discovery.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/models/discover",
  tag: "Models",
  POST: endpoint({
    summary: "Ask the model hubs for their lists",
    description:
      "Lists less than an hour old are kept unless `again` is set. Where a hub can't be had, built-in models stand in and its message says so.",
    access: "providers.manage",
    body: DiscoverInput,
    response: Discovery,
    handle: ({ actor, body }) => discoverModels(actor, body),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
