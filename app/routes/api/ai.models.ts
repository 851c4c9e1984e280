import { z } from "zod";
import { Model } from "~/ai/models/models.schema";
import { listModels } from "~/ai/models/models.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/ai/models",
  tag: "Models",
  GET: endpoint({
    summary: "List available models",
    description: "Each id once, from the first provider that offers it; the built-in model comes last.",
    access: "screens.read",
    response: z.object({ models: z.array(Model) }),
    handle: ({ actor }) => ({ models: listModels(actor) }),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
