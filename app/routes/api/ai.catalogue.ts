import { z } from "zod";
import { CatalogueModel, CatalogueQuery } from "~/features/models/catalogue.schema";
import { listCatalogue } from "~/features/models/catalogue.service.server";
import { endpoint, resource } from "~/http/resource.server";

const route = resource({
  path: "/api/ai/catalogue",
  tag: "Models",
  GET: endpoint({
    summary: "The models that are known",
    description:
      "The makers' current models with the dated list's prices, and what the set-up providers serve beside them; each says whether it can be called now.",
    access: "screens.read",
    query: CatalogueQuery,
    response: z.object({ models: z.array(CatalogueModel) }),
    handle: ({ actor, query }) => ({ models: listCatalogue(actor, query) }),
  }),
});
const loader = route.loader;
const action = route.action;

export { action, loader };
