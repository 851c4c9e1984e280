import { z } from "zod";
import { CatalogueModel, CatalogueQuery } from "~/ai/models/catalogue.schema";
import { listCatalogue } from "~/ai/models/catalogue.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/ai/catalogue",
  tag: "Models",
  GET: endpoint({
    summary: "List the model catalog",
    description:
      "Current models of all vendors with list prices, plus the models of configured providers. `available` is true if a model can be called now.",
    access: "screens.read",
    query: CatalogueQuery,
    response: z.object({ models: z.array(CatalogueModel) }),
    handle: ({ actor, query }) => ({ models: listCatalogue(actor, query) }),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
